/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * mmvcheck: values, exactly one for each metric and instance.
 *
 * What changes in a started file leave behind is no error: a value may belong
 * to a metric in no list (item 0, type NOSUPPORT: "nobody"), or to an instance
 * that is no longer in its indom's list. No reader asks for such values.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "mmvcheck.h"

/* Which value it is: of this metric, of this instance (0 when it has none). */
struct identity { uint64_t metric; int64_t instance; };

static bool is_nobody(const struct file *f, const struct metric *m)
{
	if (!inside(f, m->at, metric_bytes(f)))
		return false;
	if (m->at % 8 != 0)
		return false;
	return m->item == 0 && m->type == NOSUPPORT && !is_entry(&f->section[METRICS], metric_bytes(f), m->at);
}

static bool is_narrow(int32_t type)
{
	return type == I32 || type == U32 || type == FLOAT;
}

static void check_content(struct file *f, const struct value *v, const struct metric *m, bool listed)
{
	uint32_t high = (uint32_t)(v->bits >> 32);
	bool no_value = (f->header.flags & SENTINEL) && high == UINT32_MAX;
	const char *text;

	if (m->type == STRING) {
		text = string_entry(f, "string", (uint64_t)v->extra, "string value", listed ? CHANGING_TEXT : UNUSED);
		if (text && listed && !is_utf8(text))
			fault(f, "string", "value of '%s' is not UTF-8", m->name);
		return;
	}
	if (m->type == ELAPSED && v->extra > 0)
		unkept(f, "value", "of '%s' has extra %" PRId64, m->name, v->extra);
	if (m->type != ELAPSED && v->extra != 0)
		unkept(f, "value", "of '%s' has extra %" PRId64, m->name, v->extra);
	if (is_narrow(m->type) && high != 0 && !no_value)
		unkept(f, "value", "of '%s': upper half of a 32-bit value", m->name);
}

/* The instance a value belongs to: false when no reader asks for the value.
 * Its entry may stand outside the list; with an id of the list, it must have
 * the name that the list has.
 */
static bool value_instance(struct file *f, const struct value *v, const struct metric *m, int64_t *id)
{
	struct instance own = instance_at(f, v->instance), listed;
	struct indom d;

	if (!inside(f, v->instance, instance_bytes(f)) || v->instance % 8 != 0 || v->instance < HEADER_BYTES) {
		fault(f, "value", "of '%s' has no instance entry at %" PRIu64, m->name, v->instance);
		return false;
	}
	if (!find_indom(f, m->serial, &d))
		return false;			/* said of the metric */
	if (own.indom != d.at) {
		fault(f, "value", "of '%s' has an instance of another indom", m->name);
		return false;
	}
	if (f->header.version > 1 && !string_entry(f, "instance", u64(f, own.name_at), "instance name", UNUSED))
		return false;
	if (!find_instance(f, &d, own.id, &listed))
		return false;
	if (own.name && listed.name && strcmp(own.name, listed.name) != 0)
		fault(f, "value", "instance at %" PRIu64 ", id %d, has another name in the indom's list",
		       v->instance, own.id);
	*id = own.id;
	return true;
}

/* Returns whether a reader asks for the value, and then which one it is. */
static bool check_value(struct file *f, const struct value *v, struct identity *which)
{
	struct metric m = metric_at(f, v->metric);
	bool listed = true;

	if (is_nobody(f, &m)) {			/* mmvdump prints its name */
		if (f->header.version > 1)
			string_entry(f, "name", u64(f, m.name_at), "name of a metric in no list", UNUSED);
		return false;
	}
	if (!is_entry(&f->section[METRICS], metric_bytes(f), v->metric)) {
		fault(f, "value", "at %" PRIu64 " belongs to no metric", v->at);
		return false;
	}
	if (!m.name)
		m.name = "?";
	which->metric = m.at;
	which->instance = 0;
	if (has_instances(&m))
		listed = value_instance(f, v, &m, &which->instance);
	else if (v->instance != 0)
		fault(f, "value", "'%s' is singular, its value has an instance", m.name);
	check_content(f, v, &m, listed);
	return listed;
}

static int by_identity(const void *a, const void *b)
{
	const struct identity *x = a, *y = b;

	if (x->metric != y->metric)
		return x->metric < y->metric ? -1 : 1;
	if (x->instance != y->instance)
		return x->instance < y->instance ? -1 : 1;
	return 0;
}

static uint64_t values_wanted(const struct file *f)
{
	uint64_t wanted = 0;
	struct indom d;
	uint32_t i;

	for (i = 0; i < f->section[METRICS].count; i++) {
		struct metric m = metric_at(f, nth_metric(f, i));

		if (!has_instances(&m))
			wanted++;
		else if (find_indom(f, m.serial, &d))
			wanted += d.count;
	}
	return wanted;
}

void check_values(struct file *f)
{
	uint32_t count = f->section[VALUES].count, i, n = 0;
	struct identity *all = calloc((size_t)count + 1, sizeof(*all));
	uint64_t wanted = values_wanted(f);

	if (!all)
		abort();
	for (i = 0; i < count; i++) {
		struct value v = value_at(f, f->section[VALUES].at + (uint64_t)i * VALUE_BYTES);

		if (check_value(f, &v, &all[n]))
			n++;
	}
	qsort(all, n, sizeof(*all), by_identity);
	for (i = 1; i < n; i++)
		if (by_identity(&all[i - 1], &all[i]) == 0)
			fault(f, "value", "two for metric at %" PRIu64 ", instance %" PRId64,
			       all[i].metric, all[i].instance);
	if (n != wanted)
		fault(f, "value", "%u of them, %" PRIu64 " pairs of metric and instance", n, wanted);
	free(all);
}
