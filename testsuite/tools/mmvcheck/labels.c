/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * mmvcheck: labels. A payload is {"name":value}, see mmv(5).
 */
#include <ctype.h>
#include <string.h>
#include "mmvcheck.h"

enum { OF_INDOM = 0x04, OF_CLUSTER = 0x08, OF_ITEM = 0x10, OF_INSTANCE = 0x20, OPTIONAL = 0x80 };

/* The end of the name in a payload, its closing quote, or NULL. */
static const char *end_of_name(const char *payload)
{
	const char *s = payload + 2;

	if (strncmp(payload, "{\"", 2) != 0 || !isalpha((unsigned char)*s))
		return NULL;
	while (isalnum((unsigned char)*s) || *s == '_')
		s++;
	return s[0] == '"' && s[1] == ':' ? s : NULL;
}

/* Every metric has these labels already, from PCP itself. */
static bool is_reserved(const char *name, size_t bytes)
{
	static const char *const names[] = { "hostname", "domainname", "machineid", "userid", "groupid", "agent" };
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strlen(names[i]) == bytes && strncmp(name, names[i], bytes) == 0)
			return true;
	return false;
}

static void check_payload(struct file *f, const char *payload)
{
	const char *name_end = end_of_name(payload), *value_end;

	if (!is_utf8(payload))
		fault(f, "label", "'%s' is not UTF-8", payload);
	if (has_control(payload, ""))
		fault(f, "label", "control characters in a payload");
	if (!name_end) {
		fault(f, "label", "no name in '%s'", payload);
		return;
	}
	if (is_reserved(payload + 2, name_end - payload - 2))
		fault(f, "label", "the name in '%s' belongs to PCP", payload);
	value_end = json_value(name_end + 2, 0);
	if (value_end && *value_end == ',')
		fault(f, "label", "'%s' has more than one name and value", payload);
	else if (!value_end || strcmp(value_end, "}") != 0)
		fault(f, "label", "'%s' is not JSON", payload);
}

static bool item_exists(const struct file *f, uint32_t item)
{
	uint32_t i;

	for (i = 0; i < f->section[METRICS].count; i++)
		if (metric_at(f, nth_metric(f, i)).item == item)
			return true;
	return false;
}

static bool owner_exists(const struct file *f, const struct label *l)
{
	struct indom d;
	struct instance i;

	switch (l->flags & ~(uint32_t)OPTIONAL) {
	case OF_INDOM:
		return find_indom(f, l->identity, &d);
	case OF_CLUSTER:
		return l->identity == f->header.cluster && l->identity != 0;
	case OF_ITEM:
		return item_exists(f, l->identity);
	case OF_INSTANCE:
		return find_indom(f, l->identity, &d) && find_instance(f, &d, l->instance, &i);
	default:
		return false;
	}
}

static bool same_owner(const struct label *a, const struct label *b)
{
	if ((a->flags & ~(uint32_t)OPTIONAL) != (b->flags & ~(uint32_t)OPTIONAL))
		return false;
	return a->identity == b->identity && a->instance == b->instance;
}

/* How much of a payload says what the label is called. An object's members
 * are labels of their own, NAME.MEMBER, and may come in several records.
 */
static size_t identity_bytes(const char *payload)
{
	size_t name = strcspn(payload, ":");
	const char *member;

	if (strncmp(payload + name, ":{\"", 3) != 0)
		return name;
	member = json_string(payload + name + 2);
	return member ? (size_t)(member - payload) : name;
}

static bool same_label(const struct label *a, const struct label *b)
{
	size_t m, n;

	if (!a->payload || !b->payload || !same_owner(a, b))
		return false;
	m = identity_bytes(a->payload);
	n = identity_bytes(b->payload);
	return m == n && strncmp(a->payload, b->payload, n) == 0;
}

/* A change zeroes the record of a label whose owner was removed. */
static bool is_removed(const struct label *l)
{
	return l->flags == 0 && l->identity == 0;
}

static void check_label(struct file *f, const struct label *l)
{
	if (!l->payload) {
		fault(f, "label", "at %llu has no NUL in %d bytes", (unsigned long long)l->at, PAYLOAD_BYTES);
		return;
	}
	check_tail(f, l->at + 12, PAYLOAD_BYTES, "label");
	check_payload(f, l->payload);
	if ((l->flags & ~(uint32_t)OPTIONAL) != OF_INSTANCE && l->instance != -1)
		fault(f, "label", "'%s' has instance %d", l->payload, l->instance);
	if (!owner_exists(f, l))
		fault(f, "label", "'%s' of kind %#x belongs to nothing (%u, %d)", l->payload, l->flags,
		       l->identity, l->instance);
}

void check_labels(struct file *f)
{
	uint32_t n = f->section[LABELS].count, i, j;

	if (n > MAX_LABELS)
		return;				/* PCP drops them all, that was said */
	for (i = 0; i < n; i++) {
		struct label l = label_at(f, f->section[LABELS].at + (uint64_t)i * LABEL_BYTES);

		if (is_removed(&l))
			continue;
		check_label(f, &l);
		for (j = 0; j < i; j++) {
			struct label other = label_at(f, f->section[LABELS].at + (uint64_t)j * LABEL_BYTES);

			if (!is_removed(&other) && same_label(&l, &other))
				fault(f, "label", "'%s' twice", l.payload);
		}
	}
}
