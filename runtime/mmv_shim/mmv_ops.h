/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What a handler does with a cell, through its handle. The tapset's own
 * functions are one call each of these, and they are the entry points for
 * embedded C of scripts and other tapsets (examples/c_helper.stp):
 *
 *	%{ #include "mmv_shim/mmv_shim_linux.h" %}
 *	function note:long(h:long, n:long) %{ STAP_RETURN(mmv_add(STAP_ARG_h, STAP_ARG_n)); %}
 *
 *	mmv_inc(h)		add 1		integer, float, double
 *	mmv_add(h, n)		add n		integer, float, double
 *	mmv_set(h, n)		set		the same
 *	mmv_get(h, &n)		read		integer, timer; the sum of a per-CPU one
 *	mmv_set_ratio(h, a, b)	set to a / b	float, double
 *	mmv_set_double(h, bits)	set		float, double, from a double's bits
 *	mmv_get_double(h, &bits) read		float, double
 *	mmv_add_cpu(h, n)	add n to this CPU's part of a per-CPU one
 *	mmv_set_text(h, text)	mmv_get_text(h, buffer, size)	text
 *	mmv_begin(h)		start an interval; returns when it began
 *	mmv_end(h)		end the one that this CPU started last
 *	mmv_end_since(h, began)	end the one that began then
 *
 * All return 1, or 0 when refused: not the handle of an open cell of such a
 * kind, or a number out of the range of its 32 bits. A refused update changes
 * nothing but mmv_pool.refused. (mmv_begin returns 0 then; time is never 0.)
 * All run in any context, NMI included, on any number of CPUs at once, with
 * preemption off, as all handlers do; none waits, sleeps or takes a lock.
 */
#ifndef MMV_OPS_H
#define MMV_OPS_H

#include "mmv_fp.h"

static MMV_SLOW int mmv_refuse(void)
{
	MMV_ADD64(&mmv_pool.refused, 1);
	return 0;
}

static inline const struct mmv_fp *mmv_fp_of(u64 handle)
{
	return mmv_handle_kind(handle) == MMV_KIND_DOUBLE ? &mmv_fp64 : &mmv_fp32;
}

static inline void *mmv_place_of(u64 handle)
{
	return mmv_cell_at(mmv_handle_cell(handle));
}

/* What is not 64 bits wide. */
static MMV_SLOW int mmv_add_other(u64 handle, s64 n)
{
	const struct mmv_fp *f = mmv_fp_of(handle);
	u64 *place = mmv_place_of(handle), old, new;

	if (mmv_is(handle, MMV_KIND_S32)) {
		MMV_ADD32(place, n);
		return 1;
	}
	if (!mmv_is(handle, MMV_KIND_FLOAT))
		return mmv_refuse();
	do {			/* numbers of two CPUs are both added */
		old = MMV_LOAD(*place);
		new = mmv_fp_add(f, f == &mmv_fp32 ? (u32)old : old, n);
	} while (!MMV_SWAP64(place, old, new));
	return 1;
}

static inline int mmv_inc(u64 handle)
{
	if (unlikely(!mmv_is(handle, MMV_KIND_S64)))
		return mmv_add_other(handle, 1);
	MMV_ADD64(mmv_cell_at((u32)handle), 1);
	return 1;
}

static inline int mmv_add(u64 handle, s64 n)
{
	if (unlikely(!mmv_is(handle, MMV_KIND_S64)))
		return mmv_add_other(handle, n);
	MMV_ADD64(mmv_cell_at((u32)handle), n);
	return 1;
}

static MMV_SLOW int mmv_set_other(u64 handle, s64 n)
{
	if (mmv_is(handle, MMV_KIND_FLOAT)) {
		n = mmv_fp_integer(mmv_fp_of(handle), n);
	} else {
		if (!mmv_is(handle, MMV_KIND_S32) ||
		    (mmv_handle_kind(handle) == MMV_KIND_S32 ? n != (s32)n : n != (u32)n))
			return mmv_refuse();
		n = MMV_BIG_ENDIAN ? n << 32 : (u32)n;
	}
	/* All 64 bits also of narrow ones: they may hold "no value". */
	MMV_STORE(*(u64 *)mmv_place_of(handle), n);
	return 1;
}

static inline int mmv_set(u64 handle, s64 n)
{
	if (unlikely(!mmv_is(handle, MMV_KIND_S64)))
		return mmv_set_other(handle, n);
	MMV_STORE(*(u64 *)mmv_cell_at((u32)handle), (u64)n);
	return 1;
}

/* 32 bits, a timer's time, or the sum of a per-CPU cell, each part read at its
 * own moment.
 */
static MMV_SLOW int mmv_get_other(u64 handle, s64 *n)
{
	void *place = mmv_place_of(handle);
	unsigned cpu;
	u64 sum = 0;

	if (mmv_is(handle, MMV_KIND_S32)) {
		u32 now = MMV_LOAD(*(u32 *)place);

		*n = mmv_handle_kind(handle) == MMV_KIND_S32 ? (s64)(s32)now : (s64)now;
		return 1;
	}
	if (mmv_is(handle, MMV_KIND_TIMER)) {
		*n = MMV_LOAD(*(u64 *)place);
		return 1;
	}
	if (!mmv_is(handle, MMV_KIND_CPU))
		return mmv_refuse();
	for (cpu = 0; cpu < mmv_cpu_ids(); cpu++)
		if (mmv_cpu_possible(cpu))
			sum += MMV_LOAD(*(u64 *)(place + cpu * MMV_LINE_BYTES));
	*n = sum;
	return 1;
}

static inline int mmv_get(u64 handle, s64 *n)
{
	if (unlikely(!mmv_is(handle, MMV_KIND_S64)))
		return mmv_get_other(handle, n);
	*n = MMV_LOAD(*(u64 *)mmv_cell_at((u32)handle));
	return 1;
}

static inline int mmv_set_ratio(u64 handle, s64 numerator, s64 denominator)
{
	if (!mmv_is(handle, MMV_KIND_FLOAT) || denominator == 0)
		return mmv_refuse();
	MMV_STORE(*(u64 *)mmv_place_of(handle), mmv_fp_ratio(mmv_fp_of(handle), numerator, denominator));
	return 1;
}

static inline int mmv_set_double(u64 handle, u64 bits)
{
	if (!mmv_is(handle, MMV_KIND_FLOAT))
		return mmv_refuse();
	MMV_STORE(*(u64 *)mmv_place_of(handle), mmv_handle_kind(handle) == MMV_KIND_DOUBLE ? bits
		  : mmv_fp_convert(&mmv_fp32, &mmv_fp64, bits));
	return 1;
}

static inline int mmv_get_double(u64 handle, s64 *bits)
{
	u64 now;

	if (!mmv_is(handle, MMV_KIND_FLOAT))
		return mmv_refuse();
	now = MMV_LOAD(*(u64 *)mmv_place_of(handle));
	*bits = mmv_handle_kind(handle) == MMV_KIND_DOUBLE ? now
		: mmv_fp_convert(&mmv_fp64, &mmv_fp32, (u32)now);
	return 1;
}

/* A plain add: nobody else writes this CPU's part, handlers do not nest. */
static inline int mmv_add_cpu(u64 handle, s64 n)
{
	if (unlikely(!mmv_is(handle, MMV_KIND_CPU)))
		return mmv_refuse();
	MMV_ADD_OWN(mmv_base_here() + (u64)((u32)handle ^ MMV_CLASS(MMV_KIND_CPU)) * MMV_CELL_BYTES, n);
	return 1;
}

/*
 * Texts. Four slots of the same size side by side, and elsewhere a word that
 * tells readers, as a distance from an origin, which of the first two counts.
 * The others are the writers'. What belongs to a text stands in the handle
 * table behind the handle, where the slots' own cells have their entries.
 *
 * Writing: `state` is a number of the writing (from bit 2), its slot (bit 1)
 * and whether it is under way (bit 0). A writer that finds another under way
 * drops its text, which the other's follows anyhow; so nobody waits, and two
 * are never in one slot.
 *
 * Showing: a reader in another process takes its time, and a slot must not
 * change under it. So one that is left stays as it is for MMV_QUIET ticks of
 * the clock: what was written is shown at once, or, after a change within that
 * time, by mmv_show_texts(), which somebody calls every now and then.
 */
#define MMV_SLOTS	4u
struct mmv_text {
	u64 handle;
	u64 word;		/* place of the readers' word */
	u64 origin;
	u64 bytes;		/* of one slot */
	u64 state;
	u64 shown;		/* number of the writing that readers see */
	u64 turned;		/* tick of that, 0: never */
	u64 busy;		/* somebody is at it */
};

/* Opened anew, what readers see is what was written last. */
static void mmv_text_init(struct mmv_text *text, u64 slots, u64 bytes, u64 word, u64 origin)
{
	u64 seen = MMV_LOAD(*(u64 *)(mmv_pool.base + word)) + origin;

	MMV_STORE(text->word, word);
	MMV_STORE(text->origin, origin);
	MMV_STORE(text->bytes, bytes);
	MMV_STORE(text->state, 0);
	if (seen == slots || seen == slots + bytes)
		mmv_load_text(seen, bytes, (char *)mmv_pool.base + slots + 2 * bytes, bytes);
}

static u64 mmv_text_open(u64 slots, u64 bytes, u64 word, u64 origin)
{
	u64 handle, size = MMV_SLOTS * bytes;
	struct mmv_text *text;

	/* All of one size, each at a multiple of its own. */
	if (bytes > MMV_PAGE || size / MMV_CELL_BYTES * sizeof(u64) < sizeof(*text) ||
	    (MMV_LOAD(mmv_pool.text_bytes) && MMV_LOAD(mmv_pool.text_bytes) != size) || origin > slots || slots == 0 ||
	    !mmv_at(slots, size, MMV_CELL_BYTES) || slots % size || !mmv_at(word, 8, 8))
		return 0;
	MMV_STORE(mmv_pool.text_bytes, size);
	text = (struct mmv_text *)&mmv_pool.handles[slots / MMV_CELL_BYTES];
	handle = MMV_LOAD(text->handle);
	if (handle)
		return handle;
	mmv_opening();
	handle = MMV_LOAD(text->handle);
	if (!handle) {
		mmv_text_init(text, slots, bytes, word, origin);
		handle = mmv_cell_make(slots, MMV_KIND_TEXT);
	}
	mmv_opened();
	return handle;
}

/* The text behind a handle, and a copy of where it is. Opening stores that
 * before the handle (E); closing, which may happen any time, clears the handle
 * first (D): with the handle there before (F) and after (G), the copy is good.
 */
static inline struct mmv_text *mmv_text_of(u64 handle, struct mmv_text *copy)
{
	struct mmv_text *text;

	if (!mmv_is(handle, MMV_KIND_TEXT))
		return NULL;
	text = (struct mmv_text *)&mmv_pool.handles[mmv_handle_cell(handle)];
	if (MMV_LOAD_ACQUIRE(text->handle) != handle)		/* (F) */
		return NULL;
	copy->word = MMV_LOAD_ACQUIRE(text->word);
	copy->origin = MMV_LOAD_ACQUIRE(text->origin);
	copy->bytes = MMV_LOAD_ACQUIRE(text->bytes);
	return MMV_LOAD(text->handle) == handle ? text : NULL;	/* (G) */
}

static inline u64 mmv_text_slots(u64 handle)
{
	return (u64)mmv_handle_cell(handle) * MMV_CELL_BYTES;
}

/* What was written last, into `size` bytes; the number of the writing, or -1.
 * Reads again when the slot may have been written meanwhile: by the second
 * writing begun since, or by the first when one was under way already.
 */
static s64 mmv_copy_text(struct mmv_text *text, const struct mmv_text *is, u64 slots, char *to, u64 size)
{
	u64 before, slot, begun;
	int tries = 0;

	do {
		if (tries++ == 1000)
			return -1;
		before = MMV_LOAD_ACQUIRE(text->state);
		slot = 2 + ((before >> 1 ^ before) & 1);
		mmv_load_text(slots + slot * is->bytes, is->bytes, to, size);
		MMV_READ_BARRIER();
		begun = (MMV_LOAD(text->state) >> 2) - (before >> 2);
	} while (begun + (before & 1) > 1);
	return (before >> 2) - (before & 1);
}

/* Shows readers what was written last, unless it is too early. */
static void mmv_show_text(struct mmv_text *text, const struct mmv_text *is, u64 handle, u64 tick)
{
	u64 slots = mmv_text_slots(handle), spare, turned = MMV_LOAD(text->turned);
	u64 *word = (u64 *)(mmv_pool.base + is->word);
	s64 number;

	if ((turned && tick - turned < MMV_QUIET) || MMV_LOAD(text->shown) == MMV_LOAD(text->state) >> 2 ||
	    MMV_EXCHANGE64(&text->busy, 1))
		return;
	turned = MMV_LOAD(text->turned);
	if (!turned || tick - turned >= MMV_QUIET) {
		spare = slots + (MMV_LOAD(*word) + is->origin == slots ? is->bytes : 0);
		number = mmv_copy_text(text, is, slots, (char *)mmv_pool.base + spare, is->bytes);
		if (number >= 0 && MMV_LOAD(text->handle) == handle) {
			MMV_STORE_RELEASE(*word, spare - is->origin);
			MMV_STORE(text->turned, tick ? tick : 1);
			MMV_STORE(text->shown, number);
		}
	}
	MMV_STORE_RELEASE(text->busy, 0);
}

/* Shows what waits in these bytes of the pool; at once if nobody reads there. */
static void mmv_show_texts(u64 offset, u64 bytes, int unread)
{
	u64 i, handle, step = MMV_LOAD(mmv_pool.text_bytes), tick = mmv_tick();
	struct mmv_text *text, is;

	if (!step || !mmv_at(offset, bytes, 1))
		return;
	for (i = offset; i + step <= offset + bytes; i += step) {
		handle = MMV_LOAD(mmv_pool.handles[i / MMV_CELL_BYTES]);
		text = handle ? mmv_text_of(handle, &is) : NULL;
		if (!text)
			continue;
		if (unread)
			MMV_STORE(text->turned, 0);
		mmv_show_text(text, &is, handle, tick);
	}
}

/* How much of a longer text is kept: up to where a UTF-8 character begins. */
static u64 mmv_text_cut(const char *from, u64 bytes)
{
	u64 n = bytes - 1;

	while (n > 0 && ((unsigned char)from[n] & 0xc0) == 0x80)
		n--;
	return n ? n : bytes - 1;
}

static int mmv_set_text(u64 handle, const char *from)
{
	struct mmv_text *text, is;
	unsigned char *to;
	u64 n, old, mine;

	text = mmv_text_of(handle, &is);
	if (!text)
		return mmv_refuse();
	do {
		old = MMV_LOAD_ACQUIRE(text->state);
		if (old & 1)
			return 1;
		mine = ((old >> 2) + 1) << 2 | (~old & 2) | 1;
	} while (!MMV_SWAP64(&text->state, old, mine));

	n = strnlen(from, is.bytes);
	if (unlikely(n == is.bytes)) {
		n = mmv_text_cut(from, is.bytes);
		MMV_ADD64(&mmv_pool.cut, 1);
	}
	to = mmv_pool.base + mmv_text_slots(handle) + (2 + (mine >> 1 & 1)) * is.bytes;
	MMV_COPY_IN(to, from, n);
	MMV_STORE(to[n], '\0');
	MMV_STORE_RELEASE(text->state, mine & ~1ULL);
	mmv_show_text(text, &is, handle, mmv_tick());
	return 1;
}

static int mmv_get_text(u64 handle, char *to, u64 size)
{
	struct mmv_text *text, is;

	text = mmv_text_of(handle, &is);
	if (!text || size == 0)
		return mmv_refuse();
	return mmv_copy_text(text, &is, mmv_text_slots(handle), to, size) >= 0;
}

/*
 * Intervals. A span cell adds finished microseconds up in its first word; the
 * second is 0, or minus the time of day when the running interval began. A
 * timer's cells are nanoseconds and a count, and each interval is its caller's
 * own: it gives back when it began, or leaves that to this CPU, which keeps
 * its last MMV_OPEN.
 */
static inline int mmv_end_since(u64 handle, s64 began)
{
	s64 took = (s64)mmv_clock() - began;
	u64 *cell;

	if (unlikely(!mmv_is(handle, MMV_KIND_TIMER) || began <= 0 || took < 0))
		return mmv_refuse();
	cell = mmv_place_of(handle);
	MMV_ADD64(cell, took);
	MMV_ADD64(cell + MMV_CELL_BYTES / sizeof(*cell), 1);
	return 1;
}

static s64 mmv_begin(u64 handle)
{
	struct mmv_open *open;
	s64 now;

	if (mmv_is(handle, MMV_KIND_SPAN)) {
		now = mmv_wall_clock() / 1000;
		MMV_STORE(((u64 *)mmv_place_of(handle))[1], -now);
		return now;
	}
	if (!mmv_is(handle, MMV_KIND_TIMER))
		return mmv_refuse();
	now = mmv_clock();
	open = mmv_open();
	open->count++;
	open->handle[open->count % MMV_OPEN] = handle;
	open->began[open->count % MMV_OPEN] = now;
	return now;
}

static int mmv_end(u64 handle)
{
	struct mmv_open *open;
	s64 began;
	u32 i, k;

	if (mmv_is(handle, MMV_KIND_SPAN)) {
		u64 *cell = mmv_place_of(handle);

		/* Only one of several that end it adds it. */
		began = MMV_EXCHANGE64(&cell[1], 0);
		if (began >= 0)
			return mmv_refuse();
		MMV_ADD64(cell, mmv_wall_clock() / 1000 + began);
		return 1;
	}
	if (!mmv_is(handle, MMV_KIND_TIMER))
		return mmv_refuse();
	open = mmv_open();
	for (i = 0; i < MMV_OPEN; i++) {
		k = (open->count - i) % MMV_OPEN;
		if (open->handle[k] == handle)
			break;
	}
	if (i == MMV_OPEN)
		return mmv_refuse();
	began = open->began[k];
	open->handle[k] = 0;
	if (i == 0)
		open->count--;
	return mmv_end_since(handle, began);
}

#endif /* MMV_OPS_H */
