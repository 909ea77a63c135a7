# SPDX-License-Identifier: GPL-2.0-or-later
# guest.sh SECONDS DIR - the soak itself, where the scripts run; DIR holds
# soak_long.ko and soak_s_shortlived.ko. Prints figures; status 1 when something was
# left or went wrong.
. "$(dirname "$0")/../tools/guest.sh"
seconds=$1 dir=$2
bad=0
say() { echo "soak: $*"; }
fail() { say "WRONG: $*"; bad=1; }
used_kb() { awk '/^(MemTotal|MemFree|Buffers|Cached|SReclaimable):/ { v[$1] = $2 } END { print v["MemTotal:"] - v["MemFree:"] - v["Buffers:"] - v["Cached:"] - v["SReclaimable:"] }' /proc/meminfo; }
# Of a module that is gone the kernel has no names: its addresses are bare.
pools() { grep -cE ' [0-9]+ (0xffffffffc|[^ ]+ \[(soak|stap)_)' /proc/vmallocinfo; }
entries() { ls -d /proc/mmv_* 2>/dev/null | wc -l; }
modules() { lsmod | grep -c -E '^(stap_|soak_)'; }
links() { ls "$MMV_DIR" | grep -c '^soak_'; }
state() { echo "used $(used_kb) kB, pools $(pools), entries $(entries), modules $(modules), links $(links)"; }
wait_for() { until=$(($(date +%s) + 20)); while eval "$1" && [ "$(date +%s)" -lt $until ]; do sleep 0.1; done; }
# What sh starts in the background ignores SIGINT, and so would stapio.
start_long() { env --default-signal=INT staprun "$dir/soak_long.ko" > /tmp/soak.long 2>&1 & wait_for '! [ -e "$MMV_DIR/soak_long" ]'; }
stop_long() { kill -INT "$(pgrep -f 'stapio .*soak_long')"; wait_for 'pgrep -f "stapio .*soak_long" > /dev/null'; }
short=0
one_short() {                           # a life, by one of the ways to end it
  env --default-signal=INT staprun -R "$dir/soak_s_shortlived.ko" > /tmp/soak.short 2>&1 &
  wait_for '! pgrep -f "stapio .*soak_s_" > /dev/null || ! ls -d /proc/systemtap/soak_s_* > /dev/null 2>&1'
  sleep 0.$((short % 7 + 1))
  case $((short % 5)) in
  0) kill -INT $(pgrep -f 'stapio .*soak_s_') ;;
  1) for f in /proc/systemtap/soak_s_*/exit; do echo 1 > "$f"; done ;;
  2) for f in /proc/systemtap/soak_s_*/error; do echo 1 > "$f"; done ;;
  3) kill -KILL $(pgrep -f 'stapio .*soak_s_') ;;
  4) kill -TERM $(pgrep -f 'stapio .*soak_s_') ;;
  esac 2> /dev/null
  wait_for 'pgrep -f "stapio .*soak_s_" > /dev/null'
  # A killed stapio leaves the module, for staprun -L or -d.
  for m in $(lsmod | awk '/^soak_s_/ { print $1 }'); do staprun -d "$m" 2>/dev/null || rmmod "$m" 2>/dev/null; done
  wait_for 'lsmod | grep -q ^soak_s_'
  short=$((short + 1))
}

start_pmcd || exit 1
start_long; one_short; stop_long; one_short   # warm
stop_pmcd; sleep 2
before=$(used_kb)
say "before: $(state)"
dmesg -c > /dev/null

start_pmcd
start_long
pids=
for cpu in 0 1; do taskset -c $cpu nice sh -c 'while :; do :; done' & pids="$pids $!"; done
( while :; do
    pm pminfo -f mmv.soak_long mmv.soak_short mmv.soak_again > /tmp/soak.r1 2>&1; echo >> /tmp/soak.n1
    "$PMDA/mmvdump" "$MMV_DIR/soak_long" > /dev/null 2>> /tmp/soak.e2; echo >> /tmp/soak.n2
  done ) & readers=$!
end=$(($(date +%s) + seconds)) restarts=0 seen=0 next=0
while [ "$(date +%s)" -lt $end ]; do
  one_short
  [ "$(pm pminfo -f mmv.soak_long.switches 2>/dev/null | grep -c value)" = 1 ] && seen=$((seen + 1))
  pgrep -f 'stapio .*soak_long' > /dev/null || { fail "the long script ended"; break; }
  if [ "$(date +%s)" -ge $next ]; then
    stop_pmcd; start_pmcd || { fail "pmcd"; break; }
    restarts=$((restarts + 1)) next=$(($(date +%s) + 20))
    say "$((end - $(date +%s))) s left: $(state)"
  fi
done
kill $readers $pids 2>/dev/null
stop_long
cat /tmp/soak.long
grep -q 'declared anew [1-9].* 0 wrong sums' /tmp/soak.long || fail "the long script did not end well"
grep -E 'ERROR|WARNING: Number' /tmp/soak.long && fail "errors of the long script"
# What SIGKILL left in the directory goes with the next start.
keep=$short short=1; one_short; sleep 2
stop_pmcd; sleep 3
say "short scripts $((keep)), pmcd restarted $restarts times, long script seen by pmcd $seen times, fetches $(wc -l < /tmp/soak.n1), dumps $(wc -l < /tmp/soak.n2)"
say "after: $(state)"
after=$(used_kb)
[ "$seen" -gt 0 ] || fail "pmcd never showed the long script"
[ "$(pools) $(entries) $(modules) $(links)" = "0 0 0 0" ] || fail "something is left"
[ $((after - before)) -lt 16384 ] || fail "$((after - before)) kB more in use than before"
dmesg | grep -E 'WARNING: |BUG: |Oops|Call Trace|soft lockup|rcu.*stall' && fail "the kernel complains"
say "memory $((after - before)) kB more than before"
[ $bad = 0 ] && say "all constant"
exit $bad
