/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Reading rings, see drain.h and the protocol in runtime/mmv_shim/mmv_ring.h.
 *
 * Each ring that has something gets a window, a private copy of its next slots.
 * The windows form a heap by the time of their first record.
 */
#include <stdlib.h>
#include <string.h>
#include "drain.h"

#ifdef __SANITIZE_THREAD__
#define READ_BARRIER()	((void)0)	/* a fence is unknown to it */
#else
#define READ_BARRIER()	__atomic_thread_fence(__ATOMIC_ACQUIRE)
#endif

#define WINDOW_BYTES	MMV_EV_MAX_SLOT

struct window {
	uint32_t type, cpu;
	uint32_t ring;			/* index of its position */
	uint64_t end;			/* the head when the drain began */
	uint32_t count, next;		/* slots copied, and the first of them left */
	uint64_t slot[WINDOW_BYTES / 8];
};

static struct window **heap;
static uint32_t heap_room;		/* windows that exist */
static uint32_t heap_count;		/* windows in the heap, at its beginning */

static uint64_t window_time(const struct cursor *c, const struct window *w)
{
	return w->slot[(uint64_t)w->next * c->f->type[w->type].slot / 8];
}

static int is_before(const struct cursor *c, uint32_t a, uint32_t b)
{
	return window_time(c, heap[a]) < window_time(c, heap[b]);
}

static void heap_swap(uint32_t a, uint32_t b)
{
	struct window *w = heap[a];

	heap[a] = heap[b];
	heap[b] = w;
}

static void heap_up(const struct cursor *c, uint32_t i)
{
	while (i > 0 && is_before(c, i, (i - 1) / 2)) {
		heap_swap(i, (i - 1) / 2);
		i = (i - 1) / 2;
	}
}

static void heap_down(const struct cursor *c)
{
	uint32_t i = 0, least;

	for (;;) {
		least = i;
		if (2 * i + 1 < heap_count && is_before(c, 2 * i + 1, least))
			least = 2 * i + 1;
		if (2 * i + 2 < heap_count && is_before(c, 2 * i + 2, least))
			least = 2 * i + 2;
		if (least == i)
			return;
		heap_swap(i, least);
		i = least;
	}
}

/* The window behind those in the heap, or NULL without memory. */
static struct window *window_new(void)
{
	struct window **more;

	if (heap_count < heap_room)
		return heap[heap_count];
	more = realloc(heap, (heap_room + 1) * sizeof(*heap));
	if (!more)
		return NULL;
	heap = more;
	heap[heap_room] = malloc(sizeof(**heap));
	if (!heap[heap_room])
		return NULL;
	return heap[heap_room++];
}

/* Moves a position to where a record is sure to be whole while the head is h,
 * counts what was lost, and returns it. After a lap some more are given up, as
 * the writer would be there at once.
 */
static uint64_t skip_lost(struct cursor *c, const struct evtype *t, uint32_t ring, uint64_t h)
{
	uint64_t lost;

	if (h - c->pos[ring] < t->slots)
		return 0;
	lost = h - c->pos[ring] - (t->slots - 1) + t->slots / 16;
	c->pos[ring] += lost;
	c->missed += lost;
	return lost;
}

/* Copies the next n slots, in two pieces where the ring begins anew. */
static int window_copy(const struct cursor *c, struct window *w, const struct evtype *t, uint64_t from, uint32_t n)
{
	uint32_t first = t->slots - (from & (t->slots - 1));

	if (first > n)
		first = n;
	if (!evfile_copy(c->f, ev_slot(t, w->cpu, from), w->slot, (uint64_t)first * t->slot))
		return 0;
	if (first == n)
		return 1;
	return evfile_copy(c->f, ev_slot(t, w->cpu, from + first), w->slot + (uint64_t)first * t->slot / 8,
			   (uint64_t)(n - first) * t->slot);
}

/* Copies what follows a window's position; some or all of it may turn out to be
 * lost. 0 when the file is corrupt: a head never goes back.
 */
static int window_next(struct cursor *c, struct window *w)
{
	const struct evtype *t = &c->f->type[w->type];
	uint64_t from = c->pos[w->ring], n = WINDOW_BYTES / t->slot, h, lost;

	if (n > w->end - from)
		n = w->end - from;
	if (!window_copy(c, w, t, from, n))
		return 0;
	READ_BARRIER();						/* (R) */
	if (!evfile_load(c->f, ev_line(t, w->cpu), &h) || h < w->end)
		return 0;
	lost = skip_lost(c, t, w->ring, h);
	if (lost < n) {
		w->next = lost;
		w->count = n;
	}
	return 1;
}

/* Fills a window. It stays empty when nothing is left that was there when the
 * drain began. Each turn moves the position towards that end.
 */
static int window_fill(struct cursor *c, struct window *w)
{
	w->count = 0;
	w->next = 0;
	while (w->count == 0 && c->pos[w->ring] < w->end)
		if (!window_next(c, w))
			return 0;
	return 1;
}

/* A window for a ring that has something. */
static int ring_begin(struct cursor *c, uint32_t type, uint32_t cpu)
{
	const struct evtype *t = &c->f->type[type];
	uint32_t ring = (type - c->first) * c->f->cpus + cpu;
	struct window *w;
	uint64_t h;

	if (!evfile_load(c->f, ev_line(t, cpu), &h) || h < c->pos[ring])
		return 0;
	if (h == c->pos[ring])
		return 1;
	skip_lost(c, t, ring, h);
	w = window_new();
	if (!w)
		return 1;		/* the ring's turn comes later */
	w->type = type;
	w->cpu = cpu;
	w->ring = ring;
	w->end = h;
	if (!window_fill(c, w))
		return 0;
	if (w->count) {
		heap_count++;
		heap_up(c, heap_count - 1);
	}
	return 1;
}

static int rings_begin(struct cursor *c)
{
	uint32_t type, cpu;

	heap_count = 0;
	for (type = c->first; type < c->first + c->types; type++)
		for (cpu = 0; cpu < c->f->cpus; cpu++)
			if (!ring_begin(c, type, cpu))
				return 0;
	return 1;
}

/* Hands on what was missed since it was so many. */
static size_t say_missed(const struct cursor *c, const struct sink *sink, uint64_t time, uint64_t before)
{
	if (c->missed == before)
		return 0;
	return sink->missed(sink->arg, time, c->missed - before);
}

/* Goes on behind the first record of the heap. */
static int heap_next(struct cursor *c)
{
	struct window *w = heap[0];

	c->pos[w->ring]++;
	w->next++;
	if (w->next == w->count && !window_fill(c, w))
		return 0;
	if (w->count == 0) {
		heap_count--;
		heap_swap(0, heap_count);
	}
	heap_down(c);
	return 1;
}

int cursor_drain(struct cursor *c, uint32_t records, size_t bytes, const struct sink *sink)
{
	uint64_t before = c->missed, time;
	size_t used;

	if (!rings_begin(c))
		return -1;
	used = say_missed(c, sink, heap_count ? window_time(c, heap[0]) : 0, before);
	while (heap_count && records > 0 && used < bytes) {
		const struct window *w = heap[0];

		before = c->missed;
		time = window_time(c, w);
		used += sink->record(sink->arg, w->type, w->cpu, &w->slot[(uint64_t)w->next * c->f->type[w->type].slot / 8]);
		records--;
		if (!heap_next(c))
			return -1;
		used += say_missed(c, sink, time, before);
	}
	return 0;
}

int cursor_start(struct cursor *c, struct evfile *f, uint32_t first, uint32_t types, int from_zero)
{
	uint32_t i;

	c->pos = calloc((size_t)types * f->cpus, sizeof(*c->pos));
	if (!c->pos)
		return 0;
	c->f = f;
	c->first = first;
	c->types = types;
	c->missed = 0;
	for (i = 0; !from_zero && i < types * f->cpus; i++)
		if (!evfile_load(f, ev_line(&f->type[first + i / f->cpus], i % f->cpus), &c->pos[i]))
			f->over = 1;
	return 1;
}

void cursor_end(struct cursor *c)
{
	free(c->pos);
	c->pos = NULL;
	c->f = NULL;
}

uint64_t cursor_backlog(const struct cursor *c, uint64_t *oldest)
{
	uint64_t h, n, at, time, sum = 0;
	uint32_t i;

	*oldest = 0;
	for (i = 0; i < c->types * c->f->cpus; i++) {
		const struct evtype *t = &c->f->type[c->first + i / c->f->cpus];

		if (!evfile_load(c->f, ev_line(t, i % c->f->cpus), &h) || h <= c->pos[i])
			continue;
		n = h - c->pos[i];
		if (n >= t->slots)
			n = t->slots - 1;
		sum += n;
		at = ev_slot(t, i % c->f->cpus, h - n);
		if (evfile_load(c->f, at, &time) && (*oldest == 0 || time < *oldest))
			*oldest = time;
	}
	return sum;
}
