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
 */
#ifndef MMV_VM_NAMES_H
#define MMV_VM_NAMES_H

#include <linux/fs.h>
#include <linux/huge_mm.h>
#include <linux/mman.h>
#include <linux/mmzone.h>
#include <linux/swap.h>
#include <linux/vmstat.h>

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

#endif /* MMV_VM_NAMES_H */
