/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Which rules a call breaks, as docs/rules.md has them. Not here: what follows
 * from it (model.c).
 */
#define _GNU_SOURCE			/* strcasestr */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <pcp/pmapi.h>
#include "rules.h"
#include "judge.h"

/* The rules a call breaks, by a piece of their messages. */
const char *broken[32];
int nbroken, either;		/* either: refusing is right, too */
void rule(int breaks, const char *piece) { if (breaks && nbroken < 32) broken[nbroken++] = piece; }
const char *maybe[4];
int nmaybe;
void may(int can, const char *piece) { if (can && nmaybe < 4) maybe[nmaybe++] = piece; }

struct file *known(long long reg)
{
	return reg >= 1 && reg <= FILES && file[reg].used ? &file[reg] : NULL;
}

struct indom *model_indom(struct file *f, long long serial)
{
	for (int i = 0; i < f->indoms; i++)
		if (f->indom[i].serial == serial)
			return &f->indom[i];
	return NULL;
}

struct metric *metric_named(struct file *f, const char *name)
{
	for (int i = 0; i < f->metrics; i++)
		if (!strcmp(f->metric[i].name, name))
			return &f->metric[i];
	return NULL;
}

struct metric *metric_item(struct file *f, long long item)
{
	for (int i = 0; i < f->metrics; i++)
		if (f->metric[i].item == item)
			return &f->metric[i];
	return NULL;
}

static struct past *past_item(const struct file *f, long long item)
{
	for (int i = 0; i < f->pasts; i++)
		if (f->past[i].item == item)
			return &f->past[i];
	return NULL;
}

static struct past *past_named(const struct file *f, const char *name)	/* the last one */
{
	for (int i = f->pasts; i--; )
		if (!strcmp(f->past[i].name, name))
			return &f->past[i];
	return NULL;
}

/* Did the removed metric of this name say so? */
int same_kind(const struct file *f, const char *name, long long type, long long sem, long long units, long long serial)
{
	const struct past *p = past_named(f, name);

	return p && p->type == type && p->sem == sem && p->units == units && p->serial == serial;
}

/* By the first word, as PCP does. */
int instance_named(struct indom *d, const char *name)
{
	size_t n = strcspn(name, " ");

	for (int i = 0; i < d->count; i++)
		if (strcspn(d->instance[i].name, " ") == n && !strncmp(d->instance[i].name, name, n))
			return i;
	return -1;
}

int instance_id(struct indom *d, long long id)
{
	for (int i = 0; i < d->count; i++)
		if (d->instance[i].id == id)
			return i;
	return -1;
}

static int word(const char *s, const char *more)	/* a letter, then letters, digits, more */
{
	if (!isalpha((unsigned char)*s))
		return 0;
	while (*s && (isalnum((unsigned char)*s) || strchr(more, *s)))
		s++;
	return !*s;
}

static int dotted(const char *s)
{
	for (const char *p = s; *p; p++)
		if (*p == '.' && !isalpha((unsigned char)p[1]))
			return 0;
	return word(s, "_.");
}

int utf8_clean(const char *s)
{
	const unsigned char *p = (const unsigned char *)s;

	while (*p) {
		unsigned long c = *p++;
		int more = c < 0x80 ? 0 : c < 0xc2 ? -1 : c < 0xe0 ? 1 : c < 0xf0 ? 2 : c < 0xf5 ? 3 : -1;
		static const unsigned long least[] = { 0, 0x80, 0x800, 0x10000 };

		if (more < 0 || c < 0x20 || c == 0x7f)
			return 0;
		if (more)
			c &= 0x3f >> more;
		for (int i = 0; i < more; i++, p++) {
			if ((*p & 0xc0) != 0x80)
				return 0;
			c = c << 6 | (*p & 0x3f);
		}
		if (c < least[more] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
			return 0;
	}
	return 1;
}

void rules_help(const char *one, const char *more)
{
	char flat[FUZZ_TEXT];
	size_t i;

	for (i = 0; more[i]; i++)		/* may have several lines */
		flat[i] = more[i] == '\n' || more[i] == '\t' ? ' ' : more[i];
	flat[i] = '\0';
	rule(strlen(one) > 255 || strlen(more) > 255, " bytes, at most 255");
	rule(!utf8_clean(one) || !utf8_clean(flat), "is not UTF-8 without control characters");
}

static int within(const char *name, const char *front)	/* the same, or it begins so */
{
	size_t n = strlen(front);

	return !strncmp(name, front, n) && (!name[n] || name[n] == '.');
}

void rules_file(const char *name, long long cluster, long long flags)
{
	int n = 0;

	rule(!*name, "file name is empty");
	rule(strlen(name) > 63, "characters, at most 63");
	rule(*name && !word(name, "_"), "is not a letter followed by letters, digits and _");
	rule(!strcmp(name, "control"), "belongs to pmdammv itself");
	rule(cluster < 0 || cluster > 4095, "out of range 0..4095");
	rule(flags < 0 || flags > 7, "out of range 0..7");
	for (int i = 1; i <= FILES; i++) {
		n += file[i].used;
		rule(file[i].used && !strcmp(file[i].name, name), "is declared already");
		if (file[i].used && (file[i].flags & NOPREFIX) && !(flags & NOPREFIX)) {
			for (int k = 0; k < file[i].metrics; k++)
				rule(within(file[i].metric[k].name, name), "is that of a metric in file");
			for (int k = 0; k < file[i].pasts; k++)
				rule(within(file[i].past[k].name, name), "is that of a metric in file");
		}
		rule(file[i].used && cluster && file[i].cluster == cluster, "has another file of this script");
		/* a derived one is not known before it is asked for */
		may(file[i].used && !file[i].cluster && cluster >= 1024 && cluster <= 2047, "has another file of this script");
	}
	rule(n == FILES, "no room for file");
}

struct file *rules_open(long long reg)
{
	struct file *f = known(reg);

	rule(!f, "is not a registry");
	return f;
}

long long free_item(struct file *f, const char *name, long long type, long long sem, long long units, long long serial)
{
	long long item = f->metrics + 1;

	if (!metric_named(f, name) && same_kind(f, name, type, sem, units, serial))
		return past_named(f, name)->item;
	if (metric_item(f, item) || past_item(f, item))
		for (item = 1; metric_item(f, item) || past_item(f, item); item++)
			;
	return item;
}

/* The item that follows from a name, or the next one that none has had. */
long long short_item(struct file *f, const char *name, long long type, long long sem, long long units, long long serial)
{
	unsigned long long h = 0xcbf29ce484222325ULL;
	long long item;

	if (!metric_named(f, name) && same_kind(f, name, type, sem, units, serial))
		return past_named(f, name)->item;
	for (const char *p = name; *p; p++)
		h = (h ^ (unsigned char)*p) * 0x100000001b3ULL;
	for (item = (h >> 1) % 1019; metric_item(f, item + 1) || past_item(f, item + 1); item = (item + 1) % 1019)
		;
	return item + 1;
}

static void rules_no_prefix(struct file *f, const char *name)
{
	rule(within(name, "control"), "belongs to pmdammv itself");
	for (struct file *o = file + 1; o <= file + FILES; o++) {
		if (o == f || !o->used)
			continue;
		if (!(o->flags & NOPREFIX))
			rule(within(name, o->name), "begins with the name of file");
		else {
			for (int i = 0; i < o->metrics; i++)
				rule(within(name, o->metric[i].name) || within(o->metric[i].name, name),
				     "clashes with a name in file");
			for (int i = 0; i < o->pasts; i++)
				rule(within(name, o->past[i].name) || within(o->past[i].name, name),
				     "clashes with a name in file");
		}
	}
}

void rules_metric(struct file *f, const char *name, long long item, long long type, long long sem,
			 long long units, long long serial, const char *one, const char *more)
{
	size_t longest = f && f->version == 1 ? 63 : 255;
	struct indom *d = f && serial ? model_indom(f, serial) : NULL;
	size_t n = strlen(name);

	rule(!*name, "metric name is empty");
	rule(n > longest, longest == 63 ? "characters, at most 63" : "characters, at most 255");
	if (f && (f->flags & NOPREFIX))
		rules_no_prefix(f, name);
	rule(*name && !dotted(name), "is not made of letters, digits and _, words joined by dots");
	rule(item != -1 && (item < 1 || item > 1023), "out of range 1..1023");
	rule(type < -1 || type > 9 || type == 7 || type == 8, "is none of MMV_TYPE_NOSUPPORT");
	rule(sem != 1 && sem != 3 && sem != 4, "is none of MMV_SEM_COUNTER");
	rule(units < 0 || units > 0xffffffffLL || (units & 0xff) || (units >> 16 & 15) > 6 || (units >> 12 & 15) > 5,
	     "are not from mmv_units or mmv_parse_units");
	rule(type == T_ELAPSED && (sem != 1 || units != 0x01001000), "of type ELAPSED is not a counter in microsec");
	rules_help(one, more);
	if (!f)
		return;
	rule(serial && !d, "is not declared");
	rule(item != -1 && metric_item(f, item), "is taken");
	rule(item != -1 && past_item(f, item) && (metric_named(f, name) || !past_named(f, name) ||
						  past_named(f, name)->item != item ||
						  !same_kind(f, name, type, sem, units, serial)),
	     "belonged to another metric");
	for (int i = 0; i < f->metrics + f->pasts; i++) {
		const char *o = i < f->metrics ? f->metric[i].name : f->past[i - f->metrics].name;
		size_t k = strlen(o);

		rule(i < f->metrics && !strcmp(o, name), "is declared already");
		rule(k > n && o[n] == '.' && !strncmp(o, name, n), "is also the beginning of another one's name");
		rule(k < n && name[k] == '.' && !strncmp(o, name, k), "begins with the name of another one");
	}
	rule(f->metrics == MAX_METRICS, "no room for");
	rule(f->values + (!serial ? 1 : !d ? 0 : d->full ? d->places : d->used) > MAX_VALUES, "no room for the values of");
}

void rules_indom(struct file *f, long long serial, const char *one, const char *more, long long room, long long full)
{
	(void)full;
	rule(serial < 1 || serial > 2047, "out of range 1..2047");
	rule(f && model_indom(f, serial), "is declared already");
	rules_help(one, more);
	rule(room < 1 || room > 1000000, "out of range 1..1000000");
	rule(room > 4096, "no room for");		/* more than a file has values */
	rule(f && f->cluster > 2047, "is above 2047, no place for indoms");	/* InDom numbers have 22 bits */
	rule(f && f->indoms == MAX_INDOMS, "no room for");
}

void rules_name(const struct file *f, const char *name)
{
	size_t longest = f && f->version == 1 ? 63 : 255;

	rule(!*name, "instance name is empty");
	rule(*name == ' ' || strpbrk(name, "\"\n\t\r"), "has a blank in front, a quote or a control character");
	rule(!utf8_clean(name), "is not UTF-8 without control characters");
	rule(strlen(name) > longest, longest == 63 ? "bytes, at most 63" : "bytes, at most 255");
}

void rules_instance(struct file *f, long long serial, long long id, const char *name)
{
	struct indom *d = f ? model_indom(f, serial) : NULL;
	int users = 0;

	rule(f && !d, "is not declared");
	rule(id < 0 || id > 0x7fffffff, "out of range 0..2147483647");
	rules_name(f, name);
	if (!d)
		return;
	rule(instance_id(d, id) >= 0, "is taken");
	rule(*name && instance_named(d, name) >= 0, "is there already, up to its first blank");
	rule(d->count >= d->room, "no room for instance");
	may(1, "until the removal of others has been shown");	/* or its place rests */
	for (int i = 0; i < f->metrics; i++)
		users += f->metric[i].serial == serial;
	rule(!d->full && d->used == d->count && f->values + users > MAX_VALUES, "no room for");
}

/* Bounds and width of a histogram's buckets. */
void rules_steps(long long low, long long high, long long width)
{
	const long long most = 0x7fffffff;

	rule(low < -most || low > most, "low ");
	rule(high < low || high > most, "high ");
	rule(width < 1 || width > most, "width ");
	if (low >= -most && high >= low && high <= most && width >= 1)
		rule((high - low) / width + 3 > 128, "buckets, at most 128");
}

/* Arrays within arrays, objects within anything, names in objects that are no
 * label names: PCP's reader then shows other labels, or none. For valid JSON.
 */
static int pcp_takes_wrong(const char *s)
{
	char open[FUZZ_TEXT];
	int depth = 0, due = 1;		/* a name is due in an object */

	for (; *s; s++) {
		if (*s == '[' || *s == '{') {
			if (depth && (open[depth - 1] == '[' || *s == '{'))
				return 1;
			open[depth++] = *s;
			due = 1;
		} else if (*s == ']' || *s == '}')
			depth--;
		else if (*s == ',' || *s == ':')
			due = *s == ',';
		else if (*s == '"') {
			const char *from = ++s;
			char name[FUZZ_TEXT];

			for (; *s != '"'; s++)
				s += *s == '\\';
			snprintf(name, sizeof(name), "%.*s", (int)(s - from), from);
			if (depth && open[depth - 1] == '{' && due && !word(name, "_"))
				return 1;
		}
	}
	return 0;
}

/* An object with one member, whose value has no comma. */
static int one_member(const char *json)
{
	const char *p = json + 2 + strcspn(json + 2, "\"");

	if (json[1] != '"' || p[1] != ':')
		return 0;
	p += 2;
	if (*p == '"') {
		for (p++; *p && *p != '"'; p++)
			p += *p == '\\';
		return !strcmp(p, "\"}");
	}
	return !strcmp(p + strcspn(p, "\",{}"), "}");
}

/* What a label is told from others by: its name, and an object's first member. */
static void goes_by(char *key, const char *name, const char *json)
{
	if (json[0] == '{' && json[1] == '"')
		sprintf(key, "%s.%.*s", name, (int)strcspn(json + 2, "\""), json + 2);
	else
		strcpy(key, name);
}

void rules_label(struct file *f, int kind, long long identity, long long internal, const char *name,
			const char *json, long long type, long long flags)
{
	static const char *own[] = { "hostname", "domainname", "machineid", "userid", "groupid", "agent" };
	long long is = *json == '"' ? 1 : *json == '-' || isdigit((unsigned char)*json) ? 2 :
		!strcmp(json, "true") || !strcmp(json, "false") ? 3 : !strcmp(json, "null") ? 4 :
		*json == '[' ? 5 : *json == '{' ? 6 : 0;
	char key[2 * FUZZ_TEXT], other[2 * FUZZ_TEXT];

	rule(!word(name, "_"), "is not a letter followed by letters, digits and _");
	for (unsigned i = 0; i < sizeof(own) / sizeof(*own); i++)
		rule(!strcmp(name, own[i]), "belongs to PCP");
	rule(flags != 0 && flags != 1, "are neither 0 nor MMV_LABEL_OPTIONAL");
	rule(type < 1 || type > 6, "is none of MMV_STRING_TYPE");
	rule(strlen(name) + strlen(json) > 238, " bytes, at most 238");
	rule(judge_is_json(json) && pcp_takes_wrong(json), "PCP takes it wrong");
	rule(is != type || !judge_is_json(json) || !utf8_clean(json), "is not JSON of type");
	if (!f)
		return;
	rule(f->version == 1, "has no labels");
	rule(kind == 32 && is == 6 && !one_member(json), "has not one member");
	goes_by(key, name, json);
	for (int i = 0; i < f->labels; i++) {
		goes_by(other, f->label[i].name, f->label[i].json);
		rule(f->label[i].kind == kind && f->label[i].identity == identity &&
		     f->label[i].internal == internal && (!strcmp(other, name) || !strcmp(other, key)), "is there already");
	}
	rule(!f->dead && f->slots >= label_room(f) && !f->dying, "no room for label");
	may(!f->dead && f->slots >= label_room(f), "no room for label");
}

/* Units from text: PCP's own parser, and what MMV has no place for. */
void rules_parse(const char *text, long long *units)
{
	static const char digits[] = "0123456789";
	static const char *const larger[] = { "zb", "zettab", "yb", "yottab" };
	char flat[FUZZ_TEXT];
	size_t n = 0;
	pmUnits u;
	double multiplier = 1;
	char *why = NULL;

	*units = 0;
	either = 0;
	if (!strcmp(text, "none"))
		return;
	if (strpbrk(text, "\t\n\r\v\f")) {	/* blanks only */
		rule(1, "");
		return;
	}
	/* PCP wants one blank each in "count x 10^3", we take more */
	for (const char *p = text; *p; p++)
		if (*p != ' ' || p[1] != ' ')
			flat[n++] = *p;
	flat[n] = '\0';
	memset(&u, 0, sizeof(u));
	if (pmParseUnitsStr(flat, &u, &multiplier, &why) < 0) {
		rule(1, "");
		free(why);
		return;
	}
	/* a multiplier that changes nothing may be refused all the same */
	for (const char *p = text; (p = strpbrk(p, digits)); p += strspn(p, digits))
		if (p == text || p[-1] == ' ' || p[-1] == '/')
			either = 1;
	/* and so may scales that MMV has no place for, where they divide themselves */
	for (unsigned i = 0; i < sizeof(larger) / sizeof(*larger); i++)
		if (strcasestr(text, larger[i]))
			either = 1;
	rule(multiplier != 1 || (u.dimSpace && u.scaleSpace > 6), "");
	*units = (long long)(u.dimSpace & 15) << 28 | (u.dimTime & 15) << 24 | (u.dimCount & 15) << 20 |
		 (u.scaleSpace & 15) << 16 | (u.scaleTime & 15) << 12 | (u.scaleCount & 15) << 8;
}

void rules_units(const long long *n)
{
	rule(n[0] < -8 || n[0] > 7, "dimSpace");
	rule(n[1] < -8 || n[1] > 7, "dimTime");
	rule(n[2] < -8 || n[2] > 7, "dimCount");
	rule(n[3] < 0 || n[3] > 6, "scaleSpace");
	rule(n[4] < 0 || n[4] > 5, "scaleTime");
	rule(n[5] < -8 || n[5] > 7, "scaleCount");
}

struct value *value_of(long long handle, struct metric **metric)
{
	if (handle <= 0)
		return NULL;
	for (int r = 1; r <= FILES; r++)
		for (int i = 0; file[r].used && i < file[r].metrics; i++)
			for (int k = 0; k < file[r].metric[i].count; k++)
				if (file[r].metric[i].value[k].handle == handle) {
					*metric = &file[r].metric[i];
					return &file[r].metric[i].value[k];
				}
	return NULL;
}
