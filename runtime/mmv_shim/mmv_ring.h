/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Rings of fixed slots in the pool, one ring a CPU, that overwrite their oldest
 * slot. What a slot's words mean is the caller's business.
 *
 *	mmv_ring_put8(h, word1, n, a..h) one record of n arguments, now; 1, or 0 when
 *					it was not made
 *	mmv_ring_wanted(h)		does anybody listen?
 *	mmv_ring_stage(text)		a text as an argument of the next record
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
#define MMV_STAGE_TEXTS		8u	/* texts of one record */
#define MMV_STAGE_BYTES		256u
#define MMV_STAGE_AREA		(MMV_STAGE_TEXTS * MMV_STAGE_BYTES + MMV_LINE_BYTES)

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

/* The place of the staged texts, MMV_STAGE_AREA bytes a CPU. */
static int mmv_ring_stages(u64 at)
{
	if (at == 0 || !mmv_at(at, mmv_cpu_ids() * MMV_STAGE_AREA, 8))
		return 0;
	MMV_STORE_RELEASE(mmv_rings.stage, at);
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

/* Copies a text and gives back a token for it, valid for the record that this
 * handler puts next: a number that counts staged texts, above the CPU's. 0 when
 * there is no room for texts.
 */
static u64 mmv_ring_stage(const char *text)
{
	u64 area = MMV_LOAD_ACQUIRE(mmv_rings.stage), n, length;
	unsigned char *base, *to;

	if (!area)
		return 0;
	base = mmv_pool.base + area + mmv_cpu() * (u64)MMV_STAGE_AREA;
	n = MMV_LOAD(*(u64 *)base) + 1;
	MMV_STORE(*(u64 *)base, n);
	to = base + MMV_LINE_BYTES + n % MMV_STAGE_TEXTS * MMV_STAGE_BYTES;
	length = strlen(text);
	if (length > MMV_STAGE_BYTES)
		length = MMV_STAGE_BYTES;
	memcpy(to, text, length);
	if (length < MMV_STAGE_BYTES)
		to[length] = '\0';	/* without it, there was more */
	return (u64)(mmv_cpu() + 1) << 40 | (n & 0xffffffff);
}

/* The staged text of a token, or NULL when it is none of the last ones here. */
static const char *mmv_ring_staged(u64 token)
{
	u64 area = MMV_LOAD(mmv_rings.stage), age;
	unsigned char *base;

	if (!area || token >> 40 != (u64)mmv_cpu() + 1)
		return NULL;
	base = mmv_pool.base + area + mmv_cpu() * (u64)MMV_STAGE_AREA;
	age = (MMV_LOAD(*(u64 *)base) - token) & 0xffffffff;
	if (age >= MMV_STAGE_TEXTS || (token >> 32 & 0xff))
		return NULL;
	return (char *)base + MMV_LINE_BYTES + token % MMV_STAGE_TEXTS * MMV_STAGE_BYTES;
}

/* Counts in a word of this CPU's control line: 1 refused, 2 cut. */
static MMV_SLOW int mmv_ring_count(const struct mmv_ring *ring, u32 word)
{
	u64 *control = (u64 *)(mmv_pool.base + ring->control + mmv_cpu() * (u64)MMV_LINE_BYTES);

	MMV_ADD_OWN(&control[word], 1);
	return 0;
}

/* One text into its place in a slot; what the argument's word says of it. */
static u64 mmv_ring_text(const struct mmv_ring *ring, u32 k, u64 *slot, const char *text)
{
	unsigned char *to = (unsigned char *)slot + ring->at[k];
	u64 room = ring->room[k];
	u64 length = strnlen(text, MMV_STAGE_BYTES), cut = 0;

	if (length >= room) {
		length = mmv_text_cut(text, room);
		cut = MMV_RING_CUT;
		mmv_ring_count(ring, 2);
	}
	MMV_COPY_IN(to, text, length);
	MMV_STORE(to[length], '\0');
	return length | cut;
}

/* Arguments among which there are texts; 0 when one of them is no token. */
static noinline int mmv_ring_args(const struct mmv_ring *ring, u64 *slot, u64 a, u64 b, u64 c, u64 d,
				  u64 e, u64 f, u64 g, u64 h)
{
	const u64 args[MMV_RING_ARGS] = { a, b, c, d, e, f, g, h };
	const char *text[MMV_RING_ARGS];
	u32 k;

	for (k = 0; k < ring->args; k++) {
		text[k] = ring->room[k] ? mmv_ring_staged(args[k]) : NULL;
		if (ring->room[k] && !text[k])
			return 0;
	}
	for (k = 0; k < ring->args; k++) {
		u64 word = args[k];

		if (text[k])
			word = mmv_ring_text(ring, k, slot, text[k]);
		MMV_STORE(slot[MMV_RING_HEAD_WORDS + k], word);
	}
	return 1;
}

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
