/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What the sets of the VM tapset copy into their metrics: items of /proc/vmstat
 * and some levels that are no items.
 */
#ifndef MMV_VM_H
#define MMV_VM_H

#include "mmv_shim/mmv_shim_linux.h"
#include "mmv_shim/mmv_vm_items.h"

/* Metrics that copy an item: of all CPUs and nodes, of one CPU, or of one node.
 * The list only grows, at the session's start, before the timer that walks it.
 */
#define MMV_VM_COPIES		4096

static struct {
	u64 handle;
	s16 item, cpu, node;		/* cpu and node: -1 for all */
	s16 kib;			/* 1: pages as KiB */
} mmv_vm_copy[MMV_VM_COPIES];
static int mmv_vm_copies;

/* Adds one; 0 when there is no room. */
static int mmv_vm_copy_add(u64 handle, int item, int cpu, int node, int kib)
{
	if (mmv_vm_copies == MMV_VM_COPIES || !mmv_vm_readable(item))
		return 0;
	mmv_vm_copy[mmv_vm_copies].handle = handle;
	mmv_vm_copy[mmv_vm_copies].item = item;
	mmv_vm_copy[mmv_vm_copies].cpu = cpu;
	mmv_vm_copy[mmv_vm_copies].node = node;
	mmv_vm_copy[mmv_vm_copies].kib = kib;
	mmv_vm_copies++;
	return 1;
}

static u64 mmv_vm_copy_value(int i)
{
	int item = mmv_vm_copy[i].item;
	u64 value;

	if (mmv_vm_copy[i].cpu >= 0)
		return mmv_vm_read_cpu(item, mmv_vm_copy[i].cpu);
	if (mmv_vm_copy[i].node >= 0)
		value = mmv_vm_read_node(item, mmv_vm_copy[i].node);
	else
		value = mmv_vm_read(item);
	if (!mmv_vm_copy[i].kib)
		return value;
	return value * mmv_vm_divisor(item) << (PAGE_SHIFT - 10);
}

static void mmv_vm_copy_all(void)
{
	int i;

	for (i = 0; i < mmv_vm_copies; i++)
		mmv_set(mmv_vm_copy[i].handle, mmv_vm_copy_value(i));
}

/* Levels that are no items, in KiB. Two are left out because the kernel takes a
 * lock for them: Buffers (si_meminfo) and Committed_AS (vm_memory_committed).
 */
enum { MMV_VM_TOTAL, MMV_VM_AVAILABLE, MMV_VM_SWAP_FREE };

static u64 mmv_vm_pages(int what)
{
	if (what == MMV_VM_AVAILABLE)
		return mmv_vm_positive(si_mem_available());
	if (what == MMV_VM_SWAP_FREE)
		return mmv_vm_positive(get_nr_swap_pages());
	return totalram_pages();
}

static u64 mmv_vm_level(int what)
{
	return mmv_vm_pages(what) << (PAGE_SHIFT - 10);
}

/* Runs mmv_vm_learn() when the module is loaded: the translator's function of
 * the first name, or what the shim has made of it, is called by one of ours.
 */
static int mmv_vm_inner_init(void);
static int systemtap_kernel_module_init(void)
{
	mmv_vm_learn();
	return mmv_vm_inner_init();
}
#undef systemtap_kernel_module_init
#define systemtap_kernel_module_init mmv_vm_inner_init

#endif /* MMV_VM_H */
