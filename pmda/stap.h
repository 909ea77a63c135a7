/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The stap PMDA: what its parts know of each other.
 *
 *	sources.c	which event files there are; telling producers who listens
 *	names.c		names, PMIDs, descriptions and help of metrics
 *	clients.c	what each client of pmcd has registered for
 *	records.c	records as PCP's event arrays
 *	stap.c		requests of pmcd
 */
#ifndef STAP_H
#define STAP_H

#include <pcp/pmapi.h>
#include <pcp/pmda.h>
#include "drain.h"
#include "filter.h"

/* PCP 7 renamed what fetch and store get and gives a macro for both names. */
#ifndef pmdaResult
#define pmdaResult pmResult
#endif

#define STAP_DOMAIN	397		/* README says why */
#define MAX_FILES	64
#define MAX_CLIENTS	1024
#define MAX_RECORDS	4096		/* looked at in one fetch of one metric */
#define MAX_BYTES	(1u << 20)	/* of its records */

/* An event, or all events of a file, by name. It outlives the file, so that a
 * script that starts again gets the same PMIDs.
 */
struct event {
	char file[MMV_EV_NAME_BYTES], name[MMV_EV_NAME_BYTES];
	unsigned cluster;
	struct evfile *f;		/* NULL while there is none */
	unsigned first, types;		/* in f */
	char *item[1024];		/* whose item it is, parameters only */
};

/* Items of the metrics of an event; parameters have 32 and more. */
enum {
	ITEM_RECORDS, ITEM_COUNT, ITEM_BYTES, ITEM_LOST, ITEM_CUT, ITEM_MISSED, ITEM_DELIVERED, ITEM_FILTERED,
	ITEM_BACKLOG, ITEM_LAG, ITEM_CLIENTS, ITEM_SLOTS, ITEM_FILTER,
	ITEM_TIMESTAMP = 16, ITEM_CPU, ITEM_PID, ITEM_CUT_TEXTS, ITEM_EVENT,
	ITEM_PARAM = 32, ITEM_END = 1024
};
/* Items of cluster 0. */
enum { CONTROL_FILES, CONTROL_CLIENTS, CONTROL_REFUSED, CONTROL_REFUSAL, CONTROL_FILTER_ERROR, CONTROL_UNFIT, CONTROL_SKIPPED };

/* What one client wants of one event. */
struct sub {
	struct sub *next;
	struct event *event;
	int on;				/* 0 after a store of "none" */
	int bound;			/* it has had a cursor */
	char *text;			/* of the filter, NULL for everything */
	struct filter *filter;
	struct cursor cursor;		/* cursor.f is NULL when it has none */
	uint64_t delivered, filtered;
	uint64_t missed;		/* of cursors that are gone */
};

/* sources.c */
extern const char *sources_directory;	/* where files of processes are */
extern uint64_t sources_refused;	/* files */
extern char sources_refusal[512];	/* the last one, and why */
int sources_scan(void);			/* at most once a second; 1 when something has changed */
unsigned sources_count(void);
struct evfile *sources_file(unsigned i);
void sources_release(struct evfile *f);	/* one user less */
void sources_corrupt(struct evfile *f);
void sources_tell(void);		/* producers who listens, when it is time or has changed */
uint64_t sources_now(void);		/* monotonic, ns */

/* names.c */
void names_init(pmdaInterface *dispatch);
void names_rebuild(pmdaExt *pmda);
struct event *names_event(unsigned cluster);
pmID names_pmid(unsigned cluster, unsigned item);
int names_text(int ident, int kind, char **text);
int names_pmns(const char *name, pmID *pmid);
int names_of(pmID pmid, char ***names);
int names_children(const char *name, int traverse, char ***kids, int **status);

/* clients.c */
extern unsigned clients_changes;	/* registrations that began or ended */
extern char clients_error[512];		/* the last bad filter, and why */
struct sub *clients_find(int context, const struct event *event);
struct sub *clients_register(int context, struct event *event);
int clients_filter(int context, struct event *event, const char *text);
void clients_bind(struct sub *sub);
void clients_rebind(void);
void clients_forget(int context);
unsigned clients_count(const struct event *event);	/* of all events for NULL */
int clients_wait_for(const struct evfile *f);		/* is there somebody who has not read its end? */
uint64_t clients_missed(const struct sub *sub);

/* records.c */
extern uint64_t records_unfit;		/* integers that their parameter's 32 bits cannot hold */
void records_begin(void);		/* a fetch begins */
int records_fetch(struct sub *sub, pmAtomValue *value);

#endif /* STAP_H */
