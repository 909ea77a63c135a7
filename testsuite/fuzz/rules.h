/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Between the parts of the model.
 */
#ifndef FUZZ_RULES_H
#define FUZZ_RULES_H

#include "model.h"

extern char complaint[4096];
#define WRONG(...) (snprintf(complaint, sizeof(complaint), __VA_ARGS__), complaint)
#define EXPECT(want) do { \
	if (c->result != (long long)(want)) \
		return WRONG("returned %lld, not %lld", c->result, (long long)(want)); \
} while (0)

extern const char *broken[32];		/* pieces of the messages of rules that the call breaks */
extern int nbroken, either;		/* either: refusing is right, too */

struct file *known(long long reg);
struct metric *metric_named(struct file *f, const char *name);
struct metric *metric_item(struct file *f, long long item);
long long free_item(struct file *f);
int instance_named(struct indom *d, const char *name);	/* by the first word, as PCP does; -1: none */
int instance_id(struct indom *d, long long id);

void rules_file(const char *name, long long cluster, long long flags);
struct file *rules_open(long long reg);
void rules_metric(struct file *f, const char *name, long long item, long long type, long long sem,
		  long long units, long long serial, const char *one, const char *more);
void rules_indom(struct file *f, long long serial, const char *one, const char *more, long long room);
void rules_instance(struct file *f, long long serial, long long id, const char *name);
void rules_label(struct file *f, int kind, long long identity, long long internal, const char *name,
		 const char *json, long long type, long long flags);
void rules_parse(const char *text, long long *units);
void rules_units(const long long *n);
void rule(int breaks, const char *piece);
const char *judge_outcome(const struct fuzz_call *c);
struct value *value_of(long long handle, struct metric **metric);
struct value *rules_find(const struct fuzz_call *c, struct metric **metric);	/* by registry and names */
const char *judge_value(const struct fuzz_call *c);

#endif
