/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Intervals that a thread begins in one probe and ends in another: how many
 * there were, how long they took together and at most, and a histogram.
 *
 * A place of the table belongs to one thread and one kind of interval. Only
 * that thread touches it, so beginning takes one compare-and-swap and ending
 * one store. Nothing waits: when a thread's places are all taken, the interval
 * is not measured and is counted as lost.
 *
 *	mmv_vm_begin(handle, keep)	the thread begins one; keep: unless it has;
 *					1 when one was begun
 *	mmv_vm_end(handle, silent)	it ends; nanoseconds, or -1 without a begin,
 *					which is counted unless silent
 *
 * Any context; a few loads, and three or four atomic adds at the end. A handle is
 * the number of a kind and, as in mmv_shim.h, a nonce; anything else is refused.
 */
#ifndef MMV_VM_TIME_H
#define MMV_VM_TIME_H

#include <linux/hash.h>
#include <linux/sched.h>
#include "mmv_shim/mmv_shim_linux.h"

#define MMV_VM_KINDS		32	/* of intervals */
#define MMV_VM_PLACES_BITS	11
#define MMV_VM_PLACES		(1 << MMV_VM_PLACES_BITS)
#define MMV_VM_TRIES		16	/* places a thread may have */

static struct {
	u64 owner;			/* kind and thread, 0: nobody's */
	u64 began;
} mmv_vm_place[MMV_VM_PLACES];

static struct {
	u64 handle;			/* of this kind, 0 before it is declared */
	u64 count, time, histogram;	/* handles of its metrics */
	u64 max;			/* the longest one, nanoseconds */
	atomic64_t unpaired;		/* ends without a begin, begins without an end */
	atomic64_t lost;		/* not measured, no place */
} mmv_vm_kind[MMV_VM_KINDS];

/* Once the metrics are there: from now on intervals of this kind are measured. */
static u64 mmv_vm_declare_kind(int kind, u64 count, u64 time, u64 histogram)
{
	mmv_vm_kind[kind].count = count;
	mmv_vm_kind[kind].time = time;
	mmv_vm_kind[kind].histogram = histogram;
	smp_store_release(&mmv_vm_kind[kind].handle, kind | mmv_nonce() << 40);
	return mmv_vm_kind[kind].handle;
}

/* The kind behind a handle, or 0. */
static int mmv_vm_kind_of(u64 handle)
{
	int kind = handle & (MMV_VM_KINDS - 1);

	if (handle == 0 || smp_load_acquire(&mmv_vm_kind[kind].handle) != handle)
		return mmv_refuse();
	return kind;
}

static u64 mmv_vm_owner(int kind)
{
	return (u64)(kind + 1) << 32 | (u32)current->pid;
}

/* The number of the owner's place, -1 for none. */
static int mmv_vm_place_of(u64 owner)
{
	u32 at = hash_64(owner, MMV_VM_PLACES_BITS);
	int i;

	for (i = 0; i < MMV_VM_TRIES; i++) {
		u32 place = (at + i) & (MMV_VM_PLACES - 1);

		if (READ_ONCE(mmv_vm_place[place].owner) == owner)
			return place;
	}
	return -1;
}

/* Takes a place that is nobody's; its number, -1 when all are taken. */
static int mmv_vm_place_take(u64 owner)
{
	u32 at = hash_64(owner, MMV_VM_PLACES_BITS);
	int i;

	for (i = 0; i < MMV_VM_TRIES; i++) {
		u32 place = (at + i) & (MMV_VM_PLACES - 1);

		if (READ_ONCE(mmv_vm_place[place].owner) == 0 &&
		    cmpxchg(&mmv_vm_place[place].owner, 0, owner) == 0)
			return place;
	}
	return -1;
}

static int mmv_vm_begin_kind(int kind, int keep)
{
	u64 owner = mmv_vm_owner(kind);
	int place = mmv_vm_place_of(owner);

	if (place >= 0 && keep)
		return 0;
	if (place >= 0)
		atomic64_inc(&mmv_vm_kind[kind].unpaired);
	else
		place = mmv_vm_place_take(owner);
	if (place < 0) {
		atomic64_inc(&mmv_vm_kind[kind].lost);
		return 0;
	}
	mmv_vm_place[place].began = mmv_clock();
	return 1;
}

/* Two CPUs may both find that theirs is the longest: then both try again, a few
 * times at most.
 */
static void mmv_vm_note_max(int kind, u64 took)
{
	u64 max = READ_ONCE(mmv_vm_kind[kind].max);
	int i;

	for (i = 0; i < 8 && took > max; i++)
		max = cmpxchg(&mmv_vm_kind[kind].max, max, took);
}

static void mmv_vm_note(int kind, u64 took)
{
	mmv_vm_note_max(kind, took);
	if (kind == 0)
		return;				/* that of mmv_vm_calibrate */
	mmv_inc(mmv_vm_kind[kind].count);
	mmv_add(mmv_vm_kind[kind].time, took);
	mmv_observe(mmv_vm_kind[kind].histogram, took);
}

static s64 mmv_vm_end_kind(int kind, int silent)
{
	int place = mmv_vm_place_of(mmv_vm_owner(kind));
	s64 took;

	if (place < 0) {
		if (!silent)
			atomic64_inc(&mmv_vm_kind[kind].unpaired);
		return -1;
	}
	took = (s64)(mmv_clock() - mmv_vm_place[place].began);
	WRITE_ONCE(mmv_vm_place[place].owner, 0);
	if (took < 0)
		took = 0;
	mmv_vm_note(kind, took);
	return took;
}

static int mmv_vm_begin(u64 handle, int keep)
{
	int kind = mmv_vm_kind_of(handle);

	return kind ? mmv_vm_begin_kind(kind, keep) : 0;
}

static s64 mmv_vm_end(u64 handle, int silent)
{
	int kind = mmv_vm_kind_of(handle);

	return kind ? mmv_vm_end_kind(kind, silent) : -1;
}

/* What a begin and an end cost together, nanoseconds: the average of so many
 * without anything between. Kind 0 is for this. The thread is that of a begin
 * probe.
 */
static u64 mmv_vm_calibrate(int times)
{
	u64 from = mmv_clock();
	int i;

	for (i = 0; i < times; i++) {
		mmv_vm_begin_kind(0, 0);
		mmv_vm_end_kind(0, 0);
	}
	return div_u64(mmv_clock() - from, times);
}

#endif /* MMV_VM_TIME_H */
