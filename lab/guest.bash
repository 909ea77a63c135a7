# SPDX-License-Identifier: GPL-2.0-or-later
# Talking to a running guest; sourced by lab/lab on the machine and by
# lab/staprun in the chroot. $run names the guest's directory as the machine
# sees it (so it stands in QEMU's command line), $shared as we see it.

qemu_alive() {      # our own QEMU only: its command line names our directory
  local pid
  pid=$(cat "$shared/pid" 2>/dev/null) && grep -qsF "$run/" "/proc/$pid/cmdline"
}

guest_dead() {      # 0 and a reason on stderr when the guest cannot answer
  if ! qemu_alive; then say "the guest is gone"; return 0; fi
  local age=$(( $(date +%s) - $(stat -c %Y "$shared/beat" 2>/dev/null || stat -c %Y "$shared/pid") ))
  [ $age -gt 25 ] || return 1
  say "the guest has not stirred for $age s"
}

show_console() {
  cp "$shared/console.log" "$run.console" 2>/dev/null && say "console log kept in $run.console"
  say "the console ends:"
  tail -n 40 "$shared/console.log" >&2
}

# Runs the script on stdin in the guest; its output, its status. Signals that
# reach us go on to the command's process group over there.
guest_request() {
  local dir req i=0
  dir=$(mktemp -d "$shared/req/XXXXXX") || die "no guest"
  req=${dir##*/}
  cat > "$dir/cmd"
  : > "$dir/out"
  : > "$dir/err"
  printf '%s\n' "$req" 1<> "$shared/port.in"
  trap 'forward INT' INT
  trap 'forward TERM' TERM
  trap 'forward HUP' HUP
  trap 'forward QUIT' QUIT
  forward() {
    [ -s "$dir/pid" ] && guest_signal "$1" "$(cat "$dir/pid")"
  }
  guest_signal() {
    local s
    s=$(mktemp -d "$shared/req/XXXXXX") || return
    printf 'kill -%s -- -%s; rm -rf /lab/req/%s\n' "$1" "$2" "${s##*/}" > "$s/cmd"
    printf '%s\n' "${s##*/}" 1<> "$shared/port.in"
  }
  { trap '' INT TERM HUP QUIT
    # Nobody may be left to hold our output open when we are killed.
    while [ -d "$dir" ] && [ ! -e "$dir/rc" ] && kill -0 $$ 2>/dev/null; do
      sleep 0.05
      if [ $((++i % 60)) = 0 ] && guest_dead; then
        show_console
        echo 124 > "$dir/rc"
      fi
    done; } &
  local waiter=$!
  (trap '' INT TERM HUP QUIT; exec tail -q -c +1 -s 0.05 --pid=$waiter -f "$dir/err" >&2 2>/dev/null) &
  local t1=$!
  (trap '' INT TERM HUP QUIT; exec tail -q -c +1 -s 0.05 --pid=$waiter -f "$dir/out" 2>/dev/null) &
  local t2=$!
  while kill -0 $waiter 2>/dev/null; do wait $waiter; done
  while kill -0 $t1 2>/dev/null; do wait $t1; done
  while kill -0 $t2 2>/dev/null; do wait $t2; done
  local rc
  rc=$(cat "$dir/rc" 2>/dev/null || echo 124)
  rm -rf "$dir"
  return "$rc"
}
