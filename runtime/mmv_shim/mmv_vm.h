/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The items of /proc/vmstat, read from the places where the kernel counts.
 *
 * An item's number and even its enum differ between kernels: pgscan_direct is
 * a VM event in Linux 6.12 and a node item in 7.2. A module that uses the
 * wrong enum compiles and reads another counter. So no item is named here.
 * The names come from /proc/vmstat of the running kernel, which is read once,
 * when the module is loaded and may sleep. The file lists one enum after the
 * other, so a line's number says enum and item. Three anchors check that; when
 * one of them is wrong, no item is known and the reason is told.
 *
 * Reading an item takes no lock, does not sleep and does not spin:
 * all_vm_events() would take the CPU hotplug lock, so the CPUs are added here.
 */
#ifndef MMV_VM_H
#define MMV_VM_H

#include <linux/fs.h>
#include <linux/huge_mm.h>
#include <linux/mman.h>
#include <linux/mmzone.h>
#include <linux/swap.h>
#include <linux/vmstat.h>
#include "mmv_shim/mmv_shim_linux.h"

#define MMV_VM_LINES		512
#define MMV_VM_TEXT_BYTES	16384

#ifdef CONFIG_NUMA
#define MMV_VM_NUMA_ITEMS	NR_VM_NUMA_EVENT_ITEMS
#else
#define MMV_VM_NUMA_ITEMS	0
#endif

static struct {
	const char *why;		/* the items are not known because ... */
	int items;
	int numa, node, other, event;	/* number of the first item of each kind */
	u16 name[MMV_VM_LINES];		/* where in the text */
	char text[MMV_VM_TEXT_BYTES];	/* names, each with a NUL */
} mmv_vm = { .why = "/proc/vmstat was not read" };

static const char *mmv_vm_name(int item)
{
	if (item < 0 || item >= mmv_vm.items)
		return "";
	return mmv_vm.text + mmv_vm.name[item];
}

/* The item of this name, -1 when the kernel has none. */
static int mmv_vm_find(const char *name)
{
	int i;

	for (i = 0; i < mmv_vm.items; i++)
		if (strcmp(mmv_vm_name(i), name) == 0)
			return i;
	return -1;
}

/* Splits the text into names. A line is "NAME VALUE". */
static void mmv_vm_split(void)
{
	char *at = mmv_vm.text;

	while (*at && mmv_vm.items < MMV_VM_LINES) {
		char *blank = strchr(at, ' ');
		char *end = blank ? strchr(blank, '\n') : NULL;

		if (!end)
			break;
		*blank = '\0';
		/* Shown for old programs; the kernel does not count it. */
		if (strcmp(at, "nr_unstable") != 0)
			mmv_vm.name[mmv_vm.items++] = at - mmv_vm.text;
		at = end + 1;
	}
}

/* Finds where each enum begins; the reason why that cannot be trusted. */
static const char *mmv_vm_anchor(void)
{
	mmv_vm.numa = NR_VM_ZONE_STAT_ITEMS;
	mmv_vm.node = mmv_vm.numa + MMV_VM_NUMA_ITEMS;
	mmv_vm.other = mmv_vm.node + NR_VM_NODE_STAT_ITEMS;
	mmv_vm.event = mmv_vm.items - NR_VM_EVENT_ITEMS;
	if (mmv_vm.event < mmv_vm.other)
		return "/proc/vmstat has fewer lines than the kernel's headers have items";
	if (strcmp(mmv_vm_name(0), "nr_free_pages") != 0)
		return "/proc/vmstat does not begin with nr_free_pages";
	if (strcmp(mmv_vm_name(mmv_vm.node), "nr_inactive_anon") != 0)
		return "nr_inactive_anon is not where the kernel's headers have it";
	if (strcmp(mmv_vm_name(mmv_vm.event), "pgpgin") != 0)
		return "pgpgin is not where the kernel's headers have it";
	return NULL;
}

/* Reads the names. May sleep. */
static void mmv_vm_learn(void)
{
	struct file *file = filp_open("/proc/vmstat", O_RDONLY, 0);
	size_t got = 0;
	loff_t at = 0;

	if (IS_ERR(file)) {
		mmv_vm.why = "/proc/vmstat cannot be opened";
		return;
	}
	while (got < MMV_VM_TEXT_BYTES - 1) {
		ssize_t n = kernel_read(file, mmv_vm.text + got, MMV_VM_TEXT_BYTES - 1 - got, &at);

		if (n <= 0)
			break;
		got += n;
	}
	filp_close(file, NULL);
	mmv_vm_split();
	mmv_vm.why = mmv_vm_anchor();
	if (mmv_vm.why)
		mmv_vm.items = 0;
}

static u64 mmv_vm_event_cpu(int event, int cpu)
{
	return per_cpu(vm_event_states, cpu).event[event];
}

/* CPUs that are off are counted too: what they had counted stays where it was
 * or was moved to another CPU.
 */
static u64 mmv_vm_event_sum(int event)
{
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += mmv_vm_event_cpu(event, cpu);
	return sum;
}

#ifdef CONFIG_NUMA
static u64 mmv_vm_numa_zone(struct zone *zone, int item)
{
	u64 sum = atomic_long_read(&zone->vm_numa_event[item]);
	int cpu;

	for_each_possible_cpu(cpu)
		sum += per_cpu_ptr(zone->per_cpu_zonestats, cpu)->vm_numa_event[item];
	return sum;
}

static u64 mmv_vm_numa_node(int item, int node)
{
	u64 sum = 0;
	int i;

	for (i = 0; i < MAX_NR_ZONES; i++)
		if (populated_zone(&NODE_DATA(node)->node_zones[i]))
			sum += mmv_vm_numa_zone(&NODE_DATA(node)->node_zones[i], item);
	return sum;
}

static u64 mmv_vm_numa_sum(int item)
{
	u64 sum = 0;
	int node;

	for_each_online_node(node)
		sum += mmv_vm_numa_node(item, node);
	return sum;
}
#else
static u64 mmv_vm_numa_node(int item, int node) { return 0; }
static u64 mmv_vm_numa_sum(int item) { return 0; }
#endif

/* As /proc/vmstat shows it: a sum that is below 0 for a moment is 0. */
static u64 mmv_vm_positive(long n)
{
	return n < 0 ? 0 : n;
}

/* Has it a value that can be read here? The dirty thresholds have none. */
static int mmv_vm_readable(int item)
{
	if (item < 0 || item >= mmv_vm.items)
		return 0;
	return item < mmv_vm.other || item >= mmv_vm.event;
}

/* In the kernel's own unit: pages, or KiB for stacks. */
static u64 mmv_vm_raw(int item)
{
	if (!mmv_vm_readable(item))
		return 0;
	if (item >= mmv_vm.event)
		return mmv_vm_event_sum(item - mmv_vm.event);
	if (item >= mmv_vm.node)
		return mmv_vm_positive(atomic_long_read(&vm_node_stat[item - mmv_vm.node]));
	if (item >= mmv_vm.numa)
		return mmv_vm_numa_sum(item - mmv_vm.numa);
	return mmv_vm_positive(atomic_long_read(&vm_zone_stat[item]));
}

/* What /proc/vmstat divides the raw value by. */
static u64 mmv_vm_divisor(int item)
{
	if (item == mmv_vm.event || item == mmv_vm.event + 1)
		return 2;			/* pgpgin, pgpgout: sectors to KiB */
	if (item >= mmv_vm.node && item < mmv_vm.other && vmstat_item_print_in_thp(item - mmv_vm.node))
		return HPAGE_PMD_NR;
	return 1;
}

static u64 mmv_vm_read(int item)
{
	return div64_u64(mmv_vm_raw(item), mmv_vm_divisor(item));
}

/* VM events only; 0 for others. */
static u64 mmv_vm_read_cpu(int item, int cpu)
{
	if (item < mmv_vm.event || item >= mmv_vm.items || cpu < 0 || cpu >= nr_cpu_ids || !cpu_possible(cpu))
		return 0;
	return div64_u64(mmv_vm_event_cpu(item - mmv_vm.event, cpu), mmv_vm_divisor(item));
}

/* Of the zones of a node. */
static u64 mmv_vm_zones_node(int item, int node)
{
	u64 sum = 0;
	int i;

	for (i = 0; i < MAX_NR_ZONES; i++)
		sum += mmv_vm_positive(atomic_long_read(&NODE_DATA(node)->node_zones[i].vm_stat[item]));
	return sum;
}

/* Everything but VM events; 0 for those. */
static u64 mmv_vm_read_node(int item, int node)
{
	if (item < 0 || item >= mmv_vm.other || node < 0 || node >= MAX_NUMNODES || !node_online(node))
		return 0;
	if (item >= mmv_vm.node)
		return div64_u64(mmv_vm_positive(atomic_long_read(&NODE_DATA(node)->vm_stat[item - mmv_vm.node])),
				 mmv_vm_divisor(item));
	if (item >= mmv_vm.numa)
		return mmv_vm_numa_node(item - mmv_vm.numa, node);
	return mmv_vm_zones_node(item, node);
}

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
