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
extern const char *maybe[4];		/* as broken, but accepting is right, too */
extern int nmaybe;

struct file *known(long long reg);
struct metric *metric_named(struct file *f, const char *name);
struct metric *metric_item(struct file *f, long long item);
/* The item of a new metric: the one it had, else one that none has had. */
long long short_item(struct file *f, const char *name, long long type, long long sem, long long units, long long serial);
long long free_item(struct file *f, const char *name, long long type, long long sem, long long units, long long serial);
int same_kind(const struct file *f, const char *name, long long type, long long sem, long long units, long long serial);
int instance_named(struct indom *d, const char *name);	/* by the first word, as PCP does; -1: none */
int instance_id(struct indom *d, long long id);

void rules_file(const char *name, long long cluster, long long flags);
struct file *rules_open(long long reg);
void rules_metric(struct file *f, const char *name, long long item, long long type, long long sem,
		  long long units, long long serial, const char *one, const char *more);
void rules_help(const char *one, const char *more);
void rules_indom(struct file *f, long long serial, const char *one, const char *more, long long room, long long full);
void rules_instance(struct file *f, long long serial, long long id, const char *name);
void rules_label(struct file *f, int kind, long long identity, long long internal, const char *name,
		 const char *json, long long type, long long flags);
void rules_parse(const char *text, long long *units);
void rules_units(const long long *n);
void rules_name(const struct file *f, const char *name);	/* of an instance */
void rules_steps(long long low, long long high, long long width);
void rule(int breaks, const char *piece);
void may(int can, const char *piece);
const char *judge_outcome(const struct fuzz_call *c);
struct value *value_of(long long handle, struct metric **metric);
struct value *rules_find(const struct fuzz_call *c, struct metric **metric);	/* by registry and names */
const char *judge_value(const struct fuzz_call *c);
const char *judge_change(const struct fuzz_call *c);

/* Changes of accepted calls. */
void *grown(void *old, int n, size_t one);	/* room for n + 1, the last one zero */
struct metric *add_metric(struct file *f, const char *name, long long item, long long type, long long sem,
			  long long units, long long serial, const char *one, const char *more);
struct indom *add_indom(struct file *f, long long serial, const char *one, const char *more, long long room, long long full);
void add_instance(struct file *f, struct indom *d, long long id, const char *name);
void see_instance(struct instance *i);
void model_shown(struct file *f);	/* all that waited */
void add_label(struct file *f, int kind, long long identity, long long internal, const char *name,
	       const char *json, long long flags);
struct indom *add_sealed(struct file *f, const char *help, int n);	/* the tapset's own, of n instances */
int label_room(const struct file *f);
const char *accepted_handle(struct value *v, const struct metric *m, long long handle);

#endif
