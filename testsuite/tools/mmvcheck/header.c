/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * mmvcheck: header and table of contents.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "mmvcheck.h"

static void decode_header(struct file *f)
{
	struct header *h = &f->header;

	h->version = u32(f, 4);
	h->generation1 = u64(f, 8);
	h->generation2 = u64(f, 16);
	h->tocs = u32(f, 24);
	h->flags = u32(f, 28);
	h->process = (int32_t)u32(f, 32);
	h->cluster = u32(f, 36);
}

static void check_header_fields(struct file *f)
{
	const struct header *h = &f->header;

	if (h->generation1 == 0)
		fault(f, "generation", "generation 1 is 0");
	if (h->generation1 != h->generation2)
		fault(f, "generation", "in flux: %" PRIx64 ", %" PRIx64, h->generation1, h->generation2);
	if (h->flags & ~(uint32_t)(NOPREFIX | PROCESS | SENTINEL))
		unkept(f, "flags", "unknown flags %#x", h->flags);
	if ((h->flags & PROCESS) && h->process < 0)
		fault(f, "process", "flag PROCESS with process %d", h->process);
	if ((h->flags & PROCESS) && h->process == 0)
		unkept(f, "process", "flag PROCESS with process 0");
	if (h->cluster > MAX_CLUSTER)
		fault(f, "cluster", "%u out of range 0..%d", h->cluster, MAX_CLUSTER);
}

/* Returns false when nothing else can be judged. */
bool check_header(struct file *f)
{
	if (f->size < HEADER_BYTES + 2 * TOC_BYTES) {
		fault(f, "size", "%" PRIu64 " bytes hold no header and TOC", f->size);
		return false;
	}
	if (memcmp(f->bytes, "MMV", 4) != 0) {
		fault(f, "magic", "not \"MMV\"");
		return false;
	}
	decode_header(f);
	if (f->header.version < 1 || f->header.version > 3) {
		fault(f, "version", "%u is not 1, 2 or 3", f->header.version);
		return false;
	}
	check_header_fields(f);
	return true;
}

static uint32_t entry_bytes(const struct file *f, uint32_t type)
{
	switch (type) {
	case INDOMS: return INDOM_BYTES;
	case INSTANCES: return instance_bytes(f);
	case METRICS: return metric_bytes(f);
	case VALUES: return VALUE_BYTES;
	case STRINGS: return STRING_BYTES;
	default: return LABEL_BYTES;
	}
}

/* Returns false when the section cannot be used. */
static bool check_section(struct file *f, uint32_t i, uint32_t type, const struct section *s)
{
	if (type < INDOMS || type > LABELS) {
		fault(f, "toc", "entry %u has unknown type %u", i, type);
		return false;
	}
	if (!inside(f, s->at, (uint64_t)s->count * entry_bytes(f, type))) {
		fault(f, "section", "entry %u of type %u: %u entries at %" PRIu64 " end outside the file",
		       i, type, s->count, s->at);
		return false;
	}
	if (type != INSTANCES && f->section[type].at != 0) {
		fault(f, "toc", "second section of type %u", type);
		return false;
	}
	if (s->at % 8 != 0)
		fault(f, "alignment", "entry %u of type %u at %" PRIu64, i, type, s->at);
	if (s->count == 0 && (type == INDOMS || type == STRINGS || type == LABELS))
		unkept(f, "toc", "empty section of type %u", type);
	return true;
}

static void keep_section(struct file *f, uint32_t type, const struct section *s)
{
	if (type != INSTANCES) {
		f->section[type] = *s;
		return;
	}
	f->instances[f->instance_sections] = *s;
	f->instance_sections++;
}

struct area { uint64_t from, to; };

static int by_begin(const void *a, const void *b)
{
	const struct area *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	if (x->to != y->to)
		return x->to < y->to ? -1 : 1;
	return 0;
}

static void check_overlap(struct file *f, struct area *area, uint32_t n)
{
	uint64_t end = 0;
	uint32_t i;

	qsort(area, n, sizeof(*area), by_begin);
	for (i = 0; i < n; i++) {
		if (area[i].from == area[i].to)
			continue;
		if (area[i].from < end)
			fault(f, "overlap", "section at %" PRIu64 " lies on one that ends at %" PRIu64, area[i].from, end);
		if (area[i].to > end)
			end = area[i].to;
	}
}

static void check_counts(struct file *f)
{
	if (f->section[METRICS].count > MAX_METRICS)
		fault(f, "metrics", "%u, at most %d", f->section[METRICS].count, MAX_METRICS);
	if (f->section[LABELS].count > MAX_LABELS)
		fault(f, "labels", "%u, at most %d", f->section[LABELS].count, MAX_LABELS);
	if (f->section[LABELS].count > 0 && f->header.version != 3)
		unkept(f, "labels", "in a version %u file", f->header.version);
	if (f->section[INDOMS].count > 0 && f->header.cluster > MAX_INDOM_CLUSTER)
		fault(f, "cluster", "%u has indoms: they mix with those of cluster %u", f->header.cluster,
		       f->header.cluster & MAX_INDOM_CLUSTER);
}

/* Returns false when the sections cannot be relied on. */
bool check_toc(struct file *f)
{
	static struct area area[MAX_TOCS + 1];
	uint32_t n = f->header.tocs, i;

	if (n < 2 || n > MAX_TOCS || !inside(f, HEADER_BYTES, (uint64_t)n * TOC_BYTES)) {
		fault(f, "toc", "%u entries", n);
		return false;
	}
	for (i = 0; i < n; i++) {
		uint64_t at = HEADER_BYTES + (uint64_t)i * TOC_BYTES;
		uint32_t type = u32(f, at);
		struct section s = { u64(f, at + 8), u32(f, at + 4) };

		if (!check_section(f, i, type, &s))
			return false;
		keep_section(f, type, &s);
		area[i].from = s.at;
		area[i].to = s.at + (uint64_t)s.count * entry_bytes(f, type);
	}
	area[n].from = 0;
	area[n].to = HEADER_BYTES + (uint64_t)n * TOC_BYTES;
	check_overlap(f, area, n + 1);
	if (f->section[METRICS].at == 0 || f->section[VALUES].at == 0) {
		fault(f, "toc", "no %s section", f->section[METRICS].at == 0 ? "metrics" : "values");
		return false;
	}
	check_counts(f);
	return true;
}
