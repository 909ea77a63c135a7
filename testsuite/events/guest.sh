# SPDX-License-Identifier: GPL-2.0-or-later
# For shell commands of the tests of events, sourced where the script runs
# behind testsuite/tools/guest.sh: a real pmcd with the stap PMDA beside pmdammv,
# clients, and files under /tmp/events.
EV=/tmp/events
EV_PMDA=$MMV_BUILT/pmdastap
mkdir -p $EV

# pmcd, with the stap PMDA as a process under user pcp; $1: its options.
start_events() {
  mkdir -p /run/mmv-pmcd
  chown pcp /run/mmv-pmcd
  cp "$EV_PMDA" /run/mmv-pmcd/pmdastap
  printf 'pmcd\t2\tdso\tpmcd_init\t%s/pmcd/pmda_pmcd.so\nmmv\t70\tdso\tmmv_init\t%s/pmda_mmv.so\nstap\t397\tpipe\tbinary\t%s\n' \
    "$PCP_PMDAS_DIR" "$PMDA" "/run/mmv-pmcd/pmdastap -l /run/mmv-pmcd/stap.log -U pcp $1" > /run/mmv-pmcd/conf
  printf 'root {\n    pmcd\n    mmv\t70:*:*\n    stap\t397:*:*\n}\npmcd {\n    numagents 2:0:0\n    agent\n}\npmcd.agent {\n    status 2:4:1\n}\n' > /run/mmv-pmcd/ns
  PMCD_LOCAL=1 pmcd -f -A -i 127.0.0.1 -p $PMCD_PORT -s /run/mmv-pmcd/socket -c /run/mmv-pmcd/conf \
    -n /run/mmv-pmcd/ns -l /run/mmv-pmcd/log -U pcp -H mmvlab > /run/mmv-pmcd/out 2>&1 &
  echo $! > /run/mmv-pmcd/pid
  await_metric stap.control.files
}

# Waits until a metric has a name, 30 s at most.
await_metric() {
  tries=0
  until pm pminfo "$1" > /dev/null 2>&1; do
    tries=$((tries + 1))
    kill -0 "$(cat /run/mmv-pmcd/pid)" 2> /dev/null || tries=1000
    [ $tries -lt 40 ] || { echo "no $1"; cat /run/mmv-pmcd/out /run/mmv-pmcd/log /run/mmv-pmcd/stap.log; return 1; }
    sleep 0.3
  done
}

# Waits until a file has a line that matches; $3: seconds, 30 if not said.
await_line() {
  tries=0
  until grep -qs "$2" "$1"; do
    tries=$((tries + 1))
    [ $tries -lt $((10 * ${3:-30})) ] || { echo "no '$2' in $1"; cat "$1"; return 1; }
    sleep 0.1
  done
}

# Waits until so many clients have registered for an event: await_clients EVENT N.
await_clients() {
  tries=0
  until [ "$(value stap.$1.clients)" = "$2" ]; do
    tries=$((tries + 1))
    [ $tries -lt 100 ] || { echo "stap.$1.clients is $(value stap.$1.clients), not $2"; return 1; }
    sleep 0.1
  done
}

# pmevent, in the background only: $! is its process, and its lines come at once.
watch() { exec stdbuf -oL pmevent -h 127.0.0.1:$PMCD_PORT -t 1 "$@" 2>&1; }

# The one value of a metric.
value() { pm pminfo -f "$1" 2>&1 | sed -n 's/^ *value //p'; }
