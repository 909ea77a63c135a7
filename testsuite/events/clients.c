/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * clients HOST:PORT FILE N: N clients of stap.FILE.one, with filters and speeds
 * of their own, which fetch turn by turn until the file "go" of the present
 * directory is gone and then until nothing is left. For each: what it got and
 * missed by its own count, what the PMDA says, and whether that is all that was
 * produced while it was there.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <pcp/pmapi.h>

enum { MAX = 20 };
static const char *const filters[] = { NULL, "number & 1", "id == 3 || id == 5", "text ~ \"longer\"", "" };
enum { FILTERS = sizeof(filters) / sizeof(*filters) };

static struct client {
	int context;
	const char *filter;
	unsigned long long got, missed, from, last[8], wrong;
	struct timeval time;
} client[MAX];
static pmID records, number, cpu, id, event_missed;

static void die(const char *what, int sts)
{
	fprintf(stderr, "%s: %s\n", what, pmErrStr(sts));
	exit(2);
}

static pmID lookup(const char *file, const char *metric)
{
	char name[200];
	void *names = (char *[]){ name };	/* const or not, by version */
	pmID pmid;
	int sts;

	snprintf(name, sizeof(name), "stap.%s.%s", file, metric);
	sts = pmLookupName(1, names, &pmid);
	if (sts < 0)
		die(name, sts);
	return pmid;
}

static unsigned long long count_of(const char *file, const char *metric)
{
	pmID pmid = lookup(file, metric);
	pmResult *result;
	pmAtomValue value;
	int sts = pmFetch(1, &pmid, &result);

	if (sts < 0)
		die(metric, sts);
	if (result->vset[0]->numval != 1)
		die(metric, result->vset[0]->numval);
	pmExtractValue(result->vset[0]->valfmt, &result->vset[0]->vlist[0], PM_TYPE_U64, &value, PM_TYPE_U64);
	pmFreeResult(result);
	return value.ull;
}

static int matches(const struct client *c, unsigned long long n, unsigned i)
{
	if (!c->filter || !c->filter[0])
		return 1;
	if (c->filter == filters[1])
		return n & 1;
	if (c->filter == filters[2])
		return i == 3 || i == 5;
	return n % 10 == 0;
}

/* One record: in order, wanted, and what it should be. */
static void record(struct client *c, pmResult *r)
{
	unsigned long long n = 0;
	unsigned on = 9, i = 9;
	pmAtomValue value;
	int k;

	for (k = 0; k < r->numpmid; k++) {
		pmValueSet *set = r->vset[k];

		if (set->pmid == event_missed) {
			pmExtractValue(set->valfmt, &set->vlist[0], PM_TYPE_U32, &value, PM_TYPE_U32);
			c->missed += value.ul;
			return;
		}
		if (set->pmid == number) {
			pmExtractValue(set->valfmt, &set->vlist[0], PM_TYPE_U64, &value, PM_TYPE_U64);
			n = value.ull;
		} else if (set->pmid == cpu || set->pmid == id) {
			pmExtractValue(set->valfmt, &set->vlist[0], PM_TYPE_U32, &value, PM_TYPE_U32);
			*(set->pmid == cpu ? &on : &i) = value.ul;
		}
	}
	c->got++;
	if (on >= 8 || n == 0 || n <= c->last[on] || i != n % 7 || !matches(c, n, i))
		c->wrong++;
	else
		c->last[on] = n;
	if (r->timestamp.tv_sec * 1e6 + r->timestamp.tv_usec < c->time.tv_sec * 1e6 + c->time.tv_usec)
		c->wrong++;
	c->time.tv_sec = r->timestamp.tv_sec;
	c->time.tv_usec = r->timestamp.tv_usec;
}

/* Fetches; how many records, losses among them, there were. */
static int fetch(struct client *c)
{
	pmResult *result, **each;
	int sts, n = 0, k;

	pmUseContext(c->context);
	sts = pmFetch(1, &records, &result);
	if (sts < 0)
		die("fetch", sts);
	memset(&c->time, 0, sizeof(c->time));	/* in order in each fetch */
	if (result->vset[0]->numval == 1) {
		n = pmUnpackEventRecords(result->vset[0], 0, &each);
		if (n < 0)
			die("unpack", n);
		if (!event_missed)	/* a name that the first unpacking makes */
			pmLookupName(1, (void *)(char *[]){ (char *)"event.missed" }, &event_missed);
		for (k = 0; k < n; k++)
			record(c, each[k]);
		pmFreeEventResult(each);
	}
	pmFreeResult(result);
	return n;
}

static void store(const char *text_)
{
	size_t length = strlen(text_) + 1;
	pmValueBlock *block = malloc(sizeof(*block) + length);
	pmResult result;
	pmValueSet set;
	int sts;

	block->vtype = PM_TYPE_STRING;
	block->vlen = PM_VAL_HDR_SIZE + length;
	memcpy(block->vbuf, text_, length);
	memset(&result, 0, sizeof(result));
	result.numpmid = 1;
	result.vset[0] = &set;
	set.pmid = records;
	set.numval = 1;
	set.vlist[0].inst = PM_IN_NULL;
	set.vlist[0].value.pval = block;
	set.valfmt = PM_VAL_SPTR;
	sts = pmStore(&result);
	if (sts < 0)
		die(text_, sts);
	free(block);
}

int main(int argc, char **argv)
{
	const char *file;
	int i, n, rounds;

	if (argc != 4)
		return 2;
	file = argv[2];
	n = atoi(argv[3]);
	for (i = 0; i < n && i < MAX; i++) {
		client[i].context = pmNewContext(PM_CONTEXT_HOST, argv[1]);
		if (client[i].context < 0)
			die(argv[1], client[i].context);
		client[i].filter = filters[i % FILTERS];
	}
	records = lookup(file, "one.records");
	number = lookup(file, "one.param.number");
	cpu = lookup(file, "one.param.cpu");
	id = lookup(file, "one.param.id");
	/* All contexts before any store, so that one taken for another shows. */
	for (i = 0; i < n; i++) {
		pmUseContext(client[i].context);
		if (client[i].filter)
			store(client[i].filter);
		client[i].from = count_of(file, "one.count");
		fetch(&client[i]);
	}
	printf("registered\n");
	fflush(stdout);
	for (rounds = 1; access("go", F_OK) == 0; rounds++) {
		for (i = 0; i < n; i++)
			if (rounds % (i * i + 1) == 0)
				fetch(&client[i]);
		usleep(1000);
	}
	for (i = 0; i < n; i++) {
		struct client *c = &client[i];
		unsigned long long made, filtered;

		while (fetch(c) > 0)
			;
		made = count_of(file, "one.count") - c->from;
		filtered = count_of(file, "one.filtered");
		printf("client %d: %s, wrong %llu, %s\n", i,
		       c->got == count_of(file, "one.delivered") && c->missed == count_of(file, "one.missed") ? "as the PMDA says" : "else",
		       c->wrong, c->got + c->missed + filtered == made ? "exact" : "NOT EXACT");
		fprintf(stderr, "client %d: got %llu missed %llu filtered %llu made %llu backlog %llu\n", i, c->got, c->missed,
			filtered, made, count_of(file, "one.backlog"));
	}
	return 0;
}
