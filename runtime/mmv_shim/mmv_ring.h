/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Rings of fixed slots in the pool, one ring a CPU, that overwrite their oldest
 * slot. What a slot's words mean is the caller's business.
 *
 *	mmv_ring_put8(h, word1, n, a..h) one record of n arguments, now; 1, or 0 when
 *					it was not made
 *	mmv_ring_wanted(h)		does anybody listen?
 *	mmv_ring_stage(text)		a text as an argument of the next record
 *					(mmv_ring_text.h)
 *
 * All three run in any context, NMI included. None waits, takes a lock or
 * calls anything that does. A handler owns its CPU's rings: handlers of one
 * session do not nest, and preemption is off while one runs.
 *
 * Each CPU has a control line whose first word, the head, counts complete
 * records. Record n goes to slot n mod slots.
 *
 *	writer				reader in another process
 *	head is n			load head (acquire)
 *	(W) write barrier		copy slots
 *	store slot n mod slots		(R) read barrier
 *	(S) head = n + 1, release	load head again: h
 *
 * S pairs with the first load: who sees the head sees the records below it. W
 * pairs with R: who copied any word of record n finds h >= n afterwards. So a
 * copy of record k is whole if h < k + slots. No word of the slot itself is
 * needed to tell.
 *
 * Handles are as in mmv_shim.h: an index, flags that the caller may add in bits
 * 8 to 15 (mmv_ring_flags), and a nonce, so no small integer passes for one.
 */
#ifndef MMV_RING_H
#define MMV_RING_H

#define MMV_RINGS		32u	/* one bit each in what listeners want */
#define MMV_RING_ARGS		8u
#define MMV_RING_HEAD_WORDS	2u	/* of a slot: time, word1 */
#define MMV_RING_FLAGS(handle)	((handle) >> 8 & 0xff)
#define MMV_RING_KEY(handle)	((handle) & ~0xff00ULL)
#define MMV_RING_CUT		0x10000u
#define MMV_STAGE_BYTES		256u	/* of a text */

#ifdef __KERNEL__
#define MMV_WRITE_BARRIER()	smp_wmb()
#elif defined(__SANITIZE_THREAD__)
#define MMV_WRITE_BARRIER()	((void)0)	/* a fence is unknown to it */
#else
#define MMV_WRITE_BARRIER()	__atomic_thread_fence(__ATOMIC_RELEASE)
#endif

struct mmv_ring {
	u64 key;			/* the handle without flags, 0: no ring */
	u64 wanted;			/* 1 while somebody listens */
	u64 control;			/* offset of CPU 0's control line */
	u64 slots;			/* offset of CPU 0's slot 0 */
	u64 stride;			/* from a CPU's slot 0 to the next one's */
	u32 bytes;			/* of a slot */
	u32 mask;			/* slots of a CPU less one */
	u32 args;
	u32 ready;			/* 1 once the places above are there */
	u32 texts;			/* how many of the arguments are texts */
	u32 at[MMV_RING_ARGS];		/* place of a text in the slot */
	u32 room[MMV_RING_ARGS];	/* its bytes, NUL included; 0: an integer */
};

static struct {
	struct mmv_ring ring[MMV_RINGS];
	u32 count;
	u64 stage;			/* offset of CPU 0's staged texts, 0: none */
} mmv_rings;

/* A new ring without a place; its handle, or 0 when there are too many. */
static u64 mmv_ring_new(void)
{
	struct mmv_ring *ring;
	u32 i = mmv_rings.count;

	if (i >= MMV_RINGS)
		return 0;
	mmv_rings.count++;
	ring = &mmv_rings.ring[i];
	mmv_pool.nonce = (mmv_pool.nonce * 1664525u + 1013904223u) | 1u;
	ring->key = i | (u64)(mmv_pool.nonce & 0x7fffff) << 40;
	return ring->key;
}

/* The ring behind a handle, or NULL. */
static inline struct mmv_ring *mmv_ring_of(u64 handle)
{
	struct mmv_ring *ring = &mmv_rings.ring[handle & (MMV_RINGS - 1)];

	if (unlikely(MMV_RING_KEY(handle) != ring->key) || unlikely(!ring->key))
		return NULL;
	return ring;
}

/* The same ring with flags for the records that are put with this handle. */
static u64 mmv_ring_flags(u64 handle, u64 flags)
{
	if (!mmv_ring_of(handle) || flags > 0xff)
		return 0;
	return MMV_RING_KEY(handle) | flags << 8;
}

/* Argument k of the next records: an integer if room is 0. Before the place. */
static int mmv_ring_arg(u64 handle, u64 k, u64 at, u64 room)
{
	struct mmv_ring *ring = mmv_ring_of(handle);

	if (!ring || ring->ready || k != ring->args || k >= MMV_RING_ARGS)
		return 0;
	if (at > 0xffff || room > MMV_STAGE_BYTES)
		return 0;
	ring->at[k] = at;
	ring->room[k] = room;
	ring->args++;
	if (room)
		ring->texts++;
	return 1;
}

/* Does every argument lie inside a slot of so many bytes? */
static int mmv_ring_fits(const struct mmv_ring *ring, u64 bytes)
{
	u64 words = (MMV_RING_HEAD_WORDS + ring->args) * 8;
	u32 k;

	if (bytes < words || bytes % 8 || bytes > MMV_PAGE)
		return 0;
	for (k = 0; k < ring->args; k++) {
		if (ring->room[k] == 0)
			continue;
		if (ring->at[k] < words || ring->at[k] + ring->room[k] > bytes)
			return 0;
	}
	return 1;
}

/* Gives a ring its place: from now on records are made. 0 and no change when
 * a part of it is outside of the pool. All bounds are checked here, for every
 * CPU, so that putting a record needs none.
 */
static int mmv_ring_place(u64 handle, u64 control, u64 slots, u64 bytes, u64 count)
{
	struct mmv_ring *ring = mmv_ring_of(handle);
	u64 cpus = mmv_cpu_ids();

	if (!ring || ring->ready || !mmv_ring_fits(ring, bytes))
		return 0;
	if (count == 0 || count > 65536 || (count & (count - 1)))
		return 0;
	if (control == 0 || !mmv_at(control, cpus * MMV_LINE_BYTES, MMV_LINE_BYTES))
		return 0;
	if (slots == 0 || !mmv_at(slots, cpus * count * bytes, 8))
		return 0;
	ring->control = control;
	ring->slots = slots;
	ring->stride = count * bytes;
	ring->bytes = bytes;
	ring->mask = count - 1;
	ring->ready = 1;
	return 1;
}

/* Ring number i is wanted or not; never before it has a place. */
static int mmv_ring_want(u64 i, u64 on)
{
	if (i >= mmv_rings.count || !mmv_rings.ring[i].ready)
		return 0;
	MMV_STORE_RELEASE(mmv_rings.ring[i].wanted, on != 0);
	return 1;
}

/* One load and a compare; the handle is checked when a record is put. */
static inline int mmv_ring_wanted(u64 handle)
{
	return MMV_LOAD(mmv_rings.ring[handle & (MMV_RINGS - 1)].wanted) != 0;
}

/* Counts in a word of this CPU's control line: 1 refused, 2 cut. */
static MMV_SLOW int mmv_ring_count(const struct mmv_ring *ring, u32 word)
{
	u64 *control = (u64 *)(mmv_pool.base + ring->control + mmv_cpu() * (u64)MMV_LINE_BYTES);

	MMV_ADD_OWN(&control[word], 1);
	return 0;
}

#include "mmv_ring_text.h"

/* The first n of the arguments. They come one by one, and n is a constant of
 * the caller, so that what is left of this is a store for each.
 */
static inline void mmv_ring_words(u64 *to, u32 n, u64 a, u64 b, u64 c, u64 d, u64 e, u64 f, u64 g, u64 h)
{
	if (n > 0)
		MMV_STORE(to[0], a);
	if (n > 1)
		MMV_STORE(to[1], b);
	if (n > 2)
		MMV_STORE(to[2], c);
	if (n > 3)
		MMV_STORE(to[3], d);
	if (n > 4)
		MMV_STORE(to[4], e);
	if (n > 5)
		MMV_STORE(to[5], f);
	if (n > 6)
		MMV_STORE(to[6], g);
	if (n > 7)
		MMV_STORE(to[7], h);
}

/* Nobody listens: a load and a branch. A ring is wanted only while it has its
 * place, so that need not be checked.
 */
static inline int mmv_ring_put8(u64 handle, u32 low, u32 n, u64 a, u64 b, u64 c, u64 d, u64 e, u64 f, u64 g, u64 h)
{
	const struct mmv_ring *ring = &mmv_rings.ring[handle & (MMV_RINGS - 1)];
	u64 *head, *slot, number, cpu;

	if (!MMV_LOAD_ACQUIRE(ring->wanted))
		return 0;
	if (unlikely(MMV_RING_KEY(handle) != ring->key))
		return mmv_refuse();
	if (unlikely(n != ring->args))
		return mmv_ring_count(ring, 1);
	cpu = mmv_cpu();
	head = (u64 *)(mmv_pool.base + ring->control + cpu * MMV_LINE_BYTES);
	number = MMV_LOAD(*head);
	slot = (u64 *)(mmv_pool.base + ring->slots + cpu * ring->stride + (number & ring->mask) * ring->bytes);
	MMV_WRITE_BARRIER();					/* (W) */
	MMV_STORE(slot[0], mmv_clock());
	MMV_STORE(slot[1], MMV_RING_FLAGS(handle) << 32 | low);
	if (likely(ring->texts == 0))
		mmv_ring_words(slot + MMV_RING_HEAD_WORDS, n, a, b, c, d, e, f, g, h);
	else if (!mmv_ring_args(ring, slot, a, b, c, d, e, f, g, h))
		return mmv_ring_count(ring, 1);
	MMV_STORE_RELEASE(*head, number + 1);			/* (S) */
	return 1;
}

#endif /* MMV_RING_H */
