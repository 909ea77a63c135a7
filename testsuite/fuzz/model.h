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
	FILES = 16, MAX_METRICS = 1023, MAX_INDOMS = 128, MAX_LABELS = 255, MAX_VALUES = 4096,
	T_NOSUPPORT = -1, T_I32, T_U32, T_I64, T_U64, T_FLOAT, T_DOUBLE, T_STRING, T_ELAPSED = 9,
	NOPREFIX = 1, PROCESS = 2, SENTINEL = 4,
};

struct value {
	long long handle;		/* 0: never looked up */
	int kind;			/* of the handle, enum kind */
	int loose;			/* depends on clocks: not compared */
	uint64_t bits;
	char text[256];
	uint64_t shown[16];		/* hashes of earlier texts: readers may see one a little longer */
	unsigned texts;
};

enum kind { K_NONE, K_INT, K_FLOAT, K_TEXT, K_SPAN, K_TIMER, K_CPU };

struct instance { long long id; char name[256]; };

struct indom {
	long long serial, room;
	int count;
	struct instance *instance;
	char help[2][256];
};

struct metric {
	char name[256], help[2][256];
	long long item, type, sem, units, serial;
	int count;			/* values: one, or one for each instance */
	struct value *value;
};

struct label { int kind; long long identity, internal; int optional; char name[256], json[256]; };

struct file {
	int used, live;
	char name[64];
	long long cluster, flags, version;
	long long cpus;			/* serial of the CPUs' indom, or 0 */
	int spare, no_health;		/* records behind a per-CPU counter's, to be taken */
	int indoms, metrics, labels, values;
	struct indom indom[MAX_INDOMS];
	struct metric *metric;
	struct label label[MAX_LABELS];
};

extern struct file file[FILES + 1];	/* by registry, 1.. */
extern long long easy;			/* what mmv_file returned last */
extern int cpus;			/* of this machine */
extern int tight;			/* a small pool: "no room" may come at any time */

/* Judges a call's outcome and takes over what it changed; NULL or what is wrong. */
const char *model_judge(const struct fuzz_call *c);
const char *model_call_name(long long code);
struct indom *model_indom(struct file *f, long long serial);
uint64_t text_hash(const char *text);
int same_number(long long type, uint64_t a, uint64_t b);	/* NaN is NaN */
int utf8_clean(const char *s);		/* well-formed, no control characters */

#endif
