/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The model: what an accepted call changes, and whether the outcome is right.
 * A refusal must name one of the rules that the call breaks; a call that
 * breaks none must be accepted. Lives here: nothing of MMV's layout.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <pcp/pmapi.h>
#include "rules.h"
#include "judge.h"

struct file file[FILES + 1];
long long easy;
long tight;
int cpus;
static long used_up, bytes[FILES + 1];	/* of the pool, by registry; a place is kept */

static const char *names[] = {
	[REGISTRY] = "mmv_stats_registry", [REGISTRY_EASY] = "mmv_stats_registry",
	[SET_VERSION] = "mmv_stats_set_version", [ADD_METRIC] = "mmv_stats_add_metric",
	[ADD_INDOM] = "mmv_stats_add_indom", [ADD_INDOM_ROOM] = "mmv_stats_add_indom",
	[ADD_INSTANCE] = "mmv_stats_add_instance", [REGISTRY_LABEL] = "mmv_stats_add_registry_label",
	[INDOM_LABEL] = "mmv_stats_add_indom_label", [METRIC_LABEL] = "mmv_stats_add_metric_label",
	[INSTANCE_LABEL] = "mmv_stats_add_instance_label", [START] = "mmv_stats_start",
	[STOP] = "mmv_stats_stop", [RESET] = "mmv_stats_reset", [CLUSTER] = "mmv_stats_cluster",
	[UNITS] = "mmv_units", [PARSE_UNITS] = "mmv_parse_units", [LOOKUP] = "mmv_lookup_value_desc",
	[FILE_EASY] = "mmv_file", [FILE_FULL] = "mmv_file",
	[COUNTER] = "mmv_counter", [GAUGE] = "mmv_gauge",
	[TEXT] = "mmv_text", [TIMER] = "mmv_timer", [PERCPU] = "mmv_percpu_counter", [HEALTH] = "mmv_stats_health",
	[INC] = "mmv_inc", [ADD] = "mmv_add", [SET] = "mmv_set", [GET] = "mmv_get",
	[SET_RATIO] = "mmv_set_ratio", [SET_DOUBLE] = "mmv_set_double", [GET_DOUBLE] = "mmv_get_double",
	[INC_CPU] = "mmv_inc_cpu", [ADD_CPU] = "mmv_add_cpu", [SET_STRING] = "mmv_set_string",
	[GET_STRING] = "mmv_get_string", [INTERVAL_START] = "mmv_interval_start",
	[INTERVAL_END] = "mmv_interval_end", [INTERVAL_END_AT] = "mmv_interval_end",
	[STATS_INC] = "mmv_stats_inc", [STATS_ADD] = "mmv_stats_add", [STATS_SET] = "mmv_stats_set",
	[STATS_SET_STRING] = "mmv_stats_set_string", [STATS_START] = "mmv_stats_interval_start",
	[STATS_END] = "mmv_stats_interval_end",
	[REMOVE_METRIC] = "mmv_stats_remove_metric", [METRIC_HELP] = "mmv_stats_add_metric_help",
	[INDOM_HELP] = "mmv_stats_add_indom_help", [BEGIN] = "mmv_stats_begin", [COMMIT] = "mmv_stats_commit",
	[ADD_INDOM_FULL] = "mmv_stats_add_indom", [REMOVE_INSTANCE] = "mmv_stats_remove_instance",
	[RENAME_INSTANCE] = "mmv_stats_rename_instance", [HISTOGRAM] = "mmv_histogram",
	[HISTOGRAM_STEPS] = "mmv_histogram", [OBSERVE] = "mmv_observe", [INDOM] = "mmv_indom",
	[LOOKUP_INDOM] = "mmv_lookup_indom", [INSTANCE] = "mmv_instance", [INSTANCE_ID] = "mmv_instance",
	[FORGET] = "mmv_forget", [RETIRE] = "mmv_retire", [COUNTER_BY] = "mmv_counter_by",
	[GAUGE_BY] = "mmv_gauge_by", [TEXT_BY] = "mmv_text_by", [VALUE] = "mmv_value",
	[HOW_MANY_REFUSED] = "mmv_refused",
};

const char *model_call_name(long long code)
{
	return code > 0 && code < (long long)(sizeof(names) / sizeof(*names)) && names[code] ? names[code] : "?";
}

/* Changes of accepted calls. */

static void forget(struct file *f)
{
	for (int i = 0; i < f->metrics; i++)
		free(f->metric[i].value);
	for (int i = 0; i < f->indoms; i++)
		free(f->indom[i].instance);
	free(f->metric);
	free(f->past);
	memset(f, 0, sizeof(*f));
}

void *grown(void *old, int n, size_t one)
{
	char *p = realloc(old, (n + 1) * one);

	memset(p + n * one, 0, one);
	return p;
}

/* Numbers begin at 0, with MMV_FLAG_SENTINEL as well: only a text that was never
 * set is no value then.
 */
static void add_value(struct metric *m)
{
	m->value = grown(m->value, m->count++, sizeof(*m->value));
}

struct metric *add_metric(struct file *f, const char *name, long long item, long long type, long long sem,
			  long long units, long long serial, const char *one, const char *more)
{
	struct indom *d = serial ? model_indom(f, serial) : NULL;
	struct metric *m;

	f->metric = grown(f->metric, f->metrics, sizeof(*m));
	m = &f->metric[f->metrics];
	strcpy(m->name, name);
	strcpy(m->help[0], one);
	strcpy(m->help[1], more);
	m->item = item;
	m->type = type;
	m->sem = sem;
	m->units = units;
	m->serial = serial;
	f->metrics++;
	f->values += !d ? 1 : d->full ? d->places : d->used;
	for (int i = 0; i < (d ? d->count : 1); i++)
		add_value(m);
	return m;
}

struct indom *add_indom(struct file *f, long long serial, const char *one, const char *more, long long room, long long full)
{
	struct indom *d = &f->indom[f->indoms++];

	memset(d, 0, sizeof(*d));
	d->serial = serial;
	d->room = room;
	d->full = full;
	d->places = full ? room + room / 4 + 1 : 0;
	strcpy(d->help[0], one);
	strcpy(d->help[1], more);
	return d;
}

void see_instance(struct instance *i)
{
	static unsigned long last;

	i->seen = ++last;
}

void model_shown(struct file *f)
{
	f->unshown = 0;
	f->dead += f->dying;
	f->dying = 0;
}

/* It takes a place that somebody was in, or a new one. */
void add_instance(struct file *f, struct indom *d, long long id, const char *name)
{
	int again = d->full ? d->used == d->places : d->used > d->count;

	d->instance = grown(d->instance, d->count, sizeof(*d->instance));
	d->instance[d->count].id = id;
	see_instance(&d->instance[d->count]);
	strcpy(d->instance[d->count++].name, name);
	d->used += !again;
	for (int i = 0; i < f->metrics; i++)
		if (f->metric[i].serial == d->serial) {
			add_value(&f->metric[i]);
			f->values += !again && !d->full;
		}
}

struct indom *add_sealed(struct file *f, const char *help, int n)
{
	struct indom *d;
	long long serial;

	for (serial = 2047; model_indom(f, serial); serial--)
		;
	d = add_indom(f, serial, help, "", n, 0);
	d->sealed = 1;
	return d;
}

int label_room(const struct file *f)		/* MMV_BYTES_A_LABEL */
{
	return !tight || bytes[f - file] / 6144 > MAX_LABELS ? MAX_LABELS : bytes[f - file] / 6144;
}

void add_label(struct file *f, int kind, long long identity, long long internal, const char *name,
		      const char *json, long long flags)
{
	struct label *l = &f->label[f->labels++];

	*(f->dead ? &f->dead : &f->slots) += f->dead ? -1 : 1;
	l->kind = kind;
	l->identity = identity;
	l->internal = internal;
	l->optional = flags;
	strcpy(l->name, name);
	strcpy(l->json, json);
	f->version = 3;
}

char complaint[4096];

/* Was the outcome one that the rules allow? */
const char *judge_outcome(const struct fuzz_call *c)
{
	size_t n = strlen(model_call_name(c->code));

	if (c->outcome == FUZZ_ACCEPTED)
		return nbroken ? WRONG("accepted, but %s", *broken[0] ? broken[0] : "PCP refuses it") : NULL;
	if (c->outcome != FUZZ_REFUSED)
		return "not run";
	if (strncmp(c->text, "mmv_", 4) || !strstr(c->text, ": "))
		return WRONG("refused without a function's name: %s", c->text);
	if (strncmp(c->text, model_call_name(c->code), n) && (c->code < COUNTER || c->code > PERCPU) && c->code != HISTOGRAM &&
	    c->code != HISTOGRAM_STEPS && c->code != INDOM && (c->code < STATS_INC || c->code > STATS_END) &&
	    (c->code < COUNTER_BY || c->code > TEXT_BY))
		return WRONG("refused by another function: %s", c->text);
	if (tight && strstr(c->text, "no room for") && strstr(c->text, "; raise -DSTP_MMV_POOL="))
		return NULL;
	if (either && (strstr(c->text, "is no unit here") || strstr(c->text, "no multiplier") || strstr(c->text, "no power of ten")))
		return NULL;
	for (int i = 0; i < nmaybe; i++)
		if (strstr(c->text, maybe[i]))
			return NULL;
	if (!nbroken)
		return WRONG("refused, but breaks no rule: %s", c->text);
	for (int i = 0; i < nbroken; i++)
		if (strstr(c->text, broken[i]))
			return NULL;
	return WRONG("refused for a reason that is none: %s (%s)", c->text, broken[0]);
}

/* What the tapset adds by itself. */
static void add_health(struct file *f)
{
	static const char *text[4][3] = {
		{ "health.skipped", "probe hits skipped",
		  "Probe hits of the session that were skipped because of a lock, a busy CPU or little stack, or missed" },
		{ "health.errors", "errors in probe handlers",
		  "Errors of the session's probe handlers, as far as they did not end it (MAXERRORS)" },
		{ "health.refused", "updates of values refused",
		  "Updates of the session's values that were refused because of a bad handle or value, and instances without room" },
		{ "health.cut", "texts cut to fit",
		  "Texts of the session's values that were longer than 255 bytes and were cut, or had bytes that are no text" },
	};

	if (f->no_health || (f->flags & NOPREFIX))
		return;
	for (int k = 0; k < 4; k++) {
		struct metric *m = metric_named(f, text[k][0]);
		int before = nbroken;

		if (!m || m->item != 1023 - k) {
			rules_metric(f, text[k][0], 1023 - k, T_U64, 1, 0x00100000, 0, "", "");
			if (nbroken > before) {
				nbroken = before;
				continue;
			}
			m = add_metric(f, text[k][0], 1023 - k, T_U64, 1, 0x00100000, 0, text[k][1], text[k][2]);
		}
		m->value->loose = 1;
	}
}

void model_no_health(struct file *f, const char *name)
{
	struct metric *m = metric_named(f, name);

	if (m && m->value->loose && m->item > 1019) {
		free(m->value);
		memmove(m, m + 1, (char *)&f->metric[f->metrics--] - (char *)(m + 1));
		f->values--;
	}
}

static const char *accepted_registry(const struct fuzz_call *c, const char *name, long long cluster, long long flags)
{
	struct file *f;
	int r;

	r = c->result;			/* memory of one that was reset may rest */
	if (r < 1 || r > FILES || file[r].used)
		return WRONG("registry %d", r);
	f = &file[r];
	memset(f, 0, sizeof(*f));
	f->used = 1;
	strcpy(f->name, name);
	f->cluster = cluster;			/* 0: learnt from mmv_stats_cluster */
	f->flags = flags;
	f->version = 2;
	if (!bytes[r]) {			/* 64 kB, and a part of what nobody needs */
		long spare = tight - used_up - (FILES - r + 1) * 65536L;

		bytes[r] = 65536 + (spare < 0 ? 0 : r == 1 ? spare / 4 * 3 : spare / 3);
		bytes[r] = (bytes[r] + 4095) & ~4095;
		used_up += bytes[r];
	}
	return NULL;
}

static void name_kind(struct value *v, const struct metric *m)
{
	if (!v->kind)
		v->kind = m->type == T_STRING ? K_TEXT : m->type == T_ELAPSED ? K_SPAN :
			m->type == T_FLOAT || m->type == T_DOUBLE ? K_FLOAT : K_INT;
}

/* By names; NULL and rules when there is none. */
struct value *rules_find(const struct fuzz_call *c, struct metric **metric)
{
	struct file *f = known(c->n[0]);
	struct metric *m = f ? metric_named(f, c->s[0]) : NULL;
	struct indom *d = m && m->serial ? model_indom(f, m->serial) : NULL;
	int k = 0, before = nbroken;

	rule(!f, "is not a registry");
	rule(f && !m, "no metric '");
	rule(m && m->type == T_NOSUPPORT, "has no values");
	rule(m && !d && *c->s[1], "has no instances");
	rule(d && m->serial == f->cpus, "is counted per CPU");
	rule(d && !*c->s[1], "has instances, name one");
	rule(d && *c->s[1] && (*c->s[1] == ' ' || (k = instance_named(d, c->s[1])) < 0), "has no instance '");
	if (nbroken > before)
		return NULL;
	*metric = m;
	name_kind(&m->value[k], m);
	return &m->value[k];
}

/* A value's handle is its own, and always the same. */
const char *accepted_handle(struct value *v, const struct metric *m, long long handle)
{
	struct metric *other;

	if (v->handle <= 0 && value_of(handle, &other))
		return WRONG("the handle of another value, of '%s'", other->name);
	if (v->handle > 0 && v->handle != handle)
		return WRONG("a second handle for one value");
	if (handle <= 65536)
		return WRONG("handle %lld is a small number", handle);
	v->handle = handle;
	name_kind(v, m);
	return NULL;
}

static const char *judge_lookup(const struct fuzz_call *c)
{
	struct metric *m = NULL;
	struct value *v = rules_find(c, &m);
	const char *wrong;

	if ((wrong = judge_outcome(c)) || c->outcome != FUZZ_ACCEPTED)
		return wrong;
	return accepted_handle(v, m, c->result);
}

static void open_value(struct value *v, long long handle, int kind)
{
	v->handle = handle;
	v->kind = kind;
}

static const char *judge_easy(const struct fuzz_call *c)
{
	struct file *f = known(easy);
	int type = c->code == GAUGE ? T_I64 : c->code == TEXT ? T_STRING : T_U64, sem;
	int units_at = c->code == COUNTER || c->code == GAUGE;
	const char *wrong, *help = c->s[units_at ? 2 : 1];
	long long units = 0;
	struct metric *m;

	rule(!easy, "no file yet; call mmv_file first");
	rules_open(easy ? easy : -1);
	if (c->code == TIMER) {
		char name[FUZZ_TEXT + 8];

		snprintf(name, sizeof(name), "%s.time", c->s[0]);
		rules_metric(f, name, -1, type, 1, 0, 0, help, "");
		snprintf(name, sizeof(name), "%s.count", c->s[0]);
		rules_metric(f, name, -1, type, 1, 0, 0, help, "");
		rule(f && (f->metrics + 2 > MAX_METRICS || f->values + 2 > MAX_VALUES), "no room for");
	} else
		rules_metric(f, c->s[0], -1, type, 1, 0, 0, help, "");
	if (units_at)
		rules_parse(c->s[1], &units);
	if ((wrong = judge_outcome(c)) || c->outcome != FUZZ_ACCEPTED)
		return wrong;
	if (c->code == TIMER) {
		char name[256];

		snprintf(name, sizeof(name), "%s.time", c->s[0]);
		m = add_metric(f, name, short_item(f, name, type, 1, 0x01000000, 0), type, 1, 0x01000000, 0, help, "");
		open_value(m->value, c->result, K_TIMER);
		m->value->bits = 0;
		snprintf(name, sizeof(name), "%s.count", c->s[0]);
		add_metric(f, name, short_item(f, name, type, 1, 0x00100000, 0), type, 1, 0x00100000, 0, help, "")->value->bits = 0;
		return NULL;
	}
	sem = c->code == COUNTER ? 1 : c->code == GAUGE ? 3 : 4;
	m = add_metric(f, c->s[0], short_item(f, c->s[0], type, sem, units, 0), type, sem, units, 0, help, "");
	open_value(m->value, c->result, c->code == TEXT ? K_TEXT : K_INT);
	return NULL;
}

/* The CPUs' indom has the highest serial that is free. */
static const char *judge_percpu(const struct fuzz_call *c)
{
	struct file *f = known(easy);
	const char *wrong;
	long long units;
	struct metric *m;
	int records;

	rule(!easy, "no file yet; call mmv_file first");
	rules_open(easy ? easy : -1);
	rules_metric(f, c->s[0], -1, T_U64, 1, 0, 0, c->s[2], "");
	rules_parse(c->s[1], &units);
	if (f && !f->cpus) {
		rule(f->indoms == MAX_INDOMS, "no room for");
		rule(f->cluster > 2047, "is above 2047, no place for indoms");
	}
	records = f && f->spare ? 0 : 2 * cpus + 1;
	rule(f && f->values + records > MAX_VALUES, "no room for the values of");
	if ((wrong = judge_outcome(c)) || c->outcome != FUZZ_ACCEPTED)
		return wrong;
	if (!f->cpus) {
		struct indom *d = add_sealed(f, "CPUs", cpus);
		char name[16];

		f->cpus = d->serial;
		for (int i = 0; i < cpus; i++) {
			sprintf(name, "cpu%d", i);
			add_instance(f, d, i, name);
		}
	}
	if (!f->spare && (f->values & 1))
		f->values++;
	records = f->values + (f->spare ? 0 : 2 * cpus);
	f->spare = !f->spare;
	m = add_metric(f, c->s[0], short_item(f, c->s[0], T_U64, 1, units, f->cpus), T_U64, 1, units, f->cpus, c->s[2], "");
	f->values = records;
	for (int i = 0; i < cpus; i++)
		m->value[i].bits = 0;
	open_value(m->value, c->result, K_CPU);
	return NULL;
}

static const char *judge_label(const struct fuzz_call *c)
{
	struct file *f = rules_open(c->n[0]);
	int i = c->code == REGISTRY_LABEL ? 1 : c->code == INSTANCE_LABEL ? 3 : 2;
	int kind = c->code == REGISTRY_LABEL ? 8 : c->code == INDOM_LABEL ? 4 : c->code == METRIC_LABEL ? 16 : 32;
	long long identity = c->code == REGISTRY_LABEL ? 0 : c->n[1];
	long long internal = c->code == INSTANCE_LABEL ? c->n[2] : -1;
	struct indom *d = f ? model_indom(f, c->n[1]) : NULL;
	const char *wrong;

	if (f && c->code == METRIC_LABEL)
		rule(!metric_item(f, c->n[1]), "is not declared");
	else if (f && c->code != REGISTRY_LABEL)
		rule(!d || (c->code == INSTANCE_LABEL && instance_id(d, internal) < 0), "is not declared");
	rules_label(f, kind, identity, internal, c->s[0], c->s[1], c->n[i], c->n[i + 1]);
	if ((wrong = judge_outcome(c)) || c->outcome != FUZZ_ACCEPTED)
		return wrong;
	add_label(f, kind, identity, internal, c->s[0], c->s[1], c->n[i + 1]);
	return NULL;
}

const char *model_judge(const struct fuzz_call *c)
{
	struct file *f;
	const char *wrong;
	long long units, item;

	nbroken = nmaybe = 0;
	either = 0;
	switch (c->code) {
	case REGISTRY: case REGISTRY_EASY: case FILE_EASY: case FILE_FULL: {
		int full = c->code == REGISTRY || c->code == FILE_FULL;

		rules_file(c->s[0], full ? c->n[0] : 0, full ? c->n[1] : PROCESS);
		if ((wrong = judge_outcome(c)) || c->outcome != FUZZ_ACCEPTED)
			return wrong;
		if (c->code == FILE_EASY || c->code == FILE_FULL)
			easy = c->result;
		return accepted_registry(c, c->s[0], full ? c->n[0] : 0, full ? c->n[1] : PROCESS);
	}
	case SET_VERSION:
		f = known(c->n[0]);
		rule(!f, "is not a registry");
		rule(f && f->metrics + f->pasts + f->indoms + f->labels, "something has been added already");
		rule(c->n[1] < 1 || c->n[1] > 3, "out of range 1..3");
		if ((wrong = judge_outcome(c)) || c->outcome != FUZZ_ACCEPTED)
			return wrong;
		f->version = c->n[1];
		return NULL;
	case ADD_METRIC:
		f = rules_open(c->n[0]);
		rules_metric(f, c->s[0], c->n[1], c->n[2], c->n[3], c->n[4], c->n[5], c->s[1], c->s[2]);
		if ((wrong = judge_outcome(c)) || c->outcome != FUZZ_ACCEPTED)
			return wrong;
		item = c->n[1] == -1 ? free_item(f, c->s[0], c->n[2], c->n[3], c->n[4], c->n[5]) : c->n[1];
		EXPECT(item);
		add_metric(f, c->s[0], item, c->n[2], c->n[3], c->n[4], c->n[5], c->s[1], c->s[2]);
		return NULL;
	case ADD_INDOM: case ADD_INDOM_ROOM:
		f = rules_open(c->n[0]);
		rules_indom(f, c->n[1], c->s[0], c->s[1], c->code == ADD_INDOM ? 32 : c->n[2], 0);
		if ((wrong = judge_outcome(c)) || c->outcome != FUZZ_ACCEPTED)
			return wrong;
		EXPECT(c->n[1]);
		add_indom(f, c->n[1], c->s[0], c->s[1], c->code == ADD_INDOM ? 32 : c->n[2], 0);
		return NULL;
	case ADD_INSTANCE:
		f = rules_open(c->n[0]);
		rules_instance(f, c->n[1], c->n[2], c->s[0]);
		if ((wrong = judge_outcome(c)) || c->outcome != FUZZ_ACCEPTED)
			return wrong;
		EXPECT(c->n[2]);
		add_instance(f, model_indom(f, c->n[1]), c->n[2], c->s[0]);
		return NULL;
	case REGISTRY_LABEL: case INDOM_LABEL: case METRIC_LABEL: case INSTANCE_LABEL:
		return judge_label(c);
	case START: case STOP: case RESET:
		f = known(c->n[0]);
		rule(!f, "is not a registry");
		rule(c->code == START && f && f->live, "is started already");
		rule(c->code == START && f && !f->metrics, "has no metrics");
		rule(c->code == STOP && f && !f->live, "is not started");
		if ((wrong = judge_outcome(c)) || c->outcome != FUZZ_ACCEPTED)
			return wrong;
		if (c->code == START)
			add_health(f);
		if (c->code == RESET && c->n[0] == easy)
			easy = 0;
		if (c->code == RESET)
			forget(f);
		else
			f->live = c->code == START;
		if (c->code == STOP) {
			model_shown(f);
			for (int i = 0; i < f->metrics; i++) {
				f->metric[i].observe = 0;
				for (int k = 0; k < f->metric[i].count; k++)
					f->metric[i].value[k].handle = f->metric[i].value[k].kind = 0;
			}
		}
		return NULL;
	case CLUSTER:
		f = known(c->n[0]);
		rule(!f, "is not a registry");
		if ((wrong = judge_outcome(c)) || c->outcome != FUZZ_ACCEPTED)
			return wrong;
		if (!f->cluster) {
			if (c->result < 1024 || c->result > 2047)
				return WRONG("derived cluster %lld", c->result);
			f->cluster = c->result;
		}
		EXPECT(f->cluster);
		return NULL;
	case UNITS:
		rules_units(c->n);
		if ((wrong = judge_outcome(c)) || c->outcome != FUZZ_ACCEPTED)
			return wrong;
		EXPECT((c->n[0] & 15) << 28 | (c->n[1] & 15) << 24 | (c->n[2] & 15) << 20 | (c->n[3] & 15) << 16 |
		       (c->n[4] & 15) << 12 | (c->n[5] & 15) << 8);
		return NULL;
	case PARSE_UNITS:
		rules_parse(c->s[0], &units);
		if ((wrong = judge_outcome(c)) || c->outcome != FUZZ_ACCEPTED)
			return wrong;
		EXPECT(units);
		return NULL;
	case LOOKUP:
		return judge_lookup(c);
	case COUNTER: case GAUGE: case TEXT: case TIMER:
		return judge_easy(c);
	case PERCPU:
		return judge_percpu(c);
	case HEALTH:
		f = rules_open(c->n[0]);
		rule(f && f->live, "is started; that is said before");
		rule(c->n[1] < 0 || c->n[1] > 1, "out of range 0..1");
		if ((wrong = judge_outcome(c)) || c->outcome != FUZZ_ACCEPTED)
			return wrong;
		f->no_health = !c->n[1];
		return NULL;
	}
	return c->code >= INC && c->code < INDOM ? judge_value(c) : judge_change(c);
}
