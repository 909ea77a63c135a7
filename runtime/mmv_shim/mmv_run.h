/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Several cells behind one handle: a run of cells with a 64-bit word each that
 * follow each other. Entry points as in mmv_ops.h:
 *
 *	mmv_observe(h, n)	count the sample n		histogram
 *
 * The handle is that of one more cell, which says where they are, so that each
 * of them may be open by itself too.
 *
 * The cells of a histogram are picked by a sample: by its size, cell 0 if it
 * is negative, else the cell after the number of its bits; by steps, cell 0
 * below `low`, then one cell for each width. What lies beyond picks the last.
 */
#ifndef MMV_RUN_H
#define MMV_RUN_H

struct mmv_run {
	u64 offset, count;		/* of the cells; inside the pool */
	s64 low;
	u64 width;			/* 0: by size */
};

/* The handle of a run of `count` cells from the offset `first` to `last`,
 * described at `offset`; 0 unless they follow each other inside the pool.
 */
static u64 mmv_run_open(u64 offset, unsigned kind, u64 first, u64 last, u64 count,
			s64 low, u64 width)
{
	struct mmv_run *run = mmv_at(offset, sizeof(*run), MMV_CELL_BYTES);

	if (!run || count == 0 || count > mmv_pool.cells || last != first + (count - 1) * MMV_CELL_BYTES ||
	    !mmv_at(first, count * MMV_CELL_BYTES, MMV_CELL_BYTES))
		return 0;
	run->offset = first;
	run->count = count;
	run->low = low;
	run->width = width;
	return mmv_cell_open(offset, kind);
}

/* The run behind a handle, or NULL. */
static inline const struct mmv_run *mmv_run(u64 handle, unsigned kind)
{
	return likely(mmv_is(handle, kind)) ? mmv_cell_at(mmv_handle_cell(handle)) : NULL;
}

/* Cell i, less than count, of a run. */
static inline u64 *mmv_run_cell(const struct mmv_run *run, u64 i)
{
	return (u64 *)(mmv_pool.base + run->offset + i * MMV_CELL_BYTES);
}

static inline u64 mmv_run_pick(const struct mmv_run *run, s64 n)
{
	u64 i = n < run->low ? 0 : 1 + (run->width ? MMV_DIVIDE((u64)n - (u64)run->low, run->width)
						   : (u64)MMV_BITS((u64)n));

	return i < run->count ? i : run->count - 1;
}

static inline int mmv_observe(u64 handle, s64 n)
{
	const struct mmv_run *run = mmv_run(handle, MMV_KIND_HISTOGRAM);

	if (unlikely(!run))
		return mmv_refuse();
	MMV_ADD64(mmv_run_cell(run, mmv_run_pick(run, n)), 1);
	return 1;
}

/* Is this the handle of such a run? */
static int mmv_run_is(u64 handle, unsigned kind, u64 count, s64 low, u64 width)
{
	const struct mmv_run *run = mmv_run(handle, kind);

	return (run && run->count == count && run->low == low && run->width == width) || mmv_refuse();
}

/* Sets cell i of a run. */
static int mmv_run_set(u64 handle, unsigned kind, u64 i, u64 word)
{
	const struct mmv_run *run = mmv_run(handle, kind);

	if (!run || i >= run->count)
		return mmv_refuse();
	MMV_STORE(*mmv_run_cell(run, i), word);
	return 1;
}

#endif /* MMV_RUN_H */
