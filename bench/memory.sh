#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# memory.sh MODULE.ko: the kernel memory, in kB, that a session of this module
# takes while it runs, as the middle one of three loads. Run in a guest that
# does nothing else.
#
# Counted is what the kernel holds for itself: pages of vmalloc areas (arrays,
# the pool, contexts, relay buffers, the module), slabs, and per-CPU memory.
# Free memory says less, since reading the module's file fills the page cache.
# One load before warms up caches that stay.
kernel_kB() {
  awk '
    FILENAME == "/proc/vmallocinfo" {
      for (i = 3; i <= NF; i++)
        if ($i ~ /^pages=/) sum += 4 * substr($i, 7)
    }
    FILENAME == "/proc/meminfo" && ($1 == "Slab:" || $1 == "Percpu:") { sum += $2 }
    END { print sum }
  ' /proc/vmallocinfo /proc/meminfo
}

one_load() {
  before=$(kernel_kB)
  during=$(staprun "$1" -c "sh $0 kernel" | sed -n 's/^kernel //p')
  tries=0
  while grep -q '^bench_' /proc/modules && [ $tries -lt 100 ]; do
    sleep 0.1
    tries=$((tries + 1))
  done
  sleep 1
  echo $((during - before))
}

# Within the session, when what starts with it has settled.
if [ "$1" = kernel ]; then
  sleep 4
  echo "kernel $(kernel_kB)"
  exit
fi
one_load "$1" > /dev/null
for load in 1 2 3; do one_load "$1"; done | sort -n | sed -n 2p
