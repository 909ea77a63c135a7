/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The values of the items of /proc/vmstat: of all CPUs and nodes, of one CPU, of
 * one node.
 *
 * Reading an item takes no lock, does not sleep and does not spin:
 * all_vm_events() would take the CPU hotplug lock, so the CPUs are added here.
 */
#ifndef MMV_VM_ITEMS_H
#define MMV_VM_ITEMS_H

#include "mmv_shim/mmv_vm_names.h"

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

#endif /* MMV_VM_ITEMS_H */
