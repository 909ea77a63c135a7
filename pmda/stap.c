/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * pmdastap: event records of stap sessions for PCP. See README, and
 * docs/events.md of the tapset.
 *
 * A process of its own under an unprivileged user: it reads memory that others
 * write. One thread, which serves pmcd's requests and tells producers every few
 * seconds that somebody still listens.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "stap.h"

static char *username;
static pmdaOptions opts;
static const pmLongOptions longopts[] = {
	PMDA_OPTIONS_HEADER("Options"),
	PMOPT_DEBUG,
	PMDAOPT_DOMAIN,
	PMDAOPT_LOGFILE,
	PMDAOPT_USERNAME,
	{ "directory", 1, 'r', "DIR", "look for files NAME.events there too" },
	PMOPT_HELP,
	PMDA_OPTIONS_END
};

/* Whose request is served. pmdaGetContext() says so only inside of the library's
 * own functions; before them it tells of the request before.
 */
static int context;

/* Before each request: names may be asked for, and clients wait for files. */
static void look(pmdaExt *pmda)
{
	if (!sources_scan())
		return;
	names_rebuild(pmda);
	clients_rebind();
}

static uint64_t all_skipped(void)
{
	uint64_t n, sum = 0;
	unsigned i;

	for (i = 0; i < sources_count(); i++)
		if (evfile_load(sources_file(i), MMV_EV_HDR_SKIPPED, &n))
			sum += n;
	return sum;
}

static int fetch_control(unsigned item, pmAtomValue *value)
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
static int fetch_event(const struct event *e, unsigned item, pmAtomValue *value)
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
static int fetch_client(const struct sub *sub, unsigned item, pmAtomValue *value)
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

static int stap_value(pmdaMetric *metric, unsigned inst, pmAtomValue *value)
{
	unsigned cluster = pmID_cluster(metric->m_desc.pmid), item = pmID_item(metric->m_desc.pmid);
	struct event *e = names_event(cluster);
	struct sub *sub;

	(void)inst;
	if (cluster == 0)
		return fetch_control(item, value);
	if (!e || !e->f)
		return PM_ERR_PMID;
	if (item == ITEM_RECORDS) {
		sub = clients_register(context, e);
		return sub ? records_fetch(sub, value) : -ENOMEM;
	}
	if ((item >= ITEM_MISSED && item <= ITEM_LAG) || item == ITEM_FILTER)
		return fetch_client(clients_find(context, e), item, value);
	return fetch_event(e, item, value);
}

static int stap_fetch(int n, pmID *pmids, pmdaResult **result, pmdaExt *pmda)
{
	int sts;

	look(pmda);
	context = pmda->e_context;
	records_begin();
	sts = pmdaFetch(n, pmids, result, pmda);
	sources_tell();
	return sts;
}

/* A stored string, which need not end with a NUL byte. */
static int stored_text(const pmValueSet *set, char *text, size_t size)
{
	const pmValueBlock *block;
	size_t length;

	if (set->numval != 1 || set->valfmt == PM_VAL_INSITU)
		return PM_ERR_BADSTORE;
	block = set->vlist[0].value.pval;
	if (block->vtype != PM_TYPE_STRING || block->vlen < PM_VAL_HDR_SIZE)
		return PM_ERR_BADSTORE;
	length = block->vlen - PM_VAL_HDR_SIZE;
	if (length >= size)
		return PM_ERR_TOOBIG;
	memcpy(text, block->vbuf, length);
	text[length] = '\0';
	return 0;
}

static int store_one(const pmValueSet *set)
{
	unsigned item = pmID_item(set->pmid);
	struct event *e = names_event(pmID_cluster(set->pmid));
	char text[FILTER_TEXT];
	int sts;

	if (!e || !e->f)
		return PM_ERR_PMID;
	if (item != ITEM_RECORDS)
		return PM_ERR_PERMISSION;
	sts = stored_text(set, text, sizeof(text));
	if (sts < 0)
		return sts;
	return clients_filter(context, e, text);
}

static int stap_store(pmdaResult *result, pmdaExt *pmda)
{
	int i, sts = 0;

	context = pmda->e_context;
	look(pmda);
	for (i = 0; i < result->numpmid && sts >= 0; i++)
		sts = store_one(result->vset[i]);
	sources_tell();
	return sts;
}

static int stap_desc(pmID pmid, pmDesc *desc, pmdaExt *pmda)
{
	look(pmda);
	return pmdaDesc(pmid, desc, pmda);
}

static int stap_text(int ident, int kind, char **text, pmdaExt *pmda)
{
	look(pmda);
	return names_text(ident, kind, text);
}

static int stap_pmid(const char *name, pmID *pmid, pmdaExt *pmda)
{
	look(pmda);
	return names_pmns(name, pmid);
}

static int stap_name(pmID pmid, char ***names, pmdaExt *pmda)
{
	look(pmda);
	return names_of(pmid, names);
}

static int stap_children(const char *name, int traverse, char ***kids, int **status, pmdaExt *pmda)
{
	look(pmda);
	return names_children(name, traverse, kids, status);
}

static void stap_end(int which)
{
	clients_forget(which);
}

static void stap_init(pmdaInterface *dispatch)
{
	if (dispatch->status != 0)
		return;
	dispatch->version.seven.fetch = stap_fetch;
	dispatch->version.seven.store = stap_store;
	dispatch->version.seven.desc = stap_desc;
	dispatch->version.seven.text = stap_text;
	dispatch->version.seven.pmid = stap_pmid;
	dispatch->version.seven.name = stap_name;
	dispatch->version.seven.children = stap_children;
	pmdaSetFetchCallBack(dispatch, stap_value);
	pmdaSetEndContextCallBack(dispatch, stap_end);
	pmdaSetFlags(dispatch, PMDA_EXT_FLAG_HASHED);
	pmdaInit(dispatch, NULL, 0, NULL, 0);
	names_init(dispatch);
	sources_scan();
	names_rebuild(dispatch->version.seven.ext);
}

/* Requests, and once a second, while somebody listens, what pmcd does not ask
 * for: new files are bound to waiting clients, and producers are told.
 */
static void serve(pmdaInterface *dispatch)
{
	struct pollfd poller = { __pmdaInFd(dispatch), POLLIN, 0 };
	int n;

	if (poller.fd < 0)
		return;
	for (;;) {
		n = poll(&poller, 1, clients_count(NULL) ? 1000 : -1);
		if (n < 0 && errno != EINTR)
			return;
		if (n > 0 && __pmdaMainPDU(dispatch) < 0)
			return;
		look(dispatch->version.seven.ext);
		sources_tell();
	}
}

int main(int argc, char **argv)
{
	pmdaInterface dispatch;
	int c;

	pmSetProgname(argv[0]);
	pmGetUsername(&username);
	pmdaDaemon(&dispatch, PMDA_INTERFACE_7, "stap", STAP_DOMAIN, "stap.log", NULL);
	opts.short_options = "D:d:l:U:r:?";
	opts.long_options = (pmLongOptions *)longopts;
	while ((c = pmdaGetOptions(argc, argv, &opts, &dispatch)) != EOF)
		if (c == 'r')
			sources_directory = opts.optarg;
	if (opts.errors) {
		pmdaUsageMessage(&opts);
		return 1;
	}
	if (opts.username)
		username = opts.username;
	pmdaOpenLog(&dispatch);
	pmSetProcessIdentity(username);
	stap_init(&dispatch);
	pmdaConnect(&dispatch);
	serve(&dispatch);
	return 0;
}
