/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What each client of pmcd has registered for. A context number of pmcd is used
 * again as soon as its client has gone, so all of it goes with the client.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "stap.h"

char clients_error[512];
unsigned clients_changes;

static struct client {
	int context;
	struct sub *subs;
} *clients[MAX_CLIENTS];
static unsigned count;

static struct client *find_client(int context)
{
	unsigned i;

	for (i = 0; i < count; i++)
		if (clients[i]->context == context)
			return clients[i];
	return NULL;
}

static struct client *new_client(int context)
{
	struct client *c;

	if (count == MAX_CLIENTS)
		return NULL;
	c = calloc(1, sizeof(*c));
	if (!c)
		return NULL;
	c->context = context;
	clients[count++] = c;
	return c;
}

struct sub *clients_find(int context, const struct event *event)
{
	struct client *c = find_client(context);
	struct sub *sub;

	for (sub = c ? c->subs : NULL; sub; sub = sub->next)
		if (sub->event == event)
			return sub;
	return NULL;
}

static struct sub *new_sub(int context, struct event *event)
{
	struct client *c = find_client(context);
	struct sub *sub;

	if (!c)
		c = new_client(context);
	if (!c)
		return NULL;
	sub = calloc(1, sizeof(*sub));
	if (!sub)
		return NULL;
	sub->event = event;
	sub->next = c->subs;
	c->subs = sub;
	return sub;
}

uint64_t clients_missed(const struct sub *sub)
{
	return sub->missed + (sub->cursor.f ? sub->cursor.missed : 0);
}

/* Ends a cursor; what was missed so far stays counted. */
static void unbind(struct sub *sub)
{
	struct evfile *f = sub->cursor.f;

	filter_free(sub->filter);
	sub->filter = NULL;
	if (!f)
		return;
	clients_changes++;
	sub->missed += sub->cursor.missed;
	cursor_end(&sub->cursor);
	sources_release(f);
}

static void note_error(const struct event *event, const char *text, const char *why)
{
	snprintf(clients_error, sizeof(clients_error), "stap.%s.%s: %.200s (filter: %.100s)", event->file, event->name, why, text);
	pmNotifyErr(LOG_INFO, "%s", clients_error);
}

/* Has the client not read all of a file that is over? */
static int has_rest(const struct sub *sub)
{
	uint64_t oldest;

	if (!sub->cursor.f || sub->cursor.f->corrupt)
		return 0;
	return cursor_backlog(&sub->cursor, &oldest) > 0;
}

/* Binds a client to the present file. From the second file on it begins at its
 * first record, since the client was there before it.
 */
void clients_bind(struct sub *sub)
{
	struct event *e = sub->event;
	struct evfile *f = e->f;
	char why[300];

	if (!sub->on || (sub->cursor.f && sub->cursor.f == f && !f->corrupt))
		return;
	if (has_rest(sub))
		return;
	unbind(sub);
	if (!f || f->corrupt)
		return;
	if (sub->text) {
		sub->filter = filter_parse(sub->text, f, e->first, e->types, why, sizeof(why));
		if (!sub->filter) {
			note_error(e, sub->text, why);
			sub->on = 0;
			return;
		}
	}
	if (!cursor_start(&sub->cursor, f, e->first, e->types, sub->bound)) {
		unbind(sub);
		return;
	}
	f->users++;
	sub->bound = 1;
	clients_changes++;
}

void clients_rebind(void)
{
	struct sub *sub;
	unsigned i;

	for (i = 0; i < count; i++)
		for (sub = clients[i]->subs; sub; sub = sub->next)
			clients_bind(sub);
}

struct sub *clients_register(int context, struct event *event)
{
	struct sub *sub = clients_find(context, event);

	if (sub) {
		clients_bind(sub);
		return sub;
	}
	sub = new_sub(context, event);
	if (!sub)
		return NULL;
	sub->on = 1;
	clients_bind(sub);
	return sub;
}

/* A store. "none" ends a registration; anything else begins one, or gives the
 * one there is another filter from its next record on. A bad filter changes
 * nothing.
 */
int clients_filter(int context, struct event *event, const char *text)
{
	struct sub *sub = clients_find(context, event);
	struct filter *filter = NULL;
	char why[300], *copy = NULL;
	int none = !strcmp(text, "none");

	if (!event->f)
		return PM_ERR_PMID;
	if (text[strspn(text, " \t\r\n")] && !none) {
		filter = filter_parse(text, event->f, event->first, event->types, why, sizeof(why));
		if (!filter) {
			note_error(event, text, why);
			return PM_ERR_BADSTORE;
		}
		copy = strdup(text);
	}
	if (!sub)
		sub = new_sub(context, event);
	if (!sub || (filter && !copy)) {
		filter_free(filter);
		free(copy);
		return -ENOMEM;
	}
	free(sub->text);
	sub->text = copy;
	if (!none && sub->on && sub->cursor.f != event->f && has_rest(sub)) {
		filter_free(filter);	/* the rest goes by the old one */
		return 0;
	}
	if (none || !sub->cursor.f || sub->cursor.f != event->f) {
		filter_free(filter);	/* clients_bind makes it again */
		unbind(sub);
		sub->bound = 0;
		sub->on = !none;
		clients_bind(sub);
		return 0;
	}
	filter_free(sub->filter);
	sub->filter = filter;
	return 0;
}

void clients_forget(int context)
{
	struct client *c = find_client(context);
	struct sub *sub, *next;
	unsigned i;

	if (!c)
		return;
	for (sub = c->subs; sub; sub = next) {
		next = sub->next;
		unbind(sub);
		free(sub->text);
		free(sub);
	}
	for (i = 0; clients[i] != c; i++)
		;
	clients[i] = clients[--count];
	free(c);
}

/* Who wants all events of a file wants each. */
static int is_for(const struct sub *sub, const struct event *event)
{
	if (!sub->on)
		return 0;
	if (!event || sub->event == event)
		return 1;
	return !strcmp(sub->event->name, "all") && !strcmp(sub->event->file, event->file);
}

unsigned clients_count(const struct event *event)
{
	struct sub *sub;
	unsigned i, n = 0;

	for (i = 0; i < count; i++)
		for (sub = clients[i]->subs; sub; sub = sub->next)
			n += is_for(sub, event);
	return n;
}

int clients_wait_for(const struct evfile *f)
{
	struct sub *sub;
	unsigned i;

	for (i = 0; i < count; i++)
		for (sub = clients[i]->subs; sub; sub = sub->next)
			if (sub->cursor.f == f && has_rest(sub))
				return 1;
	return 0;
}
