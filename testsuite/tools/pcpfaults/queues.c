/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * queues CASE: what PCP's own event queues (libpcp_pmda) hand to clients. For
 * events_pcp.exp. Prints a line for each fetch: client, records, and how many
 * events were reported as missed.
 *
 *	twice		two clients, three events; the first client fetches twice
 *	overflow	two clients, 25 events, room for 10; each fetches once
 *	another		an event waits in one of many queues; one queue more is made
 */
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <pcp/pmapi.h>
#include <pcp/pmda.h>

enum { EVENT_BYTES = 100, FIRST = 1, SECOND = 2 };
static pmID param;

static int decode(int array, void *event, size_t bytes, struct timeval *when, void *data)
{
	pmAtomValue value = { .cp = event };

	(void)bytes;
	(void)data;
	if (pmdaEventAddRecord(array, when, PM_EVENT_FLAG_POINT) < 0)
		return -1;
	return pmdaEventAddParam(array, param, PM_TYPE_STRING, &value) < 0 ? -1 : 1;
}

static void append(int queue, int n)
{
	char event[EVENT_BYTES];
	struct timeval now;

	while (n-- > 0) {
		memset(event, 0, sizeof(event));
		strcpy(event, "event");
		gettimeofday(&now, NULL);
		pmdaEventQueueAppend(queue, event, sizeof(event), &now);
	}
}

static void fetch(int queue, int context)
{
	pmAtomValue value;
	pmEventArray *array;
	pmEventRecord *record;
	int i, k, records = 0, missed = 0;
	char *at;

	value.vbp = NULL;
	if (pmdaEventQueueRecords(queue, &value, context, decode, NULL) >= 0 && value.vbp) {
		array = (pmEventArray *)value.vbp;
		at = (char *)&array->ea_record[0];
		for (i = 0; i < array->ea_nrecords; i++) {
			record = (pmEventRecord *)at;
			at += sizeof(*record) - sizeof(record->er_param[0]);
			if (record->er_flags & PM_EVENT_FLAG_MISSED) {
				missed += record->er_nparams;
				continue;
			}
			records++;
			for (k = 0; k < (int)record->er_nparams; k++) {
				pmEventParameter *p = (pmEventParameter *)at;

				at += sizeof(p->ep_pmid) + (p->ep_len + 3) / 4 * 4;
			}
		}
	}
	printf("client %d: %d records, %d missed\n", context, records, missed);
}

/* The first fetch tells the queue of the client; there is nothing yet. */
static void client(int queue, int context)
{
	pmAtomValue value;

	pmdaEventNewClient(context);
	pmdaEventSetAccess(context, queue, 1);
	pmdaEventQueueRecords(queue, &value, context, decode, NULL);
}

static void many_queues(void)
{
	int first = pmdaEventNewQueue("first", 100 * EVENT_BYTES), i;
	char name[16];

	client(first, FIRST);
	append(first, 3);
	for (i = 0; i < 20; i++) {
		sprintf(name, "more%d", i);
		pmdaEventNewQueue(name, 100 * EVENT_BYTES);
	}
	fetch(first, FIRST);
}

int main(int argc, char **argv)
{
	int queue;

	param = pmID_build(1, 0, 1);
	if (argc != 2)
		return 2;
	if (!strcmp(argv[1], "another")) {
		many_queues();
		return 0;
	}
	queue = pmdaEventNewQueue("queue", 10 * EVENT_BYTES);
	client(queue, FIRST);
	client(queue, SECOND);
	append(queue, strcmp(argv[1], "twice") ? 25 : 3);
	fetch(queue, FIRST);
	if (!strcmp(argv[1], "twice"))
		fetch(queue, FIRST);
	fetch(queue, SECOND);
	return 0;
}
