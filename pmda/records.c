/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Records as PCP's event arrays. Arrays only: the library's queues forget
 * positions and losses (docs/events.md). Type EVENT, with microseconds, since
 * archives of the other one have no names of parameters; the nanoseconds are a
 * parameter.
 */
#include <stdlib.h>
#include <string.h>
#include "stap.h"

uint64_t records_unfit;

/* Each records metric of a fetch needs an array of its own until the result has
 * been sent.
 */
static int *arrays;
static unsigned arrays_count, arrays_used;

struct batch {
	struct sub *sub;
	const struct evfile *f;
	int array;
	int is_all;
	unsigned added;			/* records and losses */
};

void records_begin(void)
{
	arrays_used = 0;
}

static int next_array(void)
{
	int *more;

	if (arrays_used < arrays_count)
		return arrays[arrays_used++];
	more = realloc(arrays, (arrays_count + 1) * sizeof(*arrays));
	if (!more)
		return -ENOMEM;
	arrays = more;
	arrays[arrays_count] = pmdaEventNewArray();
	if (arrays[arrays_count] < 0)
		return arrays[arrays_count];
	arrays_used++;
	return arrays[arrays_count++];
}

static struct timeval time_of(const struct batch *b, uint64_t mono)
{
	uint64_t wall = mono + b->f->offset;
	struct timeval tv;

	tv.tv_sec = wall / 1000000000;
	tv.tv_usec = wall % 1000000000 / 1000;
	return tv;
}

static size_t add_text(const struct batch *b, pmID pmid, char *text, size_t length)
{
	pmAtomValue value;

	value.cp = text;
	pmdaEventAddParam(b->array, pmid, PM_TYPE_STRING, &value);
	return 8 + ((length + 3) & ~(size_t)3);
}

static size_t add_number(const struct batch *b, pmID pmid, int type, uint64_t word)
{
	pmAtomValue value;

	if (type == PM_TYPE_32 ? (int64_t)word != (int32_t)word : type == PM_TYPE_U32 && word != (uint32_t)word) {
		records_unfit++;
		return 0;
	}
	if (type == PM_TYPE_32 || type == PM_TYPE_U32)
		value.ul = word;
	else
		value.ull = word;	/* or the bits of a double */
	pmdaEventAddParam(b->array, pmid, type, &value);
	return 16;
}

/* The declared parameters; the names of those that were cut go to `cut`. */
static size_t add_params(const struct batch *b, const struct evtype *t, const uint64_t *slot, char *cut)
{
	char text[MMV_EV_MAX_TEXT];
	size_t bytes = 0, length;
	unsigned k;

	for (k = 0; k < t->params; k++) {
		const struct evparam *p = &t->param[k];
		uint64_t word = slot[MMV_EV_SLOT_WORDS / 8 + k];

		if (p->pmid == PM_ID_NULL)
			continue;
		if (p->type != EV_STRING) {
			bytes += add_number(b, p->pmid, p->type, word);
			continue;
		}
		length = slot_text(p, slot, k, text);
		bytes += add_text(b, p->pmid, text, length);
		if (word & MMV_EV_CUT) {
			if (cut[0])
				strcat(cut, " ");
			strcat(cut, p->name);
		}
	}
	return bytes;
}

/* What every record has beside its own parameters, behind them: ids come first. */
static size_t add_common(const struct batch *b, const struct evtype *t, uint32_t cpu, const uint64_t *slot, char *cut)
{
	size_t bytes;

	bytes = add_number(b, names_pmid(t->cluster, ITEM_TIMESTAMP), PM_TYPE_U64, slot[0] + b->f->offset);
	bytes += add_number(b, names_pmid(t->cluster, ITEM_CPU), PM_TYPE_U32, cpu);
	bytes += add_number(b, names_pmid(t->cluster, ITEM_PID), PM_TYPE_U32, (uint32_t)slot[MMV_EV_SLOT_MARK / 8]);
	if (cut[0])
		bytes += add_text(b, names_pmid(t->cluster, ITEM_CUT_TEXTS), cut, strlen(cut));
	if (b->is_all)
		bytes += add_text(b, names_pmid(b->sub->event->cluster, ITEM_EVENT), (char *)t->name, strlen(t->name));
	return bytes;
}

/* Flags that a record can bear: ids are its first two parameters. */
static int flags_of(const struct evtype *t, const uint64_t *slot)
{
	int flags = slot[MMV_EV_SLOT_MARK / 8] >> 32 & (EV_POINT | EV_START | EV_END | EV_ID | EV_PARENT);

	if (t->params < 1)
		flags &= ~EV_ID;
	if (t->params < 2)
		flags &= ~EV_PARENT;
	return flags;
}

static size_t one_record(void *arg, uint32_t type, uint32_t cpu, const uint64_t *slot)
{
	struct batch *b = arg;
	const struct evtype *t = &b->f->type[type];
	char cut[MMV_EV_MAX_PARAMS * (MMV_EV_NAME_BYTES + 1)] = "";
	struct timeval tv = time_of(b, slot[0]);
	size_t bytes = 16;

	if (b->sub->filter && !filter_match(b->sub->filter, b->f, type, cpu, slot)) {
		b->sub->filtered++;
		return 0;
	}
	pmdaEventAddRecord(b->array, &tv, flags_of(t, slot));
	bytes += add_params(b, t, slot, cut);
	bytes += add_common(b, t, cpu, slot, cut);
	b->sub->delivered++;
	b->added++;
	return bytes;
}

/* PCP has 31 bits for a loss. */
static size_t some_missed(void *arg, uint64_t time, uint64_t n)
{
	struct batch *b = arg;
	struct timeval tv = time_of(b, time ? time : sources_now());

	pmdaEventAddMissedRecord(b->array, &tv, n > 0x7fffffff ? 0x7fffffff : (int)n);
	b->added++;
	return 16;
}

int records_fetch(struct sub *sub, pmAtomValue *value)
{
	struct batch b = { sub, sub->cursor.f, -1, 0, 0 };
	struct sink sink = { &b, one_record, some_missed };

	if (!sub->on || !sub->cursor.f)
		return PMDA_FETCH_NOVALUES;
	b.array = next_array();
	if (b.array < 0)
		return b.array;
	b.is_all = !strcmp(sub->event->name, "all");
	pmdaEventResetArray(b.array);
	if (cursor_drain(&sub->cursor, MAX_RECORDS, MAX_BYTES, &sink) < 0)
		sources_corrupt(sub->cursor.f);
	if (b.added == 0)
		return PMDA_FETCH_NOVALUES;
	value->vbp = (pmValueBlock *)pmdaEventGetAddr(b.array);
	return PMDA_FETCH_STATIC;
}
