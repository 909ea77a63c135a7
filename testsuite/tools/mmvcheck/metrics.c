/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * mmvcheck: metrics.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "mmvcheck.h"

enum { UNITS_MICROSEC = 0x01001000 };

/* The low byte holds the units that PCP 7.2 added: kind and scale. */
static bool is_extra_unit(uint32_t byte)
{
	static const uint32_t scales[] = { 0, 3, 3, 3, 4 };	/* none, temperature, voltage, current, power */
	uint32_t kind = byte >> 3, scale = byte & 7;

	if (kind == 0 || kind > 4)
		return false;
	return scale >= 1 && scale <= scales[kind];
}

static void check_units(struct file *f, const struct metric *m)
{
	uint32_t space = m->units >> 16 & 15, time = m->units >> 12 & 15, extra = m->units & 0xff;

	if (space > 8 || time > 5)
		fault(f, "units", "'%s': scale of %#x", m->name, m->units);
	if (extra == 0)
		return;
	if (!is_extra_unit(extra))
		fault(f, "units", "'%s': low byte of %#x", m->name, m->units);
	else
		unkept(f, "units", "'%s': %#x is none before PCP 7.2", m->name, m->units);
}

static void check_type(struct file *f, const struct metric *m)
{
	bool known = m->type >= NOSUPPORT && m->type <= STRING;

	if (!known && m->type != ELAPSED)
		fault(f, "type", "%d of '%s'", m->type, m->name);
	if (m->semantics > 4 || m->semantics == 2)
		fault(f, "semantics", "%u of '%s'", m->semantics, m->name);
	if (m->semantics == 0)
		unkept(f, "semantics", "0 of '%s' reads as counter", m->name);
	if (m->type == ELAPSED && (m->semantics != 1 || m->units != UNITS_MICROSEC))
		unkept(f, "elapsed", "'%s' is no counter in microsec", m->name);
}

static bool check_name(struct file *f, const struct metric *m)
{
	if (f->header.version == 1) {
		if (!m->name) {
			fault(f, "name", "metric name at %" PRIu64 " has no NUL in %d bytes", m->name_at, NAME1_BYTES);
			return false;
		}
		check_tail(f, m->name_at, NAME1_BYTES, "metric name");
	} else {
		if (!string_entry(f, "name", u64(f, m->name_at), "metric name", FIXED_TEXT))
			return false;
		check_tail(f, u64(f, m->name_at), STRING_BYTES, "metric name");
	}
	if (!is_metric_name(m->name))
		fault(f, "name", "metric '%s'", m->name);
	return true;
}

static void check_metric(struct file *f, const struct metric *m)
{
	struct indom d;

	if (!check_name(f, m))
		return;
	if (m->item > MAX_ITEM)
		fault(f, "item", "%u of '%s' out of range 0..%d", m->item, m->name, MAX_ITEM);
	if (m->item == 0)
		unkept(f, "item", "0 of '%s'", m->name);
	check_type(f, m);
	check_units(f, m);
	if (m->padding != 0)
		unkept(f, "padding", "metric '%s'", m->name);
	if (m->serial == UINT32_MAX)
		unkept(f, "metric", "'%s' has indom -1 instead of 0", m->name);
	if (has_instances(m) && !find_indom(f, m->serial, &d))
		fault(f, "metric", "'%s' has unknown indom %u", m->name, m->serial);
	check_help(f, m->oneline, m->help);
}

static int by_name(const void *a, const void *b)
{
	const struct metric *x = a, *y = b;

	return strcmp(x->name, y->name);
}

static int by_item(const void *a, const void *b)
{
	const struct metric *x = a, *y = b;

	if (x->item == y->item)
		return 0;
	return x->item < y->item ? -1 : 1;
}

/* A dot sorts before all else that a name may hold: "a" comes right before "a.b". */
static void check_pair_of_names(struct file *f, const char *first, const char *second)
{
	size_t n = strlen(first);

	if (strcmp(first, second) == 0)
		fault(f, "name", "metric '%s' twice", second);
	else if (n > 0 && strncmp(first, second, n) == 0 && second[n] == '.')
		fault(f, "name", "metric '%s' is a prefix of '%s'", first, second);
}

static void check_unique(struct file *f, struct metric *all, uint32_t n)
{
	uint32_t i;

	qsort(all, n, sizeof(*all), by_name);
	for (i = 1; i < n; i++)
		check_pair_of_names(f, all[i - 1].name, all[i].name);
	qsort(all, n, sizeof(*all), by_item);
	for (i = 1; i < n; i++)
		if (all[i - 1].item == all[i].item)
			fault(f, "item", "%u of '%s' and '%s'", all[i].item, all[i - 1].name, all[i].name);
}

void check_metrics(struct file *f)
{
	uint32_t n = f->section[METRICS].count, named = 0, i;
	struct metric *all = calloc((size_t)n + 1, sizeof(*all));

	if (!all)
		abort();
	for (i = 0; i < n; i++) {
		struct metric m = metric_at(f, nth_metric(f, i));

		check_metric(f, &m);
		if (!m.name)
			continue;
		all[named] = m;
		named++;
	}
	check_unique(f, all, named);
	free(all);
}
