/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The values of all metrics but records: of this program, of an event, of the
 * client that asks.
 */
#include "stap.h"

static uint64_t all_skipped(void)
{
	uint64_t n, sum = 0;
	unsigned i;

	for (i = 0; i < sources_count(); i++)
		if (evfile_load(sources_file(i), MMV_EV_HDR_SKIPPED, &n))
			sum += n;
	return sum;
}

int values_control(unsigned item, pmAtomValue *value)
{
	switch (item) {
	case CONTROL_FILES:
		value->ul = sources_count();
		break;
	case CONTROL_CLIENTS:
		value->ul = clients_count(NULL);
		break;
	case CONTROL_REFUSED:
		value->ull = sources_refused;
		break;
	case CONTROL_REFUSAL:
		value->cp = sources_refusal;
		break;
	case CONTROL_FILTER_ERROR:
		value->cp = clients_error;
		break;
	case CONTROL_UNFIT:
		value->ull = records_unfit;
		break;
	case CONTROL_SKIPPED:
		value->ull = all_skipped();
		break;
	default:
		return PM_ERR_PMID;
	}
	return PMDA_FETCH_STATIC;
}

/* What the producer counts. */
int values_event(const struct event *e, unsigned item, pmAtomValue *value)
{
	unsigned t;

	switch (item) {
	case ITEM_COUNT:
		value->ull = evfile_sum(e->f, e->first, e->types, MMV_EV_LINE_HEAD);
		break;
	case ITEM_BYTES:
		value->ull = 0;
		for (t = e->first; t < e->first + e->types; t++)
			value->ull += evfile_sum(e->f, t, 1, MMV_EV_LINE_HEAD) * e->f->type[t].slot;
		break;
	case ITEM_LOST:
		value->ull = evfile_sum(e->f, e->first, e->types, MMV_EV_LINE_REFUSED);
		break;
	case ITEM_CUT:
		value->ull = evfile_sum(e->f, e->first, e->types, MMV_EV_LINE_CUT);
		break;
	case ITEM_CLIENTS:
		value->ul = clients_count(e);
		break;
	case ITEM_SLOTS:
		value->ul = e->f->type[e->first].slots;
		break;
	default:
		return PMDA_FETCH_NOVALUES;	/* a parameter */
	}
	return PMDA_FETCH_STATIC;
}

/* What belongs to the client that asks. */
int values_client(const struct sub *sub, unsigned item, pmAtomValue *value)
{
	uint64_t oldest = 0, backlog = 0, now = sources_now();
	int is_on = sub && sub->on;

	if (is_on && sub->cursor.f && (item == ITEM_BACKLOG || item == ITEM_LAG))
		backlog = cursor_backlog(&sub->cursor, &oldest);
	switch (item) {
	case ITEM_MISSED:
		value->ull = sub ? clients_missed(sub) : 0;
		break;
	case ITEM_DELIVERED:
		value->ull = sub ? sub->delivered : 0;
		break;
	case ITEM_FILTERED:
		value->ull = sub ? sub->filtered : 0;
		break;
	case ITEM_BACKLOG:
		value->ull = backlog;
		break;
	case ITEM_LAG:
		value->ull = oldest && now > oldest ? now - oldest : 0;
		break;
	default:
		value->cp = is_on ? (sub->text ? sub->text : "") : "none";
		break;
	}
	return PMDA_FETCH_STATIC;
}
