/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * mmvcheck: indoms and their instances.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "mmvcheck.h"

static bool is_instance(const struct file *f, uint64_t at)
{
	unsigned i;

	for (i = 0; i < f->instance_sections; i++)
		if (is_entry(&f->instances[i], instance_bytes(f), at))
			return true;
	return false;
}

static void check_instance_name(struct file *f, const struct instance *i)
{
	if (f->header.version == 1) {
		if (!i->name) {
			fault(f, "instance", "name at %" PRIu64 " has no NUL in %d bytes", i->name_at, NAME1_BYTES);
			return;
		}
		check_tail(f, i->name_at, NAME1_BYTES, "instance name");
	} else {
		if (!string_entry(f, "instance", u64(f, i->name_at), "instance name", FIXED_TEXT))
			return;
		check_tail(f, u64(f, i->name_at), STRING_BYTES, "instance name");
	}
	if (*i->name == 0)
		fault(f, "instance", "id %d has an empty name", i->id);
	if (*i->name == ' ')
		fault(f, "instance", "name '%s' begins with a blank", i->name);
	if (!is_utf8(i->name))
		fault(f, "instance", "name of id %d is not UTF-8", i->id);
	if (has_control(i->name, "") || strchr(i->name, '"'))
		fault(f, "instance", "name of id %d has control characters or quotes", i->id);
}

static void check_instance(struct file *f, const struct indom *d, uint64_t at)
{
	struct instance i = instance_at(f, at);

	if (!is_instance(f, at))
		fault(f, "indom", "%u: instance at %" PRIu64 " is in no instances section", d->serial, at);
	if (i.indom != d->at)
		fault(f, "instance", "entry at %" PRIu64 " names another indom", at);
	if (i.padding != 0)
		unkept(f, "padding", "instance at %" PRIu64, at);
	if (i.id < 0)
		fault(f, "instance", "id %d is negative", i.id);
	check_instance_name(f, &i);
}

static int by_id(const void *a, const void *b)
{
	const struct instance *x = a, *y = b;

	if (x->id == y->id)
		return 0;
	return x->id < y->id ? -1 : 1;
}

/* PCP looks instances up by the name up to the first blank. */
static int by_first_word(const void *a, const void *b)
{
	const struct instance *x = a, *y = b;
	size_t m = strcspn(x->name, " "), n = strcspn(y->name, " ");
	int order = memcmp(x->name, y->name, m < n ? m : n);

	if (order != 0 || m == n)
		return order;
	return m < n ? -1 : 1;
}

/* Ids and first words of an indom's instances are unique. */
static void check_unique(struct file *f, const struct indom *d)
{
	struct instance *all = calloc((size_t)d->count + 1, sizeof(*all));
	uint32_t i;

	if (!all)
		abort();
	for (i = 0; i < d->count; i++) {
		all[i] = instance_at(f, d->first + (uint64_t)i * instance_bytes(f));
		if (!all[i].name)
			all[i].name = "";
	}
	qsort(all, d->count, sizeof(*all), by_id);
	for (i = 1; i < d->count; i++)
		if (all[i - 1].id == all[i].id)
			fault(f, "instance", "id %d twice in indom %u", all[i].id, d->serial);
	qsort(all, d->count, sizeof(*all), by_first_word);
	for (i = 1; i < d->count; i++)
		if (*all[i].name != 0 && by_first_word(&all[i - 1], &all[i]) == 0)
			fault(f, "instance", "names '%s' and '%s' are the same up to the first blank",
			       all[i - 1].name, all[i].name);
	free(all);
}

static void check_serials(struct file *f)
{
	unsigned char seen[MAX_SERIAL + 1] = { 0 };
	uint32_t i, serial;

	for (i = 0; i < f->section[INDOMS].count; i++) {
		serial = u32(f, nth_indom(f, i));
		if (serial < 1 || serial > MAX_SERIAL) {
			fault(f, "serial", "%u out of range 1..%d", serial, MAX_SERIAL);
			continue;
		}
		if (seen[serial])
			fault(f, "serial", "%u twice", serial);
		seen[serial] = 1;
	}
}

/* The reader follows the indoms, mmvdump the sections: both see the same. */
static void check_totals(struct file *f)
{
	uint64_t listed = 0, there = 0;
	uint32_t i;

	for (i = 0; i < f->section[INDOMS].count; i++)
		listed += indom_at(f, nth_indom(f, i)).count;
	for (i = 0; i < f->instance_sections; i++)
		there += f->instances[i].count;
	if (listed != there)
		fault(f, "instance", "%" PRIu64 " in indoms, %" PRIu64 " in sections", listed, there);
}

void check_indoms(struct file *f)
{
	uint32_t i, k;

	check_serials(f);
	for (i = 0; i < f->section[INDOMS].count; i++) {
		struct indom d = indom_at(f, nth_indom(f, i));

		check_help(f, d.oneline, d.help);
		if (!inside(f, d.first, (uint64_t)d.count * instance_bytes(f))) {
			fault(f, "indom", "%u: instances outside the file", d.serial);
			continue;
		}
		for (k = 0; k < d.count; k++)
			check_instance(f, &d, d.first + (uint64_t)k * instance_bytes(f));
		check_unique(f, &d);
	}
	check_totals(f);
}
