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
#include "mmv_words.h"

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

/* Numbers of 32 bits are the first four bytes of a value's eight. The order of
 * bytes is known here and nowhere else.
 */
static inline u64 mmv_word_of(u32 narrow)
{
	return MMV_BIG_ENDIAN ? (u64)narrow << 32 : narrow;
}

static inline u32 mmv_narrow_of(u64 word)
{
	return MMV_BIG_ENDIAN ? word >> 32 : word;
}

/* The bits of a float or double as the word that holds them, and back. */
static inline u64 mmv_fp_word(const struct mmv_fp *f, u64 bits)
{
	return f == &mmv_fp32 ? mmv_word_of(bits) : bits;
}

static inline u64 mmv_fp_bits(const struct mmv_fp *f, u64 word)
{
	return f == &mmv_fp32 ? mmv_narrow_of(word) : word;
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
		new = mmv_fp_word(f, mmv_fp_add(f, mmv_fp_bits(f, old), n));
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

static inline int mmv_fits(u64 handle, s64 n)
{
	return mmv_handle_kind(handle) == MMV_KIND_S32 ? n == (s32)n : n == (u32)n;
}

static MMV_SLOW int mmv_set_other(u64 handle, s64 n)
{
	const struct mmv_fp *f = mmv_fp_of(handle);
	u64 word;

	if (mmv_is(handle, MMV_KIND_FLOAT))
		word = mmv_fp_word(f, mmv_fp_integer(f, n));
	else if (mmv_is(handle, MMV_KIND_S32) && mmv_fits(handle, n))
		word = mmv_word_of(n);
	else
		return mmv_refuse();
	/* All 64 bits also of narrow ones: they may hold "no value". */
	MMV_STORE(*(u64 *)mmv_place_of(handle), word);
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
	const struct mmv_fp *f = mmv_fp_of(handle);

	if (!mmv_is(handle, MMV_KIND_FLOAT) || denominator == 0)
		return mmv_refuse();
	MMV_STORE(*(u64 *)mmv_place_of(handle), mmv_fp_word(f, mmv_fp_ratio(f, numerator, denominator)));
	return 1;
}

static inline int mmv_set_double(u64 handle, u64 bits)
{
	if (!mmv_is(handle, MMV_KIND_FLOAT))
		return mmv_refuse();
	if (mmv_handle_kind(handle) != MMV_KIND_DOUBLE)
		bits = mmv_word_of(mmv_fp_convert(&mmv_fp32, &mmv_fp64, bits));
	MMV_STORE(*(u64 *)mmv_place_of(handle), bits);
	return 1;
}

static inline int mmv_get_double(u64 handle, s64 *bits)
{
	u64 word;

	if (!mmv_is(handle, MMV_KIND_FLOAT))
		return mmv_refuse();
	word = MMV_LOAD(*(u64 *)mmv_place_of(handle));
	if (mmv_handle_kind(handle) != MMV_KIND_DOUBLE)
		word = mmv_fp_convert(&mmv_fp64, &mmv_fp32, mmv_narrow_of(word));
	*bits = word;
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

#include "mmv_text.h"
#include "mmv_time.h"

#endif /* MMV_OPS_H */
