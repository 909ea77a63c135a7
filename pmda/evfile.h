/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * An event file of a stap session as this program knows it: everything here is
 * a checked copy. The mapping itself is foreign memory that changes at any
 * time, so it is read through evfile_copy() and evfile_load() only, each word
 * once, and every number is checked after it was copied.
 */
#ifndef EVFILE_H
#define EVFILE_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include "layout.h"

/* Types of parameters, as MMV_TYPE_*. */
enum { EV_I32 = 0, EV_U32 = 1, EV_I64 = 2, EV_U64 = 3, EV_DOUBLE = 5, EV_STRING = 6 };
/* Flags of a record are those of PCP's events. */
enum { EV_POINT = 1, EV_START = 2, EV_END = 4, EV_ID = 8, EV_PARENT = 16 };

struct evparam {
	char name[MMV_EV_NAME_BYTES];
	uint32_t type, sem, units;
	uint32_t at, room;		/* of a text in the slot */
	char help[MMV_EV_HELP_BYTES];
	uint32_t pmid;			/* names.c gives it */
};

struct evtype {
	char name[MMV_EV_NAME_BYTES];
	char help[MMV_EV_HELP_BYTES];
	uint32_t number;		/* its bit in what the producer is told */
	uint32_t params;
	uint32_t slot, slots;		/* bytes of one, how many in a ring */
	uint64_t control, ring;		/* places of CPU 0 */
	struct evparam param[MMV_EV_MAX_PARAMS];
	uint32_t cluster;		/* names.c gives it */
};

struct evfile {
	char path[PATH_MAX];
	char name[MMV_EV_NAME_BYTES];
	char module[MMV_EV_NAME_BYTES];
	const unsigned char *map;
	uint64_t bytes;
	uint64_t generation;
	int64_t offset;			/* wall clock less monotonic clock, ns */
	uint32_t pid;
	uint32_t cpus, types;
	int control;			/* the producer wants to be told */
	int memory;			/* of the kernel, not a file on a disk */
	int over;			/* its producer has ended */
	int corrupt;			/* nothing more is read from it */
	unsigned users;			/* the list of files, and cursors */
	struct evtype *type;
};

/* Maps and checks a file. NULL, and why, when it is no event file or wrong;
 * why is "" when it is simply something else.
 */
struct evfile *evfile_open(const char *path, char *why, size_t size);
/* The same for memory that is mapped already. */
struct evfile *evfile_check(const unsigned char *map, uint64_t bytes, char *why, size_t size);
void evfile_close(struct evfile *f);

/* Is it the same start of the same producer, and does that live? Sets over. */
void evfile_look(struct evfile *f);

/* Survives files that become shorter; evfile_check() does it. */
void evfile_guard(void);

/* Copies bytes, a multiple of 8 at a multiple of 8. 0 when they are not there. */
int evfile_copy(const struct evfile *f, uint64_t at, void *to, uint64_t bytes);
/* Loads a word; what was stored before it is seen by later copies. */
int evfile_load(const struct evfile *f, uint64_t at, uint64_t *word);

/* Sum over CPUs and events of a word of the control lines. */
uint64_t evfile_sum(const struct evfile *f, uint32_t first, uint32_t types, uint32_t word);

static inline uint64_t ev_line(const struct evtype *t, uint32_t cpu)
{
	return t->control + (uint64_t)cpu * MMV_EV_LINE;
}

static inline uint64_t ev_slot(const struct evtype *t, uint32_t cpu, uint64_t n)
{
	return t->ring + ((uint64_t)cpu * t->slots + (n & (t->slots - 1))) * t->slot;
}

#endif /* EVFILE_H */
