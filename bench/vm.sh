# SPDX-License-Identifier: GPL-2.0-or-later
# The part of make bench that is about the sets of the VM tapset; sourced by
# scripts/bench, whose functions and variables it uses. For each set, in percent,
# how many more instructions a load takes while it runs; beside that, for the
# sets that run at something frequent, with handlers that do nothing at the same points.
native gcc -O2 -Wall -Wextra -o "$seen/build/bench/vmload" "$seen/testsuite/vm/vmload.c" || exit
cp bench/vm_load.sh build/bench/

vm_loads=build/bench/vm_loads
lab/lab sh "sh $seen/build/bench/vm_load.sh without" > "$vm_loads"
# SystemTap leaves out probes that do nothing at all.
vm_nothing='function nothing() %{ barrier(); %}'
vm_session() {			# NAME PROBES
  lab/lab stap -g -DSTP_NO_OVERLOAD -e "$vm_nothing probe $2 { nothing() }" -c "sh $seen/build/bench/vm_load.sh $1" 2> /dev/null | grep '^load ' >> "$vm_loads"
}
# Trace points "SYSTEM:NAME ..." as probe points.
vm_trace() { printf 'kernel.trace("%s")?, ' $1 | sed 's/, $//'; }

for set in levels counters thp oom reclaim compaction swap writeback faults alloc slab pagecache mmap_lock fault_latency; do
  vm_session $set mmv.vm.$set
done
vm_session all "$(printf 'mmv.vm.%s, ' levels counters thp oom reclaim compaction swap writeback | sed 's/, $//')"
vm_session bare_faults "$(vm_trace 'exceptions:page_fault_user exceptions:page_fault_kernel')"
vm_session bare_alloc "$(vm_trace 'kmem:mm_page_alloc kmem:mm_page_alloc_extfrag vmscan:mm_vmscan_wakeup_kswapd')"
vm_session bare_slab "$(vm_trace 'kmem:kmalloc kmem:kfree kmem:kmem_cache_alloc kmem:kmem_cache_free')"
vm_session bare_pagecache "$(vm_trace 'filemap:mm_filemap_get_pages filemap:mm_filemap_add_to_page_cache filemap:mm_filemap_delete_from_page_cache filemap:mm_filemap_fault')"
vm_session bare_mmap_lock "$(vm_trace 'mmap_lock:mmap_lock_start_locking mmap_lock:mmap_lock_acquire_returned mmap_lock:mmap_lock_released')"
vm_session bare_fault_latency 'kprobe.function("handle_mm_fault"), kprobe.function("handle_mm_fault").return'

awk '
  { load = $2; sub(/.*\./, "", load) }
  $2 ~ /^without\./ { without[load] = $3; printf "bench vm.%s %d instructions\n", $2, $3; next }
  { printf "bench vm.%s %.2f percent\n", $2, 100 * ($3 - without[load]) / without[load] }' "$vm_loads" | line
