/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The memory of processes: a table with a place for each process whose memory
 * changes.
 *
 * Who does what:
 *	any probe	takes a place for a process that has none, stores its sizes
 *	its last thread	stores the final counts, then marks the place as gone
 *	one timer	shows the places, and frees those that are gone
 * So only the timer frees, and nothing waits. A process that finds no place is
 * counted as lost.
 *
 * Another process's memory cannot be looked at from a handler: it may go at any
 * moment, and what keeps it is a lock. So sizes are stored when they change, by
 * whoever changes them. Fault counts lie in the task, which stays as long as
 * preemption is off, as it is in handlers.
 */
#ifndef MMV_VM_PROCESS_H
#define MMV_VM_PROCESS_H

#include <linux/hash.h>
#include <linux/mm.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/sched/signal.h>
#include "mmv_shim/mmv_shim_linux.h"

#define MMV_VM_PROCESS_BITS	10
#define MMV_VM_PROCESSES	(1 << MMV_VM_PROCESS_BITS)
#define MMV_VM_PROCESS_TRIES	16
#define MMV_VM_PROCESS_AGE	2	/* half seconds before one is shown */
#define MMV_VM_THREADS		1024	/* looked at for the counts of a process */

/* What is shown of a process, in the order of the handles. */
enum {
	MMV_VM_MINFLT, MMV_VM_MAJFLT, MMV_VM_RECLAIMS, MMV_VM_RECLAIM_TIME,
	MMV_VM_RSS, MMV_VM_SWAP, MMV_VM_SIZE, MMV_VM_PROCESS_VALUES
};

static struct mmv_vm_process {
	int pid;			/* 0: nobody's */
	int gone;
	int shown, refused, age;	/* the timer's; age in half seconds */
	u64 handle[MMV_VM_PROCESS_VALUES];
	s64 value[MMV_VM_PROCESS_VALUES];
} mmv_vm_process[MMV_VM_PROCESSES];

static atomic64_t mmv_vm_process_lost;

/* The number of a process's place, or of one that it takes now; -1. */
static int mmv_vm_process_at(int pid, int take)
{
	u32 at = hash_32(pid, MMV_VM_PROCESS_BITS);
	int i;

	for (i = 0; i < MMV_VM_PROCESS_TRIES; i++) {
		u32 place = (at + i) & (MMV_VM_PROCESSES - 1);

		if (READ_ONCE(mmv_vm_process[place].pid) == pid)
			return place;
	}
	for (i = 0; take && i < MMV_VM_PROCESS_TRIES; i++) {
		u32 place = (at + i) & (MMV_VM_PROCESSES - 1);

		if (READ_ONCE(mmv_vm_process[place].pid) == 0 && cmpxchg(&mmv_vm_process[place].pid, 0, pid) == 0)
			return place;
	}
	if (take)
		atomic64_inc(&mmv_vm_process_lost);
	return -1;
}

static s64 mmv_vm_kib_of(struct mm_struct *mm, int counter)
{
	return (s64)get_mm_counter(mm, counter) << (PAGE_SHIFT - 10);
}

/* The sizes of this memory have changed. It is the present process's, or that
 * of one which others take pages from.
 */
static void mmv_vm_process_sizes(struct mm_struct *mm)
{
	struct task_struct *owner = current->mm == mm ? current : NULL;
	struct mmv_vm_process *p;
	int place;

#ifdef CONFIG_MEMCG
	if (!owner)
		owner = READ_ONCE(mm->owner);
#endif
	if (!owner)
		return;
	place = mmv_vm_process_at(owner->tgid, 1);
	if (place < 0)
		return;
	p = &mmv_vm_process[place];
	p->value[MMV_VM_RSS] = mmv_vm_kib_of(mm, MM_ANONPAGES) + mmv_vm_kib_of(mm, MM_FILEPAGES) +
			       mmv_vm_kib_of(mm, MM_SHMEMPAGES);
	p->value[MMV_VM_SWAP] = mmv_vm_kib_of(mm, MM_SWAPENTS);
	p->value[MMV_VM_SIZE] = (s64)mm->total_vm << (PAGE_SHIFT - 10);
}

/* The present process took memory back for so many nanoseconds. */
static void mmv_vm_process_reclaim(s64 took)
{
	int place = mmv_vm_process_at(current->tgid, 1);

	if (place < 0)
		return;
	MMV_ADD64(&mmv_vm_process[place].value[MMV_VM_RECLAIMS], 1);
	MMV_ADD64(&mmv_vm_process[place].value[MMV_VM_RECLAIM_TIME], took);
}

/* Faults of a process: of the threads that are gone, and of those that are not. */
static void mmv_vm_process_faults(struct mmv_vm_process *p, struct task_struct *task)
{
	s64 minor = task->signal->min_flt, major = task->signal->maj_flt;
	struct task_struct *t;
	int n = 0;

	for_each_thread(task, t) {
		minor += t->min_flt;
		major += t->maj_flt;
		if (++n == MMV_VM_THREADS)
			break;
	}
	p->value[MMV_VM_MINFLT] = minor;
	p->value[MMV_VM_MAJFLT] = major;
}

/* The present thread ends. When it is the last one, so does its process. */
static void mmv_vm_process_ends(void)
{
	int place = mmv_vm_process_at(current->tgid, 0);

	if (place < 0 || atomic_read(&current->signal->live) > 0)
		return;
	mmv_vm_process_faults(&mmv_vm_process[place], current);
	smp_store_release(&mmv_vm_process[place].gone, 1);
}

static struct task_struct *mmv_vm_process_task(int place)
{
	struct pid *pid = find_pid_ns(mmv_vm_process[place].pid, &init_pid_ns);

	return pid ? pid_task(pid, PIDTYPE_TGID) : NULL;
}

static void mmv_vm_process_show(int place)
{
	struct mmv_vm_process *p = &mmv_vm_process[place];
	int k;

	for (k = 0; k < MMV_VM_PROCESS_VALUES; k++)
		mmv_set(p->handle[k], p->value[k]);
}

/* Brings the places that are shown up to date, at every fifth call: looking at
 * all threads costs some microseconds. A process that ended unseen is marked as
 * gone.
 */
static void mmv_vm_process_show_all(void)
{
	static int calls;
	int i;

	calls++;
	if (calls % 5)
		return;
	for (i = 0; i < MMV_VM_PROCESSES; i++) {
		struct task_struct *task;

		if (!READ_ONCE(mmv_vm_process[i].pid) || mmv_vm_process[i].gone)
			continue;
		task = mmv_vm_process_task(i);
		if (!task) {
			mmv_vm_process[i].gone = 1;
			continue;
		}
		mmv_vm_process_faults(&mmv_vm_process[i], task);
		mmv_vm_process[i].age++;
		if (mmv_vm_process[i].shown)
			mmv_vm_process_show(i);
	}
}

/* The next place from this one on that is gone, or that is to be shown; -1. Those
 * that live only a moment are not: an instance costs more than they do.
 */
static int mmv_vm_process_next(int from, int gone)
{
	int i;

	for (i = from < 0 ? 0 : from; i < MMV_VM_PROCESSES; i++) {
		struct mmv_vm_process *p = &mmv_vm_process[i];

		if (!READ_ONCE(p->pid) || smp_load_acquire(&p->gone) != gone)
			continue;
		if (gone || (!p->shown && !p->refused && p->age >= MMV_VM_PROCESS_AGE))
			return i;
	}
	return -1;
}

static void mmv_vm_process_free(int place)
{
	struct mmv_vm_process *p = &mmv_vm_process[place];
	int i;

	memset(p->value, 0, sizeof(p->value));
	memset(p->handle, 0, sizeof(p->handle));
	p->gone = p->shown = p->refused = p->age = 0;
	smp_store_release(&p->pid, 0);
	/* There may be room now for those that found none. */
	for (i = 0; i < MMV_VM_PROCESSES; i++)
		mmv_vm_process[i].refused = 0;
}

#endif /* MMV_VM_PROCESS_H */
