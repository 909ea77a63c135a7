/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What readers see: the PMDA in this process, through PCP's client library,
 * value by value against the model. Names that the model does not expect are
 * faults as well.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <pcp/pmapi.h>
#include "model.h"
#include "judge.h"

static int faults;

static void __attribute__((format(printf, 1, 2))) bad(const char *fmt, ...)
{
	va_list ap;

	if (faults++ > 20)
		return;
	printf("reader: ");
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
}

static char **seen;
static int nseen, room;

static void see(const char *name, void *arg)
{
	(void)arg;
	if (!strncmp(name, "mmv.control.", 12))
		return;
	if (nseen == room)
		seen = realloc(seen, (room += 1024) * sizeof(*seen));
	seen[nseen++] = strdup(name);
}

static int by_text(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

static void full_name(const struct file *f, const struct metric *m, char *to, size_t size)
{
	if (f->flags & NOPREFIX)
		snprintf(to, size, "mmv.%s", m->name);
	else
		snprintf(to, size, "mmv.%s.%s", f->name, m->name);
}

/* Without long help PCP shows the line. */
static void judge_text(pmID id, int kind, const struct metric *m, const char *name)
{
	const char *want = kind == PM_TEXT_HELP && *m->help[1] ? m->help[1] : m->help[0];
	char *text = NULL;
	int rc = pmLookupText(id, kind, &text);

	if (*want ? rc < 0 || strcmp(text, want) : rc >= 0 && *text)
		bad("%s (%s): help '%s', not '%s'", name, pmIDStr(id), rc < 0 ? pmErrStr(rc) : text, want);
	if (rc >= 0)
		free(text);
}

/* A label by its name among the pairs of a set, its JSON text; NULL without. */
static char *label_in(const pmLabelSet *set, const char *name)
{
	static char text[FUZZ_TEXT];

	for (int i = 0; i < set->nlabels; i++) {
		const pmLabel *l = &set->labels[i];

		if (l->namelen == strlen(name) && !strncmp(set->json + l->name, name, l->namelen)) {
			snprintf(text, sizeof(text), "%.*s", (int)l->valuelen, set->json + l->value);
			return text;
		}
	}
	return NULL;
}

static void judge_label(pmLabelSet *sets, int n, int inst, const struct label *l, const char *name)
{
	for (int i = 0; i < n; i++) {
		char *text;

		if (l->kind == 32 && sets[i].inst != (unsigned)inst)
			continue;
		if (sets[i].nlabels <= 0 || !(text = label_in(&sets[i], l->name)))
			continue;
		if (!strcmp(text, l->json))
			return;
		bad("%s: label %s is %s, not %s", name, l->name, text, l->json);
		return;
	}
	bad("%s: no label %s of kind %d (%lld, %lld), should be %s", name, l->name, l->kind, l->identity, l->internal, l->json);
	for (int i = 0; i < n; i++)
		bad("  has for %d: %.*s", sets[i].inst, sets[i].jsonlen, sets[i].json);
}

/* PCP takes objects apart, their names change; and it spoils the names of other
 * labels of the same thing (seen up to PCP 7.2.2).
 */
static int comparable(const struct file *f, const struct label *l)
{
	if (*l->json == '{')
		return 0;
	for (int i = 0; i < f->labels; i++)
		if (*f->label[i].json == '{' && f->label[i].kind == l->kind && f->label[i].identity == l->identity &&
		    f->label[i].internal == l->internal)
			return 0;
	return 1;
}

/* What of a file or an indom is the same for several metrics is looked at with
 * the first of them.
 */
static void judge_labels(struct file *f, struct metric *m, pmID id, pmInDom indom, const char *name, int first)
{
	static const int kinds[] = { 8, 16, 4, 32 };

	for (unsigned k = 0; k < 4; k++) {
		pmLabelSet *sets = NULL;
		int kind = kinds[k], n = 0, fetched = 0;

		if (kind != 16 && !first)
			continue;
		for (int i = 0; i < f->labels; i++) {
			struct label *l = &f->label[i];

			if (l->kind != kind || !comparable(f, l) || (kind == 16 && l->identity != m->item) ||
			    ((kind == 4 || kind == 32) && (!m->serial || l->identity != m->serial)))
				continue;
			if (!fetched++)
				n = kind == 8 ? pmGetClusterLabels(id, &sets) : kind == 16 ? pmGetItemLabels(id, &sets) :
					kind == 4 ? pmGetInDomLabels(indom, &sets) : pmGetInstancesLabels(indom, &sets);
			if (n < 0)
				bad("%s: labels: %s", name, pmErrStr(n));
			else
				judge_label(sets, n, l->internal, l, name);
		}
		if (n > 0)
			pmFreeLabelSets(sets, n);
	}
}

static void judge_one(const struct file *f, const struct metric *m, int k, int valfmt, const pmValue *v, const char *name)
{
	const struct value *want = &m->value[k];
	pmAtomValue a;
	int type = m->type == T_ELAPSED ? PM_TYPE_64 : m->type;
	int rc = pmExtractValue(valfmt, v, type, &a, type);
	uint64_t bits;

	(void)f;
	if (rc < 0) {
		bad("%s: value: %s", name, pmErrStr(rc));
		return;
	}
	if (type == PM_TYPE_STRING) {
		uint64_t h = text_hash(a.cp);
		unsigned i;

		for (i = 0; i < SHOWN && i < want->texts && want->shown[i] != h; i++)
			;
		if (strcmp(a.cp, want->text) && (i == SHOWN || i == want->texts))
			bad("%s: '%s', not '%s'", name, a.cp, want->text);
		free(a.cp);
		return;
	}
	bits = type == PM_TYPE_32 || type == PM_TYPE_U32 || type == PM_TYPE_FLOAT ? a.ul : a.ull;
	if (want->loose)
		return;
	if (!same_number(type, bits, type == PM_TYPE_32 || type == PM_TYPE_U32 || type == PM_TYPE_FLOAT ?
				     (uint32_t)want->bits : want->bits))
		bad("%s: %#llx, not %#llx", name, (unsigned long long)bits, (unsigned long long)want->bits);
}

/* pmdammv before PCP 6.3.1 compares NaN for equality, and so shows it. */
static int nan_is_a_value(void)
{
	static int answer = -1;
	int a = 0, b = 0, c = 0;

	if (answer < 0) {
		sscanf(pmGetConfig("PCP_VERSION"), "%d.%d.%d", &a, &b, &c);
		answer = a * 10000 + b * 100 + c < 60301;
	}
	return answer;
}

/* Does the reader leave a value out? */
static int unset(const struct file *f, const struct metric *m, const struct value *v)
{
	if (!(f->flags & SENTINEL))
		return 0;
	if (m->type == T_STRING)
		return !*v->text && !v->texts;
	if ((m->type == T_FLOAT || m->type == T_DOUBLE) && nan_is_a_value())
		return 0;
	if (m->type == T_FLOAT)
		return (v->bits & 0x7fffffff) > 0x7f800000;
	if (m->type == T_DOUBLE)
		return (v->bits & 0x7fffffffffffffff) > 0x7ff0000000000000;
	return v->bits == ~0ULL;
}

static void judge_values(struct file *f, struct metric *m, const pmValueSet *set, const char *name)
{
	struct indom *d = m->serial ? model_indom(f, m->serial) : NULL;
	int n = 0;

	if (m->type == T_NOSUPPORT) {
		if (set->numval > 0)
			bad("%s: %d values of a metric that has none", name, set->numval);
		return;
	}
	for (int k = 0; k < m->count; k++) {
		if ((m->value[k].loose || ((f->flags & SENTINEL) && m->value[k].texts)) && set->numval >= 0 && set->numval <= m->count)
			return;
		n += !unset(f, m, &m->value[k]);
	}
	if (set->numval != n) {
		bad("%s: %d values, not %d%s%s", name, set->numval, n, set->numval < 0 ? ": " : "",
		    set->numval < 0 ? pmErrStr(set->numval) : "");
		return;
	}
	for (int i = 0; i < set->numval; i++) {
		int k = 0;

		if (d)
			for (k = 0; k < d->count && d->instance[k].id != set->vlist[i].inst; k++)
				;
		if (k == m->count)
			bad("%s: instance %d is unknown", name, set->vlist[i].inst);
		else
			judge_one(f, m, k, set->valfmt, &set->vlist[i], name);
	}
}

static void judge_indom(struct indom *d, pmInDom indom, const char *name)
{
	char **text;
	int *ids, n = pmGetInDom(indom, &ids, &text), k;

	if (n != d->count) {
		bad("%s: %d instances, not %d", name, n, d->count);
		if (n > 0) {
			free(ids);
			free(text);
		}
		return;
	}
	if (n <= 0)
		return;
	for (int i = 0; i < n; i++) {
		for (k = 0; k < d->count && d->instance[k].id != ids[i]; k++)
			;
		if (k == d->count || strcmp(d->instance[k].name, text[i]))
			bad("%s: instance %d '%s', not '%s'", name, ids[i], text[i], k == d->count ? "" : d->instance[k].name);
	}
	free(ids);
	free(text);
}

static void judge_metric(struct file *f, struct metric *m, pmID id, const pmDesc *desc, const char *name)
{
	uint32_t units;
	int first = 1;			/* of the file without an indom, or of the indom */

	for (struct metric *o = f->metric; o < m; o++)
		if (o->serial == m->serial)
			first = 0;
	memcpy(&units, &desc->units, 4);
	if (m->type != T_NOSUPPORT && (desc->type != (m->type == T_ELAPSED ? PM_TYPE_64 : m->type) || desc->sem != m->sem ||
				       units != (uint32_t)m->units))
		bad("%s: type %d, semantics %d, units %#x; not %lld, %lld, %#llx", name, desc->type, desc->sem, units,
		    m->type, m->sem, m->units);
	if (m->serial ? desc->indom == PM_INDOM_NULL || (pmInDom_serial(desc->indom) & 2047) != m->serial :
			desc->indom != PM_INDOM_NULL)
		bad("%s: indom %s, not serial %lld", name, pmInDomStr(desc->indom), m->serial);
	else if (m->serial && first)
		judge_indom(model_indom(f, m->serial), desc->indom, name);
	if (m->type != T_NOSUPPORT && m->count) {	/* the PMDA finds help by way of a value */
		judge_text(id, PM_TEXT_ONELINE, m, name);
		judge_text(id, PM_TEXT_HELP, m, name);
	}
	judge_labels(f, m, id, desc->indom, name, first);
}

int judge_readers(int whole)
{
	char name[512];
	int rc, n = 0, i = 0;
	const char **want;
	char **sorted;
	pmID *id;
	pmDesc *desc;
	pmResult *result = NULL;

	faults = 0;
	nseen = 0;
	for (int r = 1; r <= FILES; r++)
		n += file[r].live ? file[r].metrics : 0;
	rc = pmTraversePMNS_r("mmv", see, NULL);
	if (rc < 0 && n)
		bad("names: %s", pmErrStr(rc));
	qsort(seen, nseen, sizeof(*seen), by_text);
	if (nseen != n)
		bad("%d names, not %d", nseen, n);
	want = calloc(n + 1, sizeof(*want));
	id = calloc(n + 1, sizeof(*id));
	desc = calloc(n + 1, sizeof(*desc));
	for (int r = 1; r <= FILES; r++)
		for (int k = 0; file[r].live && k < file[r].metrics; k++) {
			full_name(&file[r], &file[r].metric[k], name, sizeof(name));
			want[i++] = strdup(name);
		}
	sorted = malloc((n + 1) * sizeof(*sorted));
	memcpy(sorted, want, n * sizeof(*sorted));
	qsort(sorted, n, sizeof(*sorted), by_text);
	for (i = 0; i < n && i < nseen; i++)
		if (strcmp(sorted[i], seen[i])) {
			bad("name %s, not %s", seen[i], sorted[i]);
			break;
		}
	if (!faults && n && whole) {
		if ((rc = pmLookupName(n, want, id)) != n)
			bad("look-up: %d of %d", rc, n);
		i = 0;
		for (int r = 1; r <= FILES; r++)
			for (int k = 0; file[r].live && k < file[r].metrics; k++, i++)
				if ((whole < 0 || whole == r) && !faults && (rc = pmLookupDesc(id[i], &desc[i])) < 0)
					bad("%s: description: %s", want[i], pmErrStr(rc));
		if (!faults && (rc = pmFetch(n, id, &result)) < 0)
			bad("fetch: %s", pmErrStr(rc));
	}
	i = 0;
	for (int r = 1; r <= FILES && result; r++)
		for (int k = 0; file[r].live && k < file[r].metrics; k++, i++) {
			struct metric *m = &file[r].metric[k];

			if (pmID_domain(id[i]) != 70 || pmID_cluster(id[i]) != file[r].cluster || pmID_item(id[i]) != m->item)
				bad("%s: PMID %s, not 70.%lld.%lld", want[i], pmIDStr(id[i]), file[r].cluster, m->item);
			if (whole < 0 || whole == r)
				judge_metric(&file[r], m, id[i], &desc[i], want[i]);
			judge_values(&file[r], m, result->vset[i], want[i]);
		}
	if (result)
		pmFreeResult(result);
	for (i = 0; i < n; i++)
		free((char *)want[i]);
	for (i = 0; i < nseen; i++)
		free(seen[i]);
	free(sorted);
	free(want);
	free(id);
	free(desc);
	return faults;
}
