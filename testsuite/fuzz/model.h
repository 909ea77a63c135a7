/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What has been declared and set so far, as docs/rules.md and the functions'
 * descriptions have it.
 */
#ifndef FUZZ_MODEL_H
#define FUZZ_MODEL_H

#include <stdint.h>
#include "wire.h"

enum {
	FILES = 16, MAX_METRICS = 1023, MAX_INDOMS = 128, MAX_LABELS = 255, MAX_VALUES = 5184,
	T_NOSUPPORT = -1, T_I32, T_U32, T_I64, T_U64, T_FLOAT, T_DOUBLE, T_STRING, T_ELAPSED = 9,
	NOPREFIX = 1, PROCESS = 2, SENTINEL = 4,
	SHOWN = 256,			/* texts written while readers see an earlier one */
};

struct value {
	long long handle;		/* 0: never looked up */
	int kind;			/* of the handle, enum kind */
	int loose;			/* depends on clocks: not compared */
	uint64_t bits;
	char text[256];
	uint64_t shown[SHOWN];		/* hashes of earlier texts: readers may see one a little longer */
	unsigned texts;
};

enum kind { K_NONE, K_INT, K_FLOAT, K_TEXT, K_SPAN, K_TIMER, K_CPU };

struct instance { long long id; unsigned long seen; char name[256]; };

struct indom {
	long long serial, room;
	long long handle;		/* from mmv_indom or mmv_lookup_indom, 0: none yet */
	long long full, refused;
	int places;			/* if it grows */
	int used;			/* places that somebody has been in */
	int sealed;			/* the tapset's own: instances stay */
	int steps;			/* buckets of a histogram: with these bounds, or width 0 */
	long long low, high, width;
	int count;
	struct instance *instance;
	char called[256];		/* by mmv_indom */
	char help[2][256];
};

/* A metric that was removed: what belongs to its item for ever. */
struct past { char name[256]; long long item, type, sem, units, serial; };

struct metric {
	char name[256], help[2][256];
	long long item, type, sem, units, serial;
	long long observe;		/* handle of a histogram */
	int count;			/* values: one, or one for each instance */
	struct value *value;
};

struct label { int kind; long long identity, internal; int optional; char name[256], json[256]; };

struct file {
	int used, live;
	int held, unshown;		/* in a batch, with something removed in it */
	int slots, dead, dying;		/* label records; of what was removed; in this batch */
	char name[64];
	long long cluster, flags, version;
	long long cpus;			/* serial of the CPUs' indom, or 0 */
	int spare, no_health;		/* records behind a per-CPU counter's, to be taken */
	int indoms, metrics, labels, values;
	struct indom indom[MAX_INDOMS];
	struct metric *metric;
	int pasts;
	struct past *past;		/* the last removed last */
	struct label label[MAX_LABELS];
};

extern struct file file[FILES + 1];	/* by registry, 1.. */
extern long long easy;			/* what mmv_file returned last */
extern int cpus;			/* of this machine */
extern long tight;			/* bytes of a small pool: "no room" may come at any time */

/* Judges a call's outcome and takes over what it changed; NULL or what is wrong. */
const char *model_judge(const struct fuzz_call *c);
const char *model_call_name(long long code);
void model_no_health(struct file *f, const char *name);	/* there was no room for it */
struct indom *model_indom(struct file *f, long long serial);
struct indom *model_by_handle(long long handle, struct file **f);	/* of mmv_instance and the like */
long long model_metric_id(const struct file *f, const struct metric *m);	/* of mmv_value */
uint64_t text_hash(const char *text);
int same_number(long long type, uint64_t a, uint64_t b);	/* NaN is NaN */
int utf8_clean(const char *s);		/* well-formed, no control characters */

#endif
