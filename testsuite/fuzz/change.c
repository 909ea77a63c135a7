/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The model's part for what changes in a file once it is declared: metrics and
 * instances that go, other names and help, batches, instances by name and what
 * makes room for them, histograms.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "rules.h"

struct indom *model_by_handle(long long handle, struct file **f)
{
	for (struct file *o = file + 1; o <= file + FILES; o++)
		for (int i = 0; o->used && i < o->indoms; i++)
			if (o->indom[i].handle == handle && handle) {
				*f = o;
				return &o->indom[i];
			}
	return NULL;
}

long long model_metric_id(const struct file *f, const struct metric *m)	/* MMV_ID */
{
	return (f - file) << 16 | m->item;
}

/* What was removed can be used again once that has been shown. */
static void removed(struct file *f)
{
	f->unshown |= f->live && f->held;
}

static void drop_labels(struct file *f, int kind, long long identity, long long internal)
{
	int n = 0;

	for (int i = 0; i < f->labels; i++)
		if (f->label[i].kind == kind && f->label[i].identity == identity && f->label[i].internal == internal)
			*(f->live && f->held ? &f->dying : &f->dead) += 1;
		else
			f->label[n++] = f->label[i];
	f->labels = n;
}

static void remove_metric(struct file *f, struct metric *m)
{
	int n = 0;

	for (int i = 0; i < f->pasts; i++)	/* it is the last one of its name */
		if (f->past[i].item != m->item)
			f->past[n++] = f->past[i];
	f->past = grown(f->past, n, sizeof(*f->past));
	strcpy(f->past[n].name, m->name);
	f->past[n].item = m->item;
	f->past[n].type = m->type;
	f->past[n].sem = m->sem;
	f->past[n].units = m->units;
	f->past[n].serial = m->serial;
	f->pasts = n + 1;
	drop_labels(f, 16, m->item, -1);
	free(m->value);
	memmove(m, m + 1, (char *)&f->metric[f->metrics--] - (char *)(m + 1));
	removed(f);
}

static void remove_instance(struct file *f, struct indom *d, int k)
{
	drop_labels(f, 32, d->serial, d->instance[k].id);
	memmove(&d->instance[k], &d->instance[k + 1], (--d->count - k) * sizeof(*d->instance));
	for (struct metric *m = f->metric; m < f->metric + f->metrics; m++)
		if (m->serial == d->serial)
			memmove(&m->value[k], &m->value[k + 1], (--m->count - k) * sizeof(*m->value));
	removed(f);
}

static int longest_unseen(const struct indom *d)
{
	int k = 0;

	for (int i = 1; i < d->count; i++)
		if (d->instance[i].seen < d->instance[k].seen)
			k = i;
	return k;
}

static const char *judge_help(const struct fuzz_call *c)
{
	struct file *f = rules_open(c->n[0]);
	struct metric *m = f && c->code == METRIC_HELP ? metric_item(f, c->n[1]) : NULL;
	struct indom *d = f && c->code == INDOM_HELP ? model_indom(f, c->n[1]) : NULL;
	const char *wrong;

	rule(f && !m && !d, "is not declared");
	rules_help(c->s[0], c->s[1]);
	if ((wrong = judge_outcome(c)) || c->outcome != FUZZ_ACCEPTED)
		return wrong;
	strcpy(m ? m->help[0] : d->help[0], c->s[0]);
	strcpy(m ? m->help[1] : d->help[1], c->s[1]);
	return NULL;
}

/* An instance that is removed or renamed, by file, serial and id. */
static const char *judge_instance_of(const struct fuzz_call *c)
{
	struct file *f = rules_open(c->n[0]);
	struct indom *d = f ? model_indom(f, c->n[1]) : NULL;
	int k = d ? instance_id(d, c->n[2]) : -1, other;
	const char *wrong;

	rule(f && !d, "is not declared");
	rule(d && k < 0, "has no instance");
	rule(d && d->sealed, "are those of CPUs or buckets, they stay");
	if (c->code == RENAME_INSTANCE) {
		rules_name(f, c->s[0]);
		other = d && *c->s[0] ? instance_named(d, c->s[0]) : -1;
		rule(other >= 0 && other != k, "is there already, up to its first blank");
	}
	if ((wrong = judge_outcome(c)) || c->outcome != FUZZ_ACCEPTED)
		return wrong;
	if (c->code == RENAME_INSTANCE)
		strcpy(d->instance[k].name, c->s[0]);
	else
		remove_instance(f, d, k);
	return NULL;
}

/* The same name gives the same id, in whatever file, unless that was taken. */
static int is_its_id(const struct indom *d, const char *name, long long id)
{
	static struct { char word[256]; long long id; } *ids;
	static int n;
	int words = strcspn(name, " "), i;

	for (i = 0; i < n && (strncmp(ids[i].word, name, words) || ids[i].word[words]); i++)
		;
	if (i < n)
		return ids[i].id == id || instance_id((struct indom *)d, ids[i].id) >= 0;
	if (n < 4096 && (id == 0 || instance_id((struct indom *)d, id - 1) < 0)) {
		ids = grown(ids, n, sizeof(*ids));
		snprintf(ids[n].word, sizeof(ids->word), "%.*s", words, name);
		ids[n++].id = id;
	}
	return 1;
}

/* A name as mmv_instance makes it: what the generator gives is UTF-8 and short. */
static void tidied(char *to, const char *name, int blanks)
{
	if (!*name)
		name = "none";
	if (*name == ' ') {
		*to++ = '_';
		name++;
	}
	for (; *name; name++)
		*to++ = *name == '"' ? '\'' : *name == ' ' && !blanks ? '_' : *name;
	*to = '\0';
}

static const char *judge_by_name(const struct fuzz_call *c)
{
	struct file *f = NULL;
	struct indom *d = model_by_handle(c->n[0], &f);
	char name[FUZZ_TEXT + 1];
	int own = c->code == INSTANCE_ID, full, k;
	const char *wrong;

	tidied(name, c->s[0], own);
	k = d ? instance_named(d, name) : -1;
	rule(own && (c->n[1] < 0 || c->n[1] > 0x7fffffff), "out of range 0..2147483647");
	rule(own && k >= 0 && d->instance[k].id != c->n[1], "cannot be told from the one with id");
	if (k >= 0) {
		if ((wrong = judge_outcome(c)) || c->outcome != FUZZ_ACCEPTED)
			return wrong;
		EXPECT(d->instance[k].id);
		see_instance(&d->instance[k]);
		return NULL;
	}
	rule(!d, "is not an indom");
	rule(own && d && instance_id(d, c->n[1]) >= 0, "is taken");
	if ((wrong = judge_outcome(c)) || c->outcome != FUZZ_ACCEPTED)
		return wrong;
	full = d->count >= d->room;
	if (c->result == -1) {
		d->refused++;
		return (full && d->full != 2) || tight || f->unshown ? NULL : WRONG("no instance though there is room");
	}
	if (full && d->full != 2)
		return WRONG("instance %lld though there are %lld", c->result, d->room);
	if (full)
		remove_instance(f, d, longest_unseen(d));
	if (c->result < 0 || c->result > 0x7fffffff || instance_id(d, c->result) >= 0)
		return WRONG("the id is %lld", c->result);
	if (own)
		EXPECT(c->n[1]);
	else if (!is_its_id(d, name, c->result))
		return WRONG("the id is %lld, and was another one", c->result);
	add_instance(f, d, c->result, name);
	return NULL;
}

/* Instances that go by an indom's handle. */
static const char *judge_going(const struct fuzz_call *c)
{
	struct file *f = NULL;
	struct indom *d = model_by_handle(c->n[0], &f);
	const char *wrong;
	int k;

	rule(!d, "is not an indom");
	rule(d && d->sealed, "are those of CPUs or buckets, they stay");
	rule(c->code == RETIRE && (c->n[1] < 0 || c->n[1] > 1000000000000), "out of range 0..1000000000000");
	if ((wrong = judge_outcome(c)) || c->outcome != FUZZ_ACCEPTED)
		return wrong;
	if (c->code == FORGET) {
		k = instance_id(d, c->n[1]);
		EXPECT(k >= 0);
		if (k >= 0)
			remove_instance(f, d, k);
		return NULL;
	}
	if (c->n[1] == 0)
		EXPECT(d->count < 8 ? d->count : 8);
	if (c->n[1] >= 3600000)			/* nothing is as old here */
		EXPECT(0);
	if (c->result < 0 || c->result > 8 || c->result > d->count)
		return WRONG("%lld retired", c->result);
	for (k = 0; k < c->result; k++)
		remove_instance(f, d, longest_unseen(d));
	return NULL;
}

static const char *judge_metric_by(const struct fuzz_call *c)
{
	struct file *f = NULL;
	struct indom *d = model_by_handle(c->n[0], &f);
	int type = c->code == COUNTER_BY ? T_U64 : c->code == GAUGE_BY ? T_I64 : T_STRING;
	int sem = c->code == COUNTER_BY ? 1 : c->code == GAUGE_BY ? 3 : 4;
	const char *help = c->s[c->code == TEXT_BY ? 1 : 2], *wrong;
	struct metric *m = f ? metric_named(f, c->s[0]) : NULL;
	long long units = 0;
	int there;

	rule(!d, "is not an indom");
	if (c->code != TEXT_BY)
		rules_parse(c->s[1], &units);
	there = d && m && m->type == type && m->sem == sem && m->units == units && m->serial == d->serial;
	if (!there)
		rules_metric(f, c->s[0], -1, type, sem, 0, d ? d->serial : 0, help, "");
	if ((wrong = judge_outcome(c)) || c->outcome != FUZZ_ACCEPTED)
		return wrong;
	if (!there)
		m = add_metric(f, c->s[0], short_item(f, c->s[0], type, sem, units, d->serial), type, sem, units, d->serial, help, "");
	EXPECT(model_metric_id(f, m));
	return NULL;
}

static const char *judge_value_of(const struct fuzz_call *c)
{
	struct file *f = known(c->n[0] >> 16);
	struct metric *m = f ? metric_item(f, c->n[0] & 0xffff) : NULL;
	struct indom *d = m && m->serial ? model_indom(f, m->serial) : NULL;
	int k = d ? instance_id(d, c->n[1]) : -1;
	const char *wrong;

	rule(!d, "is not a metric with instances");
	rule(!m, "the metric is removed");
	rule((d && m->type == T_NOSUPPORT) || !m, "the metric has no values");
	rule(d && m->serial == f->cpus, "counted per CPU");
	if ((wrong = judge_outcome(c)) || c->outcome != FUZZ_ACCEPTED)
		return wrong;
	if (k < 0)
		EXPECT(-1);			/* MMV_NO_VALUE */
	return k < 0 ? NULL : accepted_handle(&m->value[k], m, c->result);
}

static const char *judge_indom_handle(const struct fuzz_call *c)
{
	struct file *f, *of = NULL;
	struct indom *d = NULL;
	const char *wrong;
	long long serial = 0;

	if (c->code == LOOKUP_INDOM) {
		f = known(c->n[0]);
		d = f ? model_indom(f, c->n[1]) : NULL;
		rule(!d, "is not declared");
	} else {
		f = known(easy);
		for (int i = 0; f && i < f->indoms; i++)
			if (*c->s[0] && !strcmp(f->indom[i].called, c->s[0]))
				d = &f->indom[i];
		rule(!easy, "no file yet; call mmv_file first");
		if (!d) {
			rules_open(easy ? easy : -1);
			rule(c->n[1] != 1 && c->n[1] != 2, "is neither MMV_FULL_REFUSE nor MMV_FULL_REUSE");
			for (serial = 1; f && model_indom(f, serial); serial++)
				;
			rules_indom(f, serial, c->s[0], "", c->n[0], c->n[1]);
		}
	}
	if ((wrong = judge_outcome(c)) || c->outcome != FUZZ_ACCEPTED)
		return wrong;
	if (!d) {
		d = add_indom(f, serial, c->s[0], "", c->n[0], c->n[1]);
		snprintf(d->called, sizeof(d->called), "%s", c->s[0]);
	}
	if (d->handle)
		EXPECT(d->handle);
	else if (model_by_handle(c->result, &of))
		return WRONG("the handle of another indom");
	d->handle = c->result;
	return NULL;
}

/* A label of the tapset's own. */
static void own_label(struct file *f, int kind, long long identity, long long internal, const char *name, const char *json)
{
	add_label(f, kind, identity, internal, name, json, 0);
}

static void bucket_label(struct file *f, struct indom *d, long long id, const char *name, long long bound)
{
	char text[32];

	sprintf(text, "%lld", bound);
	own_label(f, 32, d->serial, id, name, text);
}

/* The indom of a shape, with its buckets. */
static struct indom *add_buckets(struct file *f, long long low, long long high, long long width)
{
	int n = width ? (high - low) / width + 3 : 65;
	int labels = f->version != 1 && f->slots + 2 * n + 2 <= label_room(f);
	char text[256];
	struct indom *d;

	snprintf(text, sizeof(text), width ? "steps of %lld from %lld to %lld" : "powers of two", width, low, high);
	d = add_sealed(f, text, n);
	d->steps = n;
	d->low = low;
	d->high = high;
	d->width = width;
	if (labels)
		own_label(f, 4, d->serial, -1, "statistic", "\"histogram\"");
	for (int i = 0; i < n; i++) {
		long long from = width ? low + (i - 1) * width : i < 2 ? 0 : 1LL << (i - 2);
		long long to = (width ? low + i * width : 1LL << (i > 0 ? i - 1 : 0)) - 1;

		if (i == 0)
			to = low - 1;
		if (i == 0)
			sprintf(text, "-inf-%lld", to);
		else if (i == n - 1)
			sprintf(text, "%lld-inf", from);
		else
			sprintf(text, "%lld-%lld", from, to);
		add_instance(f, d, i, text);
		if (labels && i > 0)
			bucket_label(f, d, i, "lower_bound", from);
		if (labels && i < n - 1)
			bucket_label(f, d, i, "upper_bound", to);
	}
	return d;
}

static const char *judge_histogram(const struct fuzz_call *c)
{
	struct file *f = known(easy);
	int steps = c->code == HISTOGRAM_STEPS, n;
	long long low = steps ? c->n[1] : 0, high = steps ? c->n[2] : 0, width = steps ? c->n[3] : 0, units;
	char more[FUZZ_TEXT + 128], label[FUZZ_TEXT + 8];
	struct indom *d = NULL;
	const char *wrong;
	struct metric *m;

	for (int i = 0; f && i < f->indoms; i++)
		if (f->indom[i].steps && f->indom[i].low == low && f->indom[i].high == high && f->indom[i].width == width)
			d = &f->indom[i];
	rule(!easy, "no file yet; call mmv_file first");
	if (steps)
		rules_steps(low, high, width);
	rules_open(easy ? easy : -1);
	rules_parse(c->s[1], &units);
	snprintf(more, sizeof(more), "Instance LOW-HIGH counts the samples from LOW to HIGH %s; -inf and inf: no bound.", c->s[1]);
	rules_metric(f, c->s[0], -1, T_U64, 1, 0, 0, c->s[2], strlen(more) < FUZZ_TEXT ? more : c->s[1]);
	rule(strlen(more) > 255, " bytes, at most 255");
	n = width ? (high - low) / width + 3 : 65;
	rule(f && f->values + n > MAX_VALUES, "no room for");
	rule(f && !d && f->cluster > 2047, "is above 2047, no place for indoms");
	rule(f && !d && f->indoms == MAX_INDOMS, "no room for");
	if ((wrong = judge_outcome(c)) || c->outcome != FUZZ_ACCEPTED)
		return wrong;
	if (!d)
		d = add_buckets(f, low, high, width);
	m = add_metric(f, c->s[0], short_item(f, c->s[0], T_U64, 1, 0x00100000, d->serial), T_U64, 1, 0x00100000, d->serial,
		       c->s[2], more);
	for (int i = 0; i < m->count; i++)
		m->value[i].bits = 0;
	m->observe = c->result;
	if (f->version != 1 && (f->slots < label_room(f) || f->dead)) {
		snprintf(label, sizeof(label), "\"%s\"", c->s[1]);
		own_label(f, 16, m->item, -1, "units", label);
	}
	return NULL;
}

const char *judge_change(const struct fuzz_call *c)
{
	struct file *f = NULL;
	struct metric *m;
	struct indom *d;
	const char *wrong;

	switch (c->code) {
	case REMOVE_METRIC:
		f = rules_open(c->n[0]);
		m = f ? metric_named(f, c->s[0]) : NULL;
		rule(f && !m, "no metric '");
		if ((wrong = judge_outcome(c)) || c->outcome != FUZZ_ACCEPTED)
			return wrong;
		remove_metric(f, m);
		return NULL;
	case METRIC_HELP: case INDOM_HELP:
		return judge_help(c);
	case BEGIN: case COMMIT:
		f = rules_open(c->n[0]);
		if ((wrong = judge_outcome(c)) || c->outcome != FUZZ_ACCEPTED)
			return wrong;
		f->held = c->code == BEGIN;
		if (!f->held)
			model_shown(f);
		return NULL;
	case ADD_INDOM_FULL:
		f = rules_open(c->n[0]);
		rules_indom(f, c->n[1], c->s[0], c->s[1], c->n[2], c->n[3]);
		rule(c->n[3] < 0 || c->n[3] > 2, "is neither MMV_FULL_REFUSE nor MMV_FULL_REUSE");
		if ((wrong = judge_outcome(c)) || c->outcome != FUZZ_ACCEPTED)
			return wrong;
		EXPECT(c->n[1]);
		add_indom(f, c->n[1], c->s[0], c->s[1], c->n[2], c->n[3]);
		return NULL;
	case REMOVE_INSTANCE: case RENAME_INSTANCE:
		return judge_instance_of(c);
	case HISTOGRAM: case HISTOGRAM_STEPS:
		return judge_histogram(c);
	case INDOM: case LOOKUP_INDOM:
		return judge_indom_handle(c);
	case INSTANCE: case INSTANCE_ID:
		return judge_by_name(c);
	case FORGET: case RETIRE:
		return judge_going(c);
	case COUNTER_BY: case GAUGE_BY: case TEXT_BY:
		return judge_metric_by(c);
	case VALUE:
		return judge_value_of(c);
	case HOW_MANY_REFUSED:
		d = model_by_handle(c->n[0], &f);
		rule(!d, "is not an indom");
		if ((wrong = judge_outcome(c)) || c->outcome != FUZZ_ACCEPTED)
			return wrong;
		EXPECT(d->refused);
		return NULL;
	}
	return "no such call";
}
