/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Checking an event file. Each page is copied once; what is checked is the copy.
 */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "evfile.h"

static int fail(char *why, size_t size, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(why, size, format, args);
	va_end(args);
	return 0;
}

/* Places of words and texts in a private copy of a page. */
static uint64_t word_at(const unsigned char *page, unsigned at)
{
	uint64_t word;

	memcpy(&word, page + at, sizeof(word));
	return word;
}

/* A name: a letter, then letters, digits and underscores, and its end. */
static int name_at(const unsigned char *page, unsigned at, char *to)
{
	const char *name = (const char *)page + at;
	size_t i, length = strnlen(name, MMV_EV_NAME_BYTES);

	if (length == 0 || length == MMV_EV_NAME_BYTES)
		return 0;
	if (!isalpha((unsigned char)name[0]) || !isascii((unsigned char)name[0]))
		return 0;
	for (i = 1; i < length; i++)
		if (!isascii((unsigned char)name[i]) || (!isalnum((unsigned char)name[i]) && name[i] != '_'))
			return 0;
	memcpy(to, name, length);
	memset(to + length, 0, MMV_EV_NAME_BYTES - length);
	return 1;
}

/* Help: what is no printable ASCII or UTF-8 continuation becomes a blank. */
static void help_at(const unsigned char *page, unsigned at, char *to)
{
	size_t i;

	for (i = 0; i < MMV_EV_HELP_BYTES - 1 && page[at + i]; i++)
		to[i] = page[at + i] < 0x20 || page[at + i] == 0x7f ? ' ' : (char)page[at + i];
	to[i] = '\0';
}

static int is_type(uint64_t type)
{
	return type <= EV_U64 || type == EV_DOUBLE || type == EV_STRING;
}

static int check_text(const struct evtype *t, uint64_t type, uint64_t at, uint64_t room)
{
	uint64_t words = MMV_EV_SLOT_WORDS + 8 * (uint64_t)t->params;

	if (type != EV_STRING)
		return room == 0;
	if (room < 2 || room > MMV_EV_MAX_TEXT)
		return 0;
	return at >= words && at <= t->slot && room <= t->slot - at;
}

/* Names that every event has from this program (names.c), or filters have. */
static int is_reserved(const char *name)
{
	static const char *const reserved[] = { "timestamp", "cpu", "pid", "cut_texts", "event", "type" };
	size_t i;

	for (i = 0; i < sizeof(reserved) / sizeof(*reserved); i++)
		if (!strcmp(name, reserved[i]))
			return 1;
	return 0;
}

static int check_param(struct evtype *t, unsigned k, const unsigned char *page, char *why, size_t size)
{
	struct evparam *p = &t->param[k];
	const unsigned char *from = page + MMV_EV_PARAM + k * MMV_EV_PARAM_BYTES;
	uint64_t type = word_at(from, MMV_EV_PARAM_TYPE), sem = word_at(from, MMV_EV_PARAM_SEM);
	uint64_t units = word_at(from, MMV_EV_PARAM_UNITS), at = word_at(from, MMV_EV_PARAM_AT);
	uint64_t room = word_at(from, MMV_EV_PARAM_ROOM);
	unsigned i;

	if (!name_at(from, MMV_EV_PARAM_NAME, p->name) || is_reserved(p->name))
		return fail(why, size, "parameter %u of event %s has no proper name", k, t->name);
	for (i = 0; i < k; i++)
		if (!strcmp(t->param[i].name, p->name))
			return fail(why, size, "event %s has parameter %s twice", t->name, p->name);
	if (!is_type(type) || (sem != 1 && sem != 3 && sem != 4) || units > UINT32_MAX)
		return fail(why, size, "parameter %s.%s has a wrong type, semantics or units", t->name, p->name);
	if (!check_text(t, type, at, room))
		return fail(why, size, "parameter %s.%s lies outside of its slot", t->name, p->name);
	p->type = type;
	p->sem = sem;
	p->units = units;
	p->at = at;
	p->room = room;
	help_at(from, MMV_EV_PARAM_HELP, p->help);
	return 1;
}

/* Do the control lines and rings of a type lie in the file? */
static int check_places(const struct evfile *f, const struct evtype *t)
{
	uint64_t lines = (uint64_t)f->cpus * MMV_EV_LINE;
	uint64_t rings = (uint64_t)f->cpus * t->slots * t->slot;	/* below 2^13+16+12 */
	uint64_t least = MMV_EV_PAGE * (1 + (uint64_t)f->types);

	if (t->control < least || t->control % 8 || t->ring < least || t->ring % 8)
		return 0;
	if (t->control > f->bytes || lines > f->bytes - t->control)
		return 0;
	return t->ring <= f->bytes && rings <= f->bytes - t->ring;
}

static int check_slots(struct evtype *t, const unsigned char *page)
{
	uint64_t slot = word_at(page, MMV_EV_TYPE_SLOT), slots = word_at(page, MMV_EV_TYPE_SLOTS);

	if (slot < MMV_EV_SLOT_WORDS + 8 * (uint64_t)t->params || slot > MMV_EV_MAX_SLOT || slot % 8)
		return 0;
	if (slots < MMV_EV_MIN_SLOTS || slots > MMV_EV_MAX_SLOTS || (slots & (slots - 1)))
		return 0;
	t->slot = slot;
	t->slots = slots;
	return 1;
}

static int check_type(struct evfile *f, unsigned i, char *why, size_t size)
{
	unsigned char page[MMV_EV_PAGE];
	struct evtype *t = &f->type[i];
	uint64_t params, number;
	unsigned k;

	if (!evfile_copy(f, MMV_EV_PAGE * (1 + (uint64_t)i), page, sizeof(page)))
		return fail(why, size, "event %u is outside of the file", i);
	params = word_at(page, MMV_EV_TYPE_PARAMS);
	number = word_at(page, MMV_EV_TYPE_NUMBER);
	if (!name_at(page, MMV_EV_TYPE_NAME, t->name) || !strcmp(t->name, "all"))
		return fail(why, size, "event %u has no proper name", i);
	for (k = 0; k < i; k++)
		if (!strcmp(f->type[k].name, t->name))
			return fail(why, size, "event %s is there twice", t->name);
	if (params > MMV_EV_MAX_PARAMS || number >= MMV_EV_MAX_TYPES)
		return fail(why, size, "event %s has a wrong number, or too many parameters", t->name);
	t->params = params;
	t->number = number;
	t->control = word_at(page, MMV_EV_TYPE_CONTROL);
	t->ring = word_at(page, MMV_EV_TYPE_RING);
	if (!check_slots(t, page))
		return fail(why, size, "event %s has slots of a wrong size or number", t->name);
	if (!check_places(f, t))
		return fail(why, size, "rings of event %s are outside of the file", t->name);
	help_at(page, MMV_EV_TYPE_HELP, t->help);
	for (k = 0; k < t->params; k++)
		if (!check_param(t, k, page, why, size))
			return 0;
	return 1;
}

static int check_header(struct evfile *f, char *why, size_t size)
{
	unsigned char page[MMV_EV_PAGE];
	uint64_t cpus, types;

	why[0] = '\0';
	if (f->bytes < sizeof(page) || !evfile_copy(f, 0, page, sizeof(page)))
		return 0;
	if (word_at(page, MMV_EV_HDR_MAGIC) != MMV_EV_MAGIC)
		return 0;
	f->generation = word_at(page, MMV_EV_HDR_GENERATION);
	if (f->generation == 0)
		return 0;		/* not there yet, or over */
	cpus = word_at(page, MMV_EV_HDR_CPUS);
	types = word_at(page, MMV_EV_HDR_TYPES);
	if (word_at(page, MMV_EV_HDR_BYTES) != f->bytes)
		return fail(why, size, "it says it has another size");
	if (cpus == 0 || cpus > MMV_EV_MAX_CPUS || types == 0 || types > MMV_EV_MAX_TYPES)
		return fail(why, size, "numbers of CPUs or events are out of range");
	if (!name_at(page, MMV_EV_HDR_FILE, f->name) || !strcmp(f->name, "control"))
		return fail(why, size, "it has no proper name");
	f->control = word_at(page, MMV_EV_HDR_CONTROL) == 1;
	if (!name_at(page, MMV_EV_HDR_MODULE, f->module))
		f->control = 0;
	f->cpus = cpus;
	f->types = types;
	f->pid = word_at(page, MMV_EV_HDR_PID);
	f->offset = word_at(page, MMV_EV_HDR_OFFSET);
	return 1;
}

struct evfile *evfile_check(const unsigned char *map, uint64_t bytes, char *why, size_t size)
{
	struct evfile *f = calloc(1, sizeof(*f));
	unsigned i;

	evfile_guard();
	if (!f) {
		fail(why, size, "no memory");
		return NULL;
	}
	f->map = map;
	f->bytes = bytes;
	if (!check_header(f, why, size))
		goto wrong;
	f->type = calloc(f->types, sizeof(*f->type));
	if (!f->type) {
		fail(why, size, "no memory");
		goto wrong;
	}
	for (i = 0; i < f->types; i++)
		if (!check_type(f, i, why, size))
			goto wrong;
	return f;
wrong:
	free(f->type);
	free(f);
	return NULL;
}
