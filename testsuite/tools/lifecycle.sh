# SPDX-License-Identifier: GPL-2.0-or-later
# For the tests lifecycle_*.exp, sourced after guest.sh: sessions started from
# a compiled module, and what is left of them.

# start FILE MODULE.ko OPTIONS: a session in the background, its process in
# $session, its output in $said; returns when its file is linked.
start() {
  wanted=$1; ko=$2; shift 2
  said=/tmp/session.$wanted.$$
  env --default-signal staprun "$@" "$ko" > "$said" 2>&1 &
  session=$!
  await "$wanted"
}

# Tells a session of lifecycle.stp what to do.
tell() { for f in /proc/systemtap/stap_life*/do; do echo "$1" > "$f"; done; }

# Waits for the end of a session, at most 20 s; its status.
ended() {
  tries=0
  while kill -0 "$1" 2> /dev/null && [ $tries -lt 200 ]; do sleep 0.1; tries=$((tries + 1)); done
  [ $tries -lt 200 ] || { echo "process $1 does not end"; kill -9 "$1"; }
  wait "$1" 2> /dev/null
}

# How many of the life module's two allocations there are: 7 MiB of pool with
# its spare page, eight bytes for each 32 and each 1024 of it, and a guard page each.
memory() { grep -cE ' (7348224|1900544) ' /proc/vmallocinfo; }

# Is the metric served? By the running pmcd.
served() { pm pminfo mmv.life.c 2> /dev/null | grep -c '^mmv.life.c$'; }

# What is left when a session is over; the file "other" is somebody else's.
links() { ls "$MMV_DIR" | grep -vc '^other$'; }
left() {
  tries=0
  while [ "$(links)" != 0 ] || [ -n "$(ls -d /proc/mmv_* 2> /dev/null)" ] || [ "$(memory)" != 0 ]; do
    sleep 0.1; tries=$((tries + 1)); [ $tries -lt 50 ] || break
  done
  echo "links $(links) proc $(ls -d /proc/mmv_* 2> /dev/null | wc -l)" \
    "modules $(lsmod | grep -c '^stap_') memory $(memory)"
}

# What the kernel has complained about since the guest booted.
complaints() { echo "complaints $(dmesg | grep -cE 'WARNING: |BUG: |Oops|Call Trace|blocked for more')"; }
