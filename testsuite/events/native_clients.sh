# SPDX-License-Identifier: GPL-2.0-or-later
# Clients of PCP on events of a producer in user space (native.sh).
start_pmcd
cd $EV
produce app 1024

echo '== exact'
: > go
$MMV_BUILT/clients 127.0.0.1:$PORT app 10 > said 2> figures & c=$!
await holds said registered
tell app "both 3000" "rate 300 1" "put 100"
asked app before > /dev/null
tell app "put 1000000" "rate 100 1" "both 2001"
echo "made $(asked app burst)"
rm go
wait $c
cat said figures
await is stap.control.clients 0
echo "clients $(value stap.control.clients)"

echo '== pmevent'
watch stap.app.one.records > all & one=$!
watch -x 'number & 1 && !(text ~ "1$")' stap.app.one.records > some & two=$!
watch stap.app.all.records > each & three=$!
await is stap.app.all.clients 1
await is stap.app.one.clients 3     # who listens to all listens to each
tell app "put 9"
await holds all 'param.number 1005510'
await holds some 'param.number 1005509'
await holds each 'param.event "two"'
kill $one $two $three
wait $one $two $three 2> /dev/null
await is stap.control.clients 0
cat all
echo '== filtered'
cat some
echo '== each'
cat each

echo '== pminfo'
pm pminfo -dtT stap.app.one.param.number stap.app.one.records stap.app.one.count
pm pminfo -m stap.app.one

echo '== filters'
for f in 'number = 3' 'path == "x"' 'text ~ "["' '(id == 1'; do
  pm pmevent -s 1 -x "$f" stap.app.one.records 2>&1
  value stap.control.filter_error
done
await is stap.control.clients 0
watch -x none stap.app.one.records > none & one=$!
await holds none samples
sleep 1
echo "none $(value stap.app.one.clients)"
kill $one
wait $one 2> /dev/null
tail -n 1 none
pm pmstore stap.app.one.count 1 2>&1

echo '== killed'
watch stap.app.one.records > /dev/null & one=$!
watch stap.app.one.records > /dev/null & two=$!
await is stap.app.one.clients 2
tell app "put 5000"
kill -9 $one
await is stap.app.one.clients 1
kill -9 $two
await is stap.app.one.clients 0
echo "clients $(value stap.app.one.clients)"
wait $one $two 2> /dev/null
asked app killed > /dev/null

echo '== python'
cat > group.py <<'PY'
import sys, time
from pcp import pmapi
group = pmapi.fetchgroup(1, "127.0.0.1:" + sys.argv[1])
events = group.extend_event("stap.app.one.records", field="stap.app.one.param.number", maxnum=4096)
group.fetch()
print("registered", flush=True)
numbers = []
for i in range(100):
    group.fetch()
    numbers += [value() for stamp, value in events()]
    if len(numbers) >= 5:
        break
    time.sleep(0.1)
print("python", len(numbers), numbers[-1] - numbers[0])
PY
python3 group.py $PORT > python 2>&1 & one=$!
await holds python registered
tell app "put 5"
wait $one
cat python

echo '== archive'
printf 'log mandatory on 100 msec { stap.app.one.records stap.app.one.count }\n' > logger.conf
rm -f archive.*
pmlogger -h 127.0.0.1:$PORT -c logger.conf -l logger.log archive & logger=$!
await is stap.app.one.clients 1
tell app "put 7"
asked app logged > /dev/null
sleep 1.5
kill $logger
wait $logger
pmdumplog archive 2>&1 | grep -A 12 'event record'
echo '== replay'
pmevent -z -a archive stap.app.one.records 2>&1
