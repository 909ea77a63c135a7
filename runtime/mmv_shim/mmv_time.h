/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Intervals. A span cell adds finished microseconds up in its first word; the
 * second is 0, or minus the time of day when the running interval began, from
 * which readers calculate how long it has been running. A timer's cells are
 * nanoseconds and a count, and each interval is its caller's own: it gives back
 * when it began, or leaves that to this CPU, which keeps its last MMV_OPEN.
 *
 * What is added up comes from the monotonic clock, which nobody sets. For a
 * span, whose cell has no room for a second beginning, that is kept in a small
 * table; the few that find their place taken use the time of day, held within
 * the session's age, so that no sum shrinks or jumps when the clock is set.
 */
#ifndef MMV_TIME_H
#define MMV_TIME_H

#define MMV_SPANS	64u
static struct mmv_span {
	u64 handle;			/* whose place this is, 0: nobody's */
	u64 began;			/* by mmv_clock() */
} mmv_span[MMV_SPANS];

static inline struct mmv_span *mmv_span_of(u64 handle)
{
	return &mmv_span[mmv_handle_cell(handle) % MMV_SPANS];
}

/* Keeps when a span began, unless its place is that of another open one. */
static void mmv_keep_span(u64 handle)
{
	struct mmv_span *span = mmv_span_of(handle);
	u64 owner = MMV_LOAD(span->handle);

	if (owner != handle && owner != 0 && mmv_is(owner, MMV_KIND_SPAN))
		return;
	if (owner != handle && !MMV_SWAP64(&span->handle, owner, handle))
		return;
	MMV_STORE(span->began, mmv_clock());
}

/* How many microseconds a span took that began at this time of day. */
static u64 mmv_span_took(u64 handle, s64 began)
{
	struct mmv_span *span = mmv_span_of(handle);
	s64 took = mmv_wall_clock() / 1000 - began;
	s64 most = (mmv_clock() - mmv_pool.began) / 1000;
	u64 from = MMV_LOAD(span->began);

	if (MMV_SWAP64(&span->handle, handle, 0))
		took = (s64)(mmv_clock() - from) / 1000;
	if (took < 0)
		return 0;
	return took < most ? took : most;
}

static s64 mmv_begin_span(u64 handle)
{
	s64 now = mmv_wall_clock() / 1000;

	mmv_keep_span(handle);
	MMV_STORE(((u64 *)mmv_place_of(handle))[1], -now);
	return now;
}

/* Only one of several that end a span adds it. */
static int mmv_end_span(u64 handle)
{
	u64 *cell = mmv_place_of(handle);
	s64 began = MMV_EXCHANGE64(&cell[1], 0);

	if (began >= 0)
		return mmv_refuse();
	MMV_ADD64(cell, mmv_span_took(handle, -began));
	return 1;
}

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

	if (mmv_is(handle, MMV_KIND_SPAN))
		return mmv_begin_span(handle);
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
	u32 i, k = 0;

	if (mmv_is(handle, MMV_KIND_SPAN))
		return mmv_end_span(handle);
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

#endif /* MMV_TIME_H */
