/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A client's place in the rings of some events of a file, and reading on from
 * there. For each ring a position goes up, and each step is either a record
 * handed on or one counted as missed: positions gone through = records handed
 * on + missed, always.
 */
#ifndef DRAIN_H
#define DRAIN_H

#include "evfile.h"

struct cursor {
	struct evfile *f;
	uint32_t first, types;		/* the events */
	uint64_t *pos;			/* of event first + t, CPU c: t * cpus + c */
	uint64_t missed;
};

/* What is done with records. The functions return how many bytes they took of
 * the room; record() returns 0 for one that is not wanted.
 */
struct sink {
	void *arg;
	size_t (*record)(void *arg, uint32_t type, uint32_t cpu, const uint64_t *slot);
	size_t (*missed)(void *arg, uint64_t time, uint64_t n);
};

/* At the present heads, or at 0 for a producer that has just begun. */
int cursor_start(struct cursor *c, struct evfile *f, uint32_t first, uint32_t types, int from_zero);
void cursor_end(struct cursor *c);

/* Hands on what was there when it began, ordered by time, at most so many
 * records (wanted or not) and bytes. -1 when the file is corrupt.
 */
int cursor_drain(struct cursor *c, uint32_t records, size_t bytes, const struct sink *sink);

/* Records that can still be read, and the time of the oldest of them. */
uint64_t cursor_backlog(const struct cursor *c, uint64_t *oldest);

#endif /* DRAIN_H */
