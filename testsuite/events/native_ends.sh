# SPDX-License-Identifier: GPL-2.0-or-later
# Producers, the PMDA and pmcd that end and come back while clients stay, and
# files that are no proper event files (native.sh).
start_pmcd
cd $EV
agent() { pgrep -P $PMCD pmdastap; }

echo '== producer'
produce app 64
watch stap.app.one.records > stays & client=$!
await is stap.app.one.clients 1
pmid=$(pm pminfo -m stap.app.one.param.number)
tell app "put 5"
asked app first > /dev/null
end_produce app                     # the last five are still in the rings
await lacks stap.app.one.records
echo "after the end: $(grep -c 'param.number [1-5]$' stays) records"
produce app 64
tell app "put 3"
asked app second > /dev/null
await holds stays 'param.number 3$'
sleep 1
echo "same PMIDs: $([ "$pmid" = "$(pm pminfo -m stap.app.one.param.number)" ] && echo yes)"
echo "after the start: $(grep -c 'param.number [1-3]$' stays) records of both"

echo '== killed producer'
kill -9 $PRODUCER_app; wait $PRODUCER_app 2> /dev/null
await lacks stap.app.one.records
kill $KEEP_app
rm -f files/.app.events
echo "pmda alive: $(agent | wc -l)"

echo '== pmda'
produce app 64
await is stap.app.one.clients 1
kill -9 $(agent)
sleep 0.5
kill -HUP $PMCD
await has stap.app.one.records
await is stap.app.one.clients 1     # the client fetches on, so it is registered again
tell app "put 2000"
asked app third > /dev/null
await holds stays 'missed event records'
echo "missed and said so"
kill $client; wait $client 2> /dev/null

echo '== pmcd'
kill $PMCD; wait $PMCD 2> /dev/null
start_pmcd
await has stap.app.one.records
echo "clients $(value stap.app.one.clients)"

echo '== wrong files'
printf 'short' > files/a.events
head -c 8192 files/.app.events > files/cut.events
head -c 200000 /dev/urandom > files/random.events
mkdir files/dir.events
ln -s /etc/passwd files/link.events
mkfifo files/fifo.events
cp files/.app.events files/again.events
sleep 1.5
echo "files $(value stap.control.files) refused $(value stap.control.refused)"
grep -c 'Warning' run/stap.log
sed -n 's/.*Warning: //p' run/stap.log | sort -u
rm -rf files/*.events

echo '== shorter'
watch stap.app.one.records > shorter & client=$!
await is stap.app.one.clients 1
tell app "put 10"
await holds shorter 'param.number'
truncate -s 8192 files/.app.events
await lacks stap.app.one.records
kill $client
echo "pmda alive: $(agent | wc -l), files $(value stap.control.files)"
sed -n 's/.*Warning: .*[/][.]app.events: its/its/p' run/stap.log
kill $PRODUCER_app 2> /dev/null
