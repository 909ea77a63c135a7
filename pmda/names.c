/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Names, PMIDs, descriptions and help of the metrics.
 *
 * PMIDs follow from names, so that archives of different runs fit together: the
 * cluster from FILE.EVENT, a parameter's item from its name, type, semantics
 * and units. Where two names lead to the same number, the second one gets the
 * next free number; it keeps it as long as this program runs.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "stap.h"

#define CLUSTERS	4095		/* 0 is the program's own, 4095 nobody's */

struct item {
	unsigned item;
	const char *name;
	int type, sem;
	int space, time, one;		/* dimensions; time is in ns */
	const char *help;
};

static const struct item event_items[] = {
	{ ITEM_RECORDS, "records", PM_TYPE_EVENT, PM_SEM_INSTANT, 0, 0, 0, "records since this client's last fetch; store a filter here" },
	{ ITEM_COUNT, "count", PM_TYPE_U64, PM_SEM_COUNTER, 0, 0, 1, "records made, while anybody listened" },
	{ ITEM_BYTES, "bytes", PM_TYPE_U64, PM_SEM_COUNTER, 1, 0, 0, "bytes of the records made, in the rings" },
	{ ITEM_LOST, "lost", PM_TYPE_U64, PM_SEM_COUNTER, 0, 0, 1, "records refused by the producer because of wrong arguments" },
	{ ITEM_CUT, "cut", PM_TYPE_U64, PM_SEM_COUNTER, 0, 0, 1, "texts cut to fit into their record" },
	{ ITEM_MISSED, "missed", PM_TYPE_U64, PM_SEM_COUNTER, 0, 0, 1, "records overwritten before this client fetched them" },
	{ ITEM_DELIVERED, "delivered", PM_TYPE_U64, PM_SEM_COUNTER, 0, 0, 1, "records that this client got" },
	{ ITEM_FILTERED, "filtered", PM_TYPE_U64, PM_SEM_COUNTER, 0, 0, 1, "records that this client's filter kept back" },
	{ ITEM_BACKLOG, "backlog", PM_TYPE_U64, PM_SEM_INSTANT, 0, 0, 1, "records that wait for this client" },
	{ ITEM_LAG, "lag", PM_TYPE_U64, PM_SEM_INSTANT, 0, 1, 0, "age of the oldest record that waits for this client" },
	{ ITEM_CLIENTS, "clients", PM_TYPE_U32, PM_SEM_INSTANT, 0, 0, 1, "clients that listen" },
	{ ITEM_SLOTS, "slots", PM_TYPE_U32, PM_SEM_DISCRETE, 0, 0, 1, "records that the ring of each CPU holds, and one" },
	{ ITEM_FILTER, "filter", PM_TYPE_STRING, PM_SEM_DISCRETE, 0, 0, 0, "filter of this client, \"none\" if it has not registered" },
	{ ITEM_TIMESTAMP, "param.timestamp", PM_TYPE_U64, PM_SEM_INSTANT, 0, 1, 0, "wall-clock time of the record, since 1970" },
	{ ITEM_CPU, "param.cpu", PM_TYPE_U32, PM_SEM_DISCRETE, 0, 0, 0, "CPU of the record" },
	{ ITEM_PID, "param.pid", PM_TYPE_U32, PM_SEM_DISCRETE, 0, 0, 0, "process that the record was made in, 0 for an idle CPU" },
	{ ITEM_CUT_TEXTS, "param.cut_texts", PM_TYPE_STRING, PM_SEM_DISCRETE, 0, 0, 0, "parameters whose text was cut to fit" },
	{ ITEM_EVENT, "param.event", PM_TYPE_STRING, PM_SEM_DISCRETE, 0, 0, 0, "which event it was" },
};
static const struct item control_items[] = {
	{ CONTROL_FILES, "files", PM_TYPE_U32, PM_SEM_INSTANT, 0, 0, 1, "event files that are shown" },
	{ CONTROL_CLIENTS, "clients", PM_TYPE_U32, PM_SEM_INSTANT, 0, 0, 1, "registrations of clients, for all events" },
	{ CONTROL_REFUSED, "refused", PM_TYPE_U64, PM_SEM_COUNTER, 0, 0, 1, "files and producers that something is wrong with" },
	{ CONTROL_REFUSAL, "refusal", PM_TYPE_STRING, PM_SEM_DISCRETE, 0, 0, 0, "the last of these, and what is wrong" },
	{ CONTROL_FILTER_ERROR, "filter_error", PM_TYPE_STRING, PM_SEM_DISCRETE, 0, 0, 0, "what was wrong with the last bad filter, and where" },
	{ CONTROL_UNFIT, "unfit", PM_TYPE_U64, PM_SEM_COUNTER, 0, 0, 1, "integers left out of records because they need more than 32 bits" },
	{ CONTROL_SKIPPED, "skipped", PM_TYPE_U64, PM_SEM_COUNTER, 0, 0, 1, "probe hits that the sessions skipped, before any record" },
};
#define LENGTH(array)	(sizeof(array) / sizeof(*(array)))

static struct event *events[CLUSTERS];	/* by cluster */
static int domain;
static pmdaNameSpace *tree;
static pmdaMetric *metrics;
static unsigned metrics_count, metrics_room;

static unsigned hash(const char *text)
{
	uint32_t h = 2166136261u;

	for (; *text; text++)
		h = (h ^ (unsigned char)*text) * 16777619u;
	return h ^ h >> 16;
}

pmID names_pmid(unsigned cluster, unsigned item)
{
	return pmID_build(domain, cluster, item);
}

struct event *names_event(unsigned cluster)
{
	return cluster < CLUSTERS ? events[cluster] : NULL;
}

/* The event of these names, a new one if need be; NULL when all are taken. */
static struct event *event_of(const char *file, const char *name)
{
	char both[2 * MMV_EV_NAME_BYTES];
	struct event *e;
	unsigned i, k;

	snprintf(both, sizeof(both), "%s.%s", file, name);
	k = hash(both) % (CLUSTERS - 1);
	for (i = 1; i < CLUSTERS; i++, k = (k + 1) % (CLUSTERS - 1)) {
		e = events[k + 1];
		if (!e)
			break;
		if (!strcmp(e->file, file) && !strcmp(e->name, name))
			return e;
	}
	if (i == CLUSTERS)
		return NULL;
	e = calloc(1, sizeof(*e));
	if (!e)
		return NULL;
	snprintf(e->file, sizeof(e->file), "%s", file);
	snprintf(e->name, sizeof(e->name), "%s", name);
	e->cluster = k + 1;
	events[k + 1] = e;
	return e;
}

/* The item of a parameter, 0 when all are taken. */
static unsigned item_of(struct event *e, const struct evparam *p)
{
	const unsigned room = ITEM_END - ITEM_PARAM;
	char shape[MMV_EV_NAME_BYTES + 40];
	unsigned i, k;

	snprintf(shape, sizeof(shape), "%s %u %u %x", p->name, p->type, p->sem, p->units);
	k = hash(shape) % room;
	for (i = 0; i < room; i++, k = (k + 1) % room) {
		char **taken = &e->item[ITEM_PARAM + k];

		if (!*taken)
			*taken = strdup(shape);
		if (*taken && !strcmp(*taken, shape))
			return ITEM_PARAM + k;
	}
	return 0;
}

static void add(unsigned cluster, unsigned item, const char *name, int type, int sem, pmUnits units)
{
	pmdaMetric *m;

	if (metrics_count == metrics_room) {
		unsigned room = metrics_room ? 2 * metrics_room : 256;
		pmdaMetric *more = realloc(metrics, room * sizeof(*more));

		if (!more)
			return;
		metrics = more;
		metrics_room = room;
	}
	m = &metrics[metrics_count++];
	memset(m, 0, sizeof(*m));
	m->m_desc.pmid = names_pmid(cluster, item);
	m->m_desc.type = type;
	m->m_desc.indom = PM_INDOM_NULL;
	m->m_desc.sem = sem;
	m->m_desc.units = units;
	pmdaTreeInsert(tree, m->m_desc.pmid, name);
}

static void add_item(unsigned cluster, const char *prefix, const struct item *item)
{
	char name[4 * MMV_EV_NAME_BYTES];
	pmUnits units;

	memset(&units, 0, sizeof(units));
	units.dimSpace = item->space;
	units.dimTime = item->time;
	units.dimCount = item->one;
	snprintf(name, sizeof(name), "stap.%s.%s", prefix, item->name);
	add(cluster, item->item, name, item->type, item->sem, units);
}

/* A four-bit number with sign. */
static int nibble(uint32_t word, int shift)
{
	int n = word >> shift & 15;

	return n < 8 ? n : n - 16;
}

static pmUnits units_of(uint32_t word)
{
	pmUnits units;

	memset(&units, 0, sizeof(units));
	units.dimSpace = nibble(word, 28);
	units.dimTime = nibble(word, 24);
	units.dimCount = nibble(word, 20);
	units.scaleSpace = word >> 16 & 15;
	units.scaleTime = word >> 12 & 15;
	units.scaleCount = nibble(word, 8);
	return units;
}

static void add_params(struct event *e, struct evtype *t, const char *prefix)
{
	char name[4 * MMV_EV_NAME_BYTES];
	unsigned k, item;

	for (k = 0; k < t->params; k++) {
		struct evparam *p = &t->param[k];

		item = item_of(e, p);
		p->pmid = item ? names_pmid(e->cluster, item) : PM_ID_NULL;
		if (!item)
			continue;
		snprintf(name, sizeof(name), "stap.%s.param.%s", prefix, p->name);
		add(e->cluster, item, name, p->type, p->sem, units_of(p->units));
	}
}

/* The metrics of one event, or of all of a file. */
static void add_event(struct evfile *f, const char *name, unsigned first, unsigned types)
{
	int is_all = !strcmp(name, "all");
	struct event *e = event_of(f->name, name);
	char prefix[2 * MMV_EV_NAME_BYTES];
	unsigned i;

	if (!e)
		return;
	e->f = f;
	e->first = first;
	e->types = types;
	snprintf(prefix, sizeof(prefix), "%s.%s", f->name, name);
	for (i = 0; i < LENGTH(event_items); i++) {
		unsigned item = event_items[i].item;

		if (item >= ITEM_TIMESTAMP && (item == ITEM_EVENT) != is_all)
			continue;
		if (item == ITEM_SLOTS && is_all)
			continue;
		add_item(e->cluster, prefix, &event_items[i]);
	}
	if (is_all)
		return;
	f->type[first].cluster = e->cluster;
	add_params(e, &f->type[first], prefix);
}

void names_rebuild(pmdaExt *pmda)
{
	unsigned i, t;

	if (tree)
		pmdaTreeRelease(tree);
	tree = NULL;
	metrics_count = 0;
	if (pmdaTreeCreate(&tree) < 0)
		return;
	for (i = 0; i < CLUSTERS; i++)
		if (events[i])
			events[i]->f = NULL;
	for (i = 0; i < LENGTH(control_items); i++)
		add_item(0, "control", &control_items[i]);
	for (i = 0; i < sources_count(); i++) {
		struct evfile *f = sources_file(i);

		if (f->corrupt)
			continue;
		for (t = 0; t < f->types; t++)
			add_event(f, f->type[t].name, t, 1);
		add_event(f, "all", 0, f->types);
	}
	pmdaTreeRebuildHash(tree, metrics_count);
	pmdaRehash(pmda, metrics, metrics_count);
}

void names_init(pmdaInterface *dispatch)
{
	domain = dispatch->domain;
}

int names_pmns(const char *name, pmID *pmid) { return pmdaTreePMID(tree, name, pmid); }
int names_of(pmID pmid, char ***names) { return pmdaTreeName(tree, pmid, names); }
int names_children(const char *name, int traverse, char ***kids, int **status)
{
	return pmdaTreeChildren(tree, name, traverse, kids, status);
}

static const struct evparam *param_of(const struct event *e, pmID pmid)
{
	unsigned t, k;

	for (t = e->first; t < e->first + e->types; t++)
		for (k = 0; k < e->f->type[t].params; k++)
			if (e->f->type[t].param[k].pmid == pmid)
				return &e->f->type[t].param[k];
	return NULL;
}

static const char *item_help(const struct item *items, unsigned n, unsigned item)
{
	unsigned i;

	for (i = 0; i < n; i++)
		if (items[i].item == item)
			return items[i].help;
	return NULL;
}

/* One line is all there is; the event's own help is told with its records. */
int names_text(int ident, int kind, char **text)
{
	static char buffer[2 * MMV_EV_HELP_BYTES + 100];
	unsigned cluster = pmID_cluster(ident), item = pmID_item(ident);
	struct event *e = names_event(cluster);
	const struct evparam *p;
	const char *help;

	if (!(kind & PM_TEXT_PMID))
		return PM_ERR_TEXT;
	if (cluster == 0) {
		help = item_help(control_items, LENGTH(control_items), item);
	} else if (!e || !e->f) {
		return PM_ERR_PMID;
	} else if (item >= ITEM_PARAM) {
		p = param_of(e, ident);
		help = p ? p->help : NULL;
	} else {
		help = item_help(event_items, LENGTH(event_items), item);
	}
	if (!help || !help[0])
		return PM_ERR_TEXT;
	snprintf(buffer, sizeof(buffer), "%s", help);
	if (e && item == ITEM_RECORDS && e->types == 1 && e->f->type[e->first].help[0])
		snprintf(buffer, sizeof(buffer), "%s: %s", e->f->type[e->first].help, help);
	*text = buffer;
	return 0;
}
