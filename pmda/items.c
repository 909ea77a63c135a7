/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The metrics that every event has, and those of the program: name, type,
 * semantics, dimensions in bytes, nanoseconds and count, help.
 */
#include "stap.h"

const struct item event_items[] = {
	{ ITEM_RECORDS, "records", PM_TYPE_EVENT, PM_SEM_INSTANT, 0, 0, 0,
	  "records since this client's last fetch; store a filter here" },
	{ ITEM_COUNT, "count", PM_TYPE_U64, PM_SEM_COUNTER, 0, 0, 1,
	  "records made, while anybody listened" },
	{ ITEM_BYTES, "bytes", PM_TYPE_U64, PM_SEM_COUNTER, 1, 0, 0,
	  "bytes of the records made, in the rings" },
	{ ITEM_LOST, "lost", PM_TYPE_U64, PM_SEM_COUNTER, 0, 0, 1,
	  "records refused by the producer because of wrong arguments" },
	{ ITEM_CUT, "cut", PM_TYPE_U64, PM_SEM_COUNTER, 0, 0, 1,
	  "texts cut to fit into their record" },
	{ ITEM_MISSED, "missed", PM_TYPE_U64, PM_SEM_COUNTER, 0, 0, 1,
	  "records overwritten before this client fetched them" },
	{ ITEM_DELIVERED, "delivered", PM_TYPE_U64, PM_SEM_COUNTER, 0, 0, 1,
	  "records that this client got" },
	{ ITEM_FILTERED, "filtered", PM_TYPE_U64, PM_SEM_COUNTER, 0, 0, 1,
	  "records that this client's filter kept back" },
	{ ITEM_BACKLOG, "backlog", PM_TYPE_U64, PM_SEM_INSTANT, 0, 0, 1,
	  "records that wait for this client" },
	{ ITEM_LAG, "lag", PM_TYPE_U64, PM_SEM_INSTANT, 0, 1, 0,
	  "age of the oldest record that waits for this client" },
	{ ITEM_CLIENTS, "clients", PM_TYPE_U32, PM_SEM_INSTANT, 0, 0, 1,
	  "clients that listen" },
	{ ITEM_SLOTS, "slots", PM_TYPE_U32, PM_SEM_DISCRETE, 0, 0, 1,
	  "records that the ring of each CPU holds, and one" },
	{ ITEM_FILTER, "filter", PM_TYPE_STRING, PM_SEM_DISCRETE, 0, 0, 0,
	  "filter of this client, \"none\" if it has not registered" },
	{ ITEM_TIMESTAMP, "param.timestamp", PM_TYPE_U64, PM_SEM_INSTANT, 0, 1, 0,
	  "wall-clock time of the record, since 1970" },
	{ ITEM_CPU, "param.cpu", PM_TYPE_U32, PM_SEM_DISCRETE, 0, 0, 0,
	  "CPU of the record" },
	{ ITEM_PID, "param.pid", PM_TYPE_U32, PM_SEM_DISCRETE, 0, 0, 0,
	  "process that the record was made in, 0 for an idle CPU" },
	{ ITEM_CUT_TEXTS, "param.cut_texts", PM_TYPE_STRING, PM_SEM_DISCRETE, 0, 0, 0,
	  "parameters whose text was cut to fit" },
	{ ITEM_EVENT, "param.event", PM_TYPE_STRING, PM_SEM_DISCRETE, 0, 0, 0,
	  "which event it was" },
	{ 0, NULL, 0, 0, 0, 0, 0, NULL }
};
const struct item control_items[] = {
	{ CONTROL_FILES, "files", PM_TYPE_U32, PM_SEM_INSTANT, 0, 0, 1,
	  "event files that are shown" },
	{ CONTROL_CLIENTS, "clients", PM_TYPE_U32, PM_SEM_INSTANT, 0, 0, 1,
	  "registrations of clients, for all events" },
	{ CONTROL_REFUSED, "refused", PM_TYPE_U64, PM_SEM_COUNTER, 0, 0, 1,
	  "files and producers that something is wrong with" },
	{ CONTROL_REFUSAL, "refusal", PM_TYPE_STRING, PM_SEM_DISCRETE, 0, 0, 0,
	  "the last of these, and what is wrong" },
	{ CONTROL_FILTER_ERROR, "filter_error", PM_TYPE_STRING, PM_SEM_DISCRETE, 0, 0, 0,
	  "what was wrong with the last bad filter, and where" },
	{ CONTROL_UNFIT, "unfit", PM_TYPE_U64, PM_SEM_COUNTER, 0, 0, 1,
	  "integers left out of records because they need more than 32 bits" },
	{ CONTROL_SKIPPED, "skipped", PM_TYPE_U64, PM_SEM_COUNTER, 0, 0, 1,
	  "probe hits that the sessions skipped, before any record" },
	{ 0, NULL, 0, 0, 0, 0, 0, NULL }
};

const char *item_help(const struct item *items, unsigned item)
{
	for (; items->name; items++)
		if (items->item == item)
			return items->help;
	return NULL;
}
