# SPDX-License-Identifier: GPL-2.0-or-later
# For shell commands of tests that need no guest, sourced first: a real pmcd with
# the stap PMDA, at the machine's own speed, reading files of testsuite/events/
# produce.c. MMV_BUILT names the directory of the programs. Everything else is
# under /tmp/events, which ends with the shell.
export PATH=$PATH:/usr/sbin:/sbin:/usr/lib/pcp/bin:/usr/libexec/pcp/bin
. /etc/pcp.conf
export PCP_TMP_DIR PCP_PYTHON_PROG=/usr/bin/python3
EV=/tmp/events
PORT=${EV_PORT:-15321}
mkdir -p $EV/files $EV/run
chmod 755 $EV $EV/files
chown pcp $EV/run

pm() { c=$1; shift; "$c" -h 127.0.0.1:$PORT "$@"; }
# pmevent, in the background only: $! is its process, and its lines come at once.
watch() { exec stdbuf -oL pmevent -h 127.0.0.1:$PORT -t 0.1 "$@" 2>&1; }
value() { pm pminfo -f "$1" 2>&1 | sed -n 's/^ *value //p'; }

# Waits until a command succeeds, 20 s at most: await COMMAND ...
await() {
  tries=0
  until "$@" > /dev/null 2>&1; do
    tries=$((tries + 1))
    [ $tries -lt 200 ] || { echo "never: $*"; return 1; }
    sleep 0.1
  done
}
is() { [ "$(value "$1")" = "$2" ]; }
has() { pm pminfo "$1"; }
lacks() { ! pm pminfo "$1"; }
holds() { grep -qs "$2" "$1"; }

start_pmcd() {
  cp $MMV_BUILT/pmdastap $EV/run/pmdastap
  printf 'pmcd\t2\tdso\tpmcd_init\t%s/pmcd/pmda_pmcd.so\nstap\t397\tpipe\tbinary\t%s\n' "$PCP_PMDAS_DIR" \
    "$EV/run/pmdastap -l $EV/run/stap.log -U pcp -r $EV/files" > $EV/run/conf
  printf 'root {\n    pmcd\n    stap\t397:*:*\n}\npmcd {\n    numagents\t2:0:0\n}\n' > $EV/run/ns
  PMCD_LOCAL=1 pmcd -f -A -i 127.0.0.1 -p $PORT -s $EV/run/socket -c $EV/run/conf -n $EV/run/ns \
    -l $EV/run/log -U pcp -H mmvlab > $EV/run/out 2>&1 &
  PMCD=$!
  await has stap.control.files || { cat $EV/run/out $EV/run/log $EV/run/stap.log; exit 1; }
}
stop_pmcd() { kill $PMCD; wait $PMCD 2> /dev/null; }

# A producer: produce NAME SLOTS; commands go to its fifo with tell NAME TEXT.
produce() {
  [ -p $EV/$1 ] || mkfifo $EV/$1
  $MMV_BUILT/produce $EV/files/.$1.events $1 $2 < $EV/$1 > $EV/$1.said &
  PRODUCER=$!
  eval "PRODUCER_$1=$!"
  sleep 600 > $EV/$1 & KEEP="$KEEP $!"
  eval "KEEP_$1=$!"
  await has stap.$1.one.records
}
tell() { name=$1; shift; printf '%s\n' "$@" > $EV/$name; }
# Until the producer has done all it was told; prints how many records it made.
asked() { tell $1 "say $2"; await holds $EV/$1.said "^$2 "; sed -n "s/^$2 //p" $EV/$1.said; }
end_produce() { tell $1 end; eval "kill \$KEEP_$1; wait \$PRODUCER_$1"; }
finish() { kill $KEEP $PMCD 2> /dev/null; wait 2> /dev/null; }
trap finish EXIT
