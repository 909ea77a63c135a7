/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * mmvcheck: records of the file, decoded, and finding them.
 */
#include <string.h>
#include "mmvcheck.h"

uint32_t instance_bytes(const struct file *f)
{
	return f->header.version == 1 ? 80 : 24;
}

uint32_t metric_bytes(const struct file *f)
{
	return f->header.version == 1 ? 104 : 48;
}

/* Version 1 has a name in its record, later versions have its offset there. */
static const char *name_at(const struct file *f, uint64_t at)
{
	if (f->header.version == 1)
		return text_at(f, at, NAME1_BYTES);
	return text_at(f, u64(f, at), STRING_BYTES);
}

struct indom indom_at(const struct file *f, uint64_t at)
{
	struct indom d;

	d.at = at;
	d.serial = u32(f, at);
	d.count = u32(f, at + 4);
	d.first = u64(f, at + 8);
	d.oneline = u64(f, at + 16);
	d.help = u64(f, at + 24);
	return d;
}

struct instance instance_at(const struct file *f, uint64_t at)
{
	struct instance i;

	i.at = at;
	i.indom = u64(f, at);
	i.padding = u32(f, at + 8);
	i.id = (int32_t)u32(f, at + 12);
	i.name_at = at + 16;
	i.name = name_at(f, at + 16);
	return i;
}

struct metric metric_at(const struct file *f, uint64_t at)
{
	uint64_t rest = at + (f->header.version == 1 ? NAME1_BYTES : 8);
	struct metric m;

	m.at = at;
	m.name_at = at;
	m.name = name_at(f, at);
	m.item = u32(f, rest);
	m.type = (int32_t)u32(f, rest + 4);
	m.semantics = u32(f, rest + 8);
	m.units = u32(f, rest + 12);
	m.serial = u32(f, rest + 16);
	m.padding = u32(f, rest + 20);
	m.oneline = u64(f, rest + 24);
	m.help = u64(f, rest + 32);
	return m;
}

struct value value_at(const struct file *f, uint64_t at)
{
	struct value v;

	v.at = at;
	v.bits = u64(f, at);
	v.extra = (int64_t)u64(f, at + 8);
	v.metric = u64(f, at + 16);
	v.instance = u64(f, at + 24);
	return v;
}

struct label label_at(const struct file *f, uint64_t at)
{
	struct label l;

	l.at = at;
	l.flags = u32(f, at);
	l.identity = u32(f, at + 4);
	l.instance = (int32_t)u32(f, at + 8);
	l.payload = text_at(f, at + 12, PAYLOAD_BYTES);
	return l;
}

uint64_t nth_indom(const struct file *f, uint32_t i)
{
	return f->section[INDOMS].at + (uint64_t)i * INDOM_BYTES;
}

uint64_t nth_metric(const struct file *f, uint32_t i)
{
	return f->section[METRICS].at + (uint64_t)i * metric_bytes(f);
}

/* Both 0 and PM_INDOM_NULL mean a metric without instances. */
bool has_instances(const struct metric *m)
{
	return m->serial != 0 && m->serial != UINT32_MAX;
}

bool find_indom(const struct file *f, uint32_t serial, struct indom *found)
{
	uint32_t i;

	for (i = 0; i < f->section[INDOMS].count; i++) {
		if (u32(f, nth_indom(f, i)) != serial)
			continue;
		*found = indom_at(f, nth_indom(f, i));
		return true;
	}
	return false;
}

/* In the indom's own list. A list that leaves the file has no instances. */
bool find_instance(const struct file *f, const struct indom *d, int32_t id, struct instance *found)
{
	uint32_t i;
	uint64_t at = d->first;

	if (!inside(f, d->first, (uint64_t)d->count * instance_bytes(f)))
		return false;
	for (i = 0; i < d->count; i++) {
		if ((int32_t)u32(f, at + 12) == id) {
			*found = instance_at(f, at);
			return true;
		}
		at += instance_bytes(f);
	}
	return false;
}

/* Is this the offset of an entry of the section, whose entries have so many bytes? */
bool is_entry(const struct section *s, uint32_t bytes, uint64_t at)
{
	if (at < s->at)
		return false;
	if ((at - s->at) % bytes != 0)
		return false;
	return (at - s->at) / bytes < s->count;
}
