# SPDX-License-Identifier: GPL-2.0-or-later
# For shell commands of the VM tests, sourced after testsuite/tools/guest.sh:
# swap, a device to write to, a control group, and the kernel's own figures.
# What vm_begin sets up vm_end takes away.
GROUP=/tmp/vm_group

vm_begin() {
  trap give_back EXIT
  modprobe zram num_devices=2 2> /dev/null
  [ -e /sys/block/zram1 ] || cat /sys/class/zram-control/hot_add > /dev/null
  swapoff /dev/zram0 2> /dev/null
  echo 1 > /sys/block/zram0/reset
  echo 1 > /sys/block/zram1/reset
  echo 256M > /sys/block/zram0/disksize
  echo 256M > /sys/block/zram1/disksize
  mkswap /dev/zram0 > /dev/null
  swapon /dev/zram0
  mkdir -p $GROUP
  mountpoint -q $GROUP || mount -t cgroup2 none $GROUP
  echo +memory > $GROUP/cgroup.subtree_control
  mkdir -p $GROUP/small
}
vm_end() {
  rmdir $GROUP/small
  umount $GROUP
  swapoff /dev/zram0
  echo 1 > /sys/block/zram0/reset
  echo 1 > /sys/block/zram1/reset
  give_back
}

# Runs a command in a control group with so much memory: limited BYTES COMMAND...
limited() {
  echo "$1" > $GROUP/small/memory.max
  shift
  sh -c 'echo $$ > '$GROUP'/small/cgroup.procs; exec "$@"' sh "$@"
}

# Leaves so many Mbyte of memory for others. Most is taken away in blocks, as from
# a machine that loses memory, the rest as huge pages that nobody uses. Huge pages
# alone would do, but the kernel clears them, which takes an emulated CPU long.
free_mb() { awk '$1 == "MemFree:" { print int($2 / 1024) }' /proc/meminfo; }
leave() {
  for block in /sys/devices/system/memory/memory*; do
    [ "$(free_mb)" -gt $(($1 + 128)) ] || break
    echo offline 2> /dev/null > $block/state
  done
  echo $((($(free_mb) - $1) / 2)) > /proc/sys/vm/nr_hugepages
}
give_back() {
  echo 0 > /proc/sys/vm/nr_hugepages
  for block in /sys/devices/system/memory/memory*; do
    [ "$(cat $block/state)" = online ] || echo online > $block/state
  done
}

# One value by name, and the sum of those whose names begin so.
vmstat_of() { awk -v n="$1" '$1 == n { print $2 }' /proc/vmstat; }
vmstat_sum() { awk -v n="$1" 'index($1, n) == 1 { s += $2 } END { print s + 0 }' /proc/vmstat; }
# Longer than two periods of the timers that copy counters.
settle() { sleep 0.4; }

# The kernel's own histograms of trace points, another way to count the same:
# count_begin EVENT..., count_show EVENT (hits and a sum), count_end EVENT...
TRACING=/sys/kernel/tracing/events
count_begin() { for e; do echo "hist:keys=common_cpu" > $TRACING/${e%:*}/${e#*:}/trigger; done; }
count_end() { for e; do echo "!hist:keys=common_cpu" > $TRACING/${e%:*}/${e#*:}/trigger; done; }
count_show() {
  for e; do
    echo "$e $(sed -n 's/^ *Hits: *//p' $TRACING/${e%:*}/${e#*:}/hist)"
  done
}
