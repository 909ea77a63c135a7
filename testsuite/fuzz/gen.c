/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Random calls: most of them valid, so that files grow interesting; the others
 * wrong in one argument or in their order. What is valid is looked up in the
 * model. The same seed makes the same calls on the same tapset.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "gen.h"

static uint64_t state;

static uint64_t next(void)		/* splitmix64 */
{
	uint64_t z = state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

void gen_seed(uint64_t seed) { state = seed; }
unsigned gen_below(unsigned n) { return next() % n; }
static int chance(unsigned in) { return gen_below(in) == 0; }	/* one in so many */
#define ONE_OF(list) list[gen_below(sizeof(list) / sizeof(*(list)))]

static const char *nasty[] = {
	"", " ", "  x", "a b", "a  b", "x ", "%s%n%s%d", "%", "%%", "\"", "\\", "\\\"", "\n", "a\nb", "\t", "\r",
	"'; reboot; '", "$(reboot)", "`id`", "../x", "a/b", "a.b", "a..b", ".a", "a.", "9x", "_x", "a-b", "control",
	"hostname", "agent", "\xc3\xa9t\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80", "\xff", "a\xff" "b", "\xc3",
	"\xe2\x82", "\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\x80", "\x01", "\x1b[31m", "\x7f", "\x02x\x03",
	"{}", "[]", "null", "true", "-", "0", "00", "A", "a", "e.x", "d", "\xc2\xa0", "\xc2\x85", "\xef\xbb\xbf",
	"nan", "inf", "*", "?", "#", "&", "|", ";", "<", ">", "~", "!", "@", "none",
};

static const long long odd[] = {
	0, 1, -1, 2, 3, 4, 7, 8, 9, 10, 11, 255, 256, 1023, 1024, 2047, 2048, 4095, 4096, 65535, 65536, 1000000, 1000001,
	0x7fffffff, 0x80000000LL, 0xffffffffLL, 0x100000000LL, -0x80000000LL, -0x80000001LL,
	0x7fffffffffffffffLL, -0x7fffffffffffffffLL - 1, 0x100000001LL, 0x01001000, 0x00100000, -2, -8, -9, 5, 6,
};

static long long odd_number(void) { return chance(4) ? (long long)next() : ONE_OF(odd); }

static void fill(char *s, unsigned n, const char *from)	/* n bytes out of these */
{
	unsigned k = strlen(from);

	for (unsigned i = 0; i < n; i++)
		s[i] = from[gen_below(k)];
	s[n] = '\0';
}

static void odd_text(char *s)
{
	switch (gen_below(4)) {
	case 0: case 1:
		strcpy(s, ONE_OF(nasty));
		break;
	case 2:
		fill(s, gen_below(2) ? 254 + gen_below(4) : 62 + gen_below(4), "ab_9");
		break;
	default:
		for (unsigned i = 0, n = gen_below(chance(4) ? 511 : 12); i <= n; i++) {
			s[i] = 1 + gen_below(255);
			s[i + 1] = '\0';
		}
	}
}

static void a_word(char *s, unsigned n)
{
	*s = "abcdeABC"[gen_below(8)];
	fill(s + 1, n, "abcxyzAZ019_");
}

static void a_metric_name(char *s, const struct file *f)
{
	unsigned longest = f->version == 1 ? 63 : 255;

	if (f->flags & NOPREFIX) {	/* apart from all files' names and other such files */
		sprintf(s, "np%d.", (int)(f - file));
		s += strlen(s);
		longest -= 6;
	}
	if (chance(30)) {
		a_word(s, longest - 1 - gen_below(2));
		return;
	}
	a_word(s, gen_below(6));
	for (unsigned k = chance(3) ? 1 + gen_below(chance(10) ? 20 : 3) : 0; k && strlen(s) + 8 < longest; k--) {
		strcat(s, ".");
		a_word(s + strlen(s), gen_below(4));
	}
}

static void a_text(char *s, unsigned most)	/* UTF-8, no control characters */
{
	static const char *piece[] = { "a", "B", "7", " ", "%", "%n", "\\", "'", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80", ".", "{" };
	unsigned want = chance(20) ? most : gen_below(chance(5) ? most : 20);

	*s = '\0';
	while (strlen(s) < want) {
		const char *p = ONE_OF(piece);

		if (strlen(s) + strlen(p) > most)
			p = "x";
		strcat(s, p);
	}
}

static void a_help(char *s)
{
	if (chance(3))
		*s = '\0';
	else
		a_text(s, 255);
}

static void an_instance_name(char *s, unsigned longest)
{
	*s = "abcdefgh/%'\\"[gen_below(12)];
	s[1] = '\0';
	a_text(s + 1, longest - 1);
}

/* A JSON value of the type. */
static void a_value(char *s, int type, int depth)
{
	static const char *strings[] = { "\"\"", "\"x\"", "\"a b\"", "\"\\\"\"", "\"\\\\\"", "\"\\u00e9\"", "\"\xc3\xa9\"", "\"%n\"", "\"{\"", "\"[,]\"" };
	static const char *numbers[] = { "0", "-1", "42", "1.5", "-0.25", "1e3", "2E-2", "123456789012345678" };
	static const char *names[] = { "\"a\"", "\"b\"", "\"c_1\"" };

	switch (type) {
	case 1: strcpy(s, ONE_OF(strings)); break;
	case 2: strcpy(s, ONE_OF(numbers)); break;
	case 3: strcpy(s, gen_below(2) ? "true" : "false"); break;
	case 4: strcpy(s, "null"); break;
	default:
		strcpy(s, type == 5 ? "[" : "{");
		for (unsigned i = 0, n = gen_below(4); i < n; i++) {
			if (i)
				strcat(s, ",");
			if (type == 6) {
				strcat(s, names[i]);
				strcat(s, ":");
			}
			a_value(s + strlen(s), 1 + gen_below(depth ? 4 : 6), 1);
		}
		strcat(s, type == 5 ? "]" : "}");
	}
}

static void some_units(char *s)
{
	static const char *good[] = {
		"count", "byte", "Kbyte", "Mbyte / sec", "microsec", "nanosec", "count / sec", "sec", "none", "count x 10^6",
		"byte^2", "count/byte", "1/sec", "byte sec", "KB", "ms", "hour", "h", "MiB / sec", "Kbyte^-1", "count^-2 / sec", "COUNT / SEC",
	};
	static const char *piece[] = {
		"count", "byte", "sec", "Kbyte", "min", "/", " / ", " ", "^2", "^-1", "^8", "^-9", "x 10^3", " x 10^9", "2", "1",
		"furlong", "^", "10", "\t", "x", "^18446744073709551617", "^99999999999999999999", "MB", "EB", "ZB", "hr", "%n",
	};

	if (!chance(4)) {
		strcpy(s, ONE_OF(good));
		return;
	}
	*s = '\0';
	for (unsigned n = gen_below(6); n; n--) {
		strcat(s, ONE_OF(piece));
		if (gen_below(2))
			strcat(s, " ");
	}
}

static long long good_units(void)
{
	static const long long units[] = { 0, 0x00100000, 0x10000000, 0x10010000, 0x01000000, 0x0f103000, 0x00100600 };

	return ONE_OF(units);
}

static long long a_serial(struct file *f)	/* of a declared indom, if there is one, rather one in use */
{
	for (int tries = 0; f->indoms && tries < 3; tries++) {
		const struct indom *d = &f->indom[gen_below(f->indoms)];

		if (d->count && !d->sealed)
			return d->serial;
	}
	return f->indoms ? f->indom[gen_below(f->indoms)].serial : 1 + gen_below(2047);
}

static void a_file_name(char *s)
{
	if (chance(8))
		a_word(s, gen_below(63));
	else
		sprintf(s, "f%u", gen_below(40));
}

void gen_registry(struct fuzz_call *c)
{
	memset(c, 0, sizeof(*c));
	c->code = chance(3) ? REGISTRY_EASY : chance(4) ? FILE_EASY : chance(6) ? FILE_FULL : REGISTRY;
	a_file_name(c->s[0]);
	c->n[0] = chance(2) ? 0 : 1 + gen_below(4095);
	c->n[1] = gen_below(8);
	if (chance(10))
		odd_text(c->s[0]);
	if (chance(12))
		c->n[gen_below(2)] = odd_number();
}

static void gen_metric(struct fuzz_call *c, struct file *f)
{
	static const int types[] = { -1, 0, 1, 2, 3, 3, 3, 4, 5, 6, 6, 9 };
	static const int sems[] = { 1, 3, 4 };

	c->code = ADD_METRIC;
	a_metric_name(c->s[0], f);
	c->n[1] = chance(2) ? -1 : 1 + (long long)gen_below(chance(2) ? 12 : 1023);
	c->n[2] = ONE_OF(types);
	c->n[3] = c->n[2] == T_ELAPSED ? 1 : ONE_OF(sems);
	c->n[4] = c->n[2] == T_ELAPSED ? 0x01001000 : good_units();
	c->n[5] = f->indoms && chance(2) ? a_serial(f) : 0;
	if (f->pasts && chance(3)) {		/* one that was removed comes back, or nearly */
		const struct past *p = &f->past[gen_below(f->pasts)];

		strcpy(c->s[0], p->name);
		c->n[1] = chance(3) ? p->item : -1;
		c->n[2] = p->type;
		c->n[3] = p->sem;
		c->n[4] = p->units;
		c->n[5] = p->serial;
		if (chance(5))
			c->n[2] = ONE_OF(types);
	}
	a_help(c->s[1]);
	a_help(c->s[2]);
}

static void gen_label(struct fuzz_call *c, struct file *f)
{
	long long type = 1 + gen_below(6);
	int i = 1;

	c->code = REGISTRY_LABEL + gen_below(4);
	a_word(c->s[0], gen_below(4));
	a_value(c->s[1], type, 0);
	if (c->code == METRIC_LABEL) {
		c->n[1] = f->metrics ? f->metric[gen_below(f->metrics)].item : 1;
		i = 2;
	} else if (c->code != REGISTRY_LABEL) {
		c->n[1] = a_serial(f);
		i = 2;
		if (c->code == INSTANCE_LABEL) {
			struct indom *d = model_indom(f, c->n[1]);

			c->n[2] = d && d->count ? d->instance[gen_below(d->count)].id : 0;
			i = 3;
		}
	}
	c->n[i] = type;
	c->n[i + 1] = gen_below(2);
}

static const char *a_name_of(struct file *f, long long serial)	/* of an instance */
{
	struct indom *d = model_indom(f, serial);

	return d && d->count ? d->instance[gen_below(d->count)].name : "none";
}

static void gen_lookup(struct fuzz_call *c, struct file *f)
{
	struct metric *m = f->metrics ? &f->metric[gen_below(f->metrics)] : NULL;

	c->code = LOOKUP;
	if (m) {
		strcpy(c->s[0], m->name);
		if (m->serial)
			strcpy(c->s[1], a_name_of(f, m->serial));
	} else
		strcpy(c->s[0], "m");
}

/* Wrong in one argument, or in none after all. An indom's handle is a number
 * like any other, hence not by chance that of another one.
 */
static void spoil(struct fuzz_call *c)
{
	if (gen_below(2))
		odd_text(c->s[gen_below(3)]);
	else if (c->code < INSTANCE || c->code > TEXT_BY)
		c->n[gen_below(6)] = odd_number();
	else
		c->n[chance(2) ? 0 : 1] = -1;
}

static struct indom *a_known_indom(const struct file *f)	/* with a handle, if there is one */
{
	const struct file *o = chance(4) ? &file[1 + gen_below(FILES)] : f;

	for (int tries = 0; o->used && o->indoms && tries < 4; tries++) {
		const struct indom *d = &o->indom[gen_below(o->indoms)];

		if (d->handle)
			return (struct indom *)d;
	}
	return NULL;
}

static long long an_id(struct indom *d)
{
	return d && d->count && !chance(8) ? d->instance[gen_below(d->count)].id : gen_below(20);
}

/* Of instances that come and go there are not too many, so that they meet. */
static void a_coming_name(char *s)
{
	sprintf(s, "w%u", gen_below(chance(4) ? 400 : 12));
	if (chance(4))
		strcat(s, chance(2) ? " more" : " and \xc3\xa9");
}

/* Calls of change.c. */
static void gen_change(struct fuzz_call *c, struct file *f)
{
	static const int codes[] = {
		REMOVE_METRIC, REMOVE_METRIC, METRIC_HELP, INDOM_HELP, BEGIN, COMMIT, ADD_INDOM_FULL, ADD_INDOM_FULL,
		REMOVE_INSTANCE, REMOVE_INSTANCE, RENAME_INSTANCE, HISTOGRAM, HISTOGRAM_STEPS, HISTOGRAM_STEPS,
		INDOM, LOOKUP_INDOM, LOOKUP_INDOM, INSTANCE, INSTANCE, INSTANCE, INSTANCE, INSTANCE_ID, INSTANCE_ID,
		FORGET, FORGET, RETIRE, COUNTER_BY, GAUGE_BY, TEXT_BY, VALUE, HOW_MANY_REFUSED,
	};
	static const long long ages[] = { 0, 0, 3600000, 1000000000000, 1000000000001, -1, 0x7fffffffffffffff };
	struct metric *m = f->metrics ? &f->metric[gen_below(f->metrics)] : NULL;
	struct indom *d = a_known_indom(f);

	c->code = ONE_OF(codes);
	if (c->code >= INSTANCE && c->code != VALUE && !d && !chance(8))
		c->code = f->indoms ? LOOKUP_INDOM : chance(2) ? ADD_INDOM_FULL : INDOM;
	if ((c->code == REMOVE_INSTANCE || c->code == RENAME_INSTANCE) && !f->indoms && !chance(8))
		c->code = ADD_INDOM_FULL;
	switch (c->code) {
	case REMOVE_METRIC:
		if (m)
			strcpy(c->s[0], m->name);
		break;
	case METRIC_HELP: case INDOM_HELP:
		c->n[1] = c->code == INDOM_HELP ? a_serial(f) : m ? m->item : 1;
		a_help(c->s[0]);
		a_help(c->s[1]);
		break;
	case ADD_INDOM_FULL:
		c->n[1] = 1 + gen_below(chance(3) ? 2047 : 4);
		c->n[2] = 1 + gen_below(chance(5) ? 40 : 6);
		c->n[3] = gen_below(chance(8) ? 4 : 3);
		a_help(c->s[0]);
		a_help(c->s[1]);
		break;
	case REMOVE_INSTANCE: case RENAME_INSTANCE:
		c->n[1] = a_serial(f);
		c->n[2] = an_id(model_indom(f, c->n[1]));
		if (chance(2))
			a_coming_name(c->s[0]);
		else
			an_instance_name(c->s[0], f->version == 1 ? 63 : 255);
		break;
	case HISTOGRAM: case HISTOGRAM_STEPS:
		a_metric_name(c->s[0], easy >= 1 && easy <= FILES && file[easy].used ? &file[easy] : f);
		some_units(c->s[1]);
		a_help(c->s[2]);
		c->n[1] = chance(3) ? 0 : (long long)gen_below(100) - 50;
		c->n[2] = c->n[1] + gen_below(chance(3) ? 1000 : 10);
		c->n[3] = 1 + gen_below(chance(3) ? 100 : 10);
		break;
	case INDOM:
		sprintf(c->s[0], "i%u", gen_below(4));
		c->n[0] = 1 + gen_below(chance(5) ? 40 : 6);
		c->n[1] = chance(10) ? 0 : 1 + gen_below(2);
		break;
	case LOOKUP_INDOM:
		c->n[1] = a_serial(f);
		break;
	case INSTANCE: case INSTANCE_ID: case FORGET: case RETIRE: case HOW_MANY_REFUSED:
		c->n[0] = d ? d->handle : -1;
		c->n[1] = c->code == RETIRE ? ONE_OF(ages) : c->code == FORGET ? an_id(d) : gen_below(60);
		a_coming_name(c->s[0]);
		break;
	case COUNTER_BY: case GAUGE_BY: case TEXT_BY:
		c->n[0] = d ? d->handle : -1;
		if (chance(2))
			sprintf(c->s[0], "by%u", gen_below(6));
		else
			a_metric_name(c->s[0], f);
		if (c->code != TEXT_BY)
			some_units(c->s[1]);
		a_help(c->s[c->code == TEXT_BY ? 1 : 2]);
		break;
	case VALUE:
		for (int tries = 0; f->metrics && !m->serial && tries < 20; tries++)
			m = &f->metric[gen_below(f->metrics)];
		c->n[0] = m ? model_metric_id(f, m) : 1;
		c->n[1] = an_id(m && m->serial ? model_indom(f, m->serial) : NULL);
		break;
	}
}

static void gen_other(struct fuzz_call *c, struct file *f)
{
	static const int codes[] = { START, STOP, RESET, CLUSTER, UNITS, PARSE_UNITS, SET_VERSION, PARSE_UNITS, COUNTER, GAUGE,
		TEXT, TIMER, PERCPU, PERCPU, HEALTH };
	static const long long wrong[] = { 0, -1, 17, 4096, 0x7fffffffffffffffLL };

	c->code = ONE_OF(codes);
	if (c->code == UNITS)
		for (int i = 0; i < 6; i++)
			c->n[i] = chance(12) ? odd_number() : (long long)gen_below(i < 3 ? 16 : 6) - (i < 3 ? 8 : 0);
	else if (c->code == PARSE_UNITS)
		some_units(c->s[0]);
	else if (c->code == SET_VERSION)
		c->n[1] = gen_below(5);
	else if (c->code == HEALTH)
		c->n[1] = gen_below(3);
	else if (c->code >= COUNTER && c->code <= PERCPU) {
		if (easy >= 1 && easy <= FILES && file[easy].used)
			a_metric_name(c->s[0], &file[easy]);
		else
			a_word(c->s[0], 3);
		if (c->code == TEXT || c->code == TIMER)
			a_help(c->s[1]);
		else {
			some_units(c->s[1]);
			a_help(c->s[2]);
		}
	} else
		c->n[0] = ONE_OF(wrong);
	if (c->code == SET_VERSION || c->code == HEALTH)
		c->n[0] = f - file;
}

/* mmv_instance makes names of anything; what it escapes or cuts is not modelled. */
static void plain_name(struct fuzz_call *c)
{
	if (c->code != INSTANCE && c->code != INSTANCE_ID)
		return;
	if (!utf8_clean(c->s[0]) || strlen(c->s[0]) > 60)
		strcpy(c->s[0], "plain");
}

int gen_declarations(long long reg, struct fuzz_call *to, int most)
{
	struct file *f = &file[reg];
	int n = 1 + gen_below(most);

	for (int i = 0; i < n; i++) {
		struct fuzz_call *c = &to[i];
		unsigned what = gen_below(30);
		struct indom *d;

		memset(c, 0, sizeof(*c));
		c->n[0] = reg;
		if (i == 0 && chance(3) && !f->metrics) {
			c->code = SET_VERSION;
			c->n[1] = 1 + gen_below(3);
		} else if (what < 2) {
			c->code = ADD_INDOM + gen_below(2);
			c->n[1] = 1 + gen_below(chance(3) ? 2047 : 4);
			c->n[2] = 1 + gen_below(chance(5) ? 40 : 6);
			a_help(c->s[0]);
			a_help(c->s[1]);
		} else if (what < 7 && (f->indoms || chance(8))) {
			c->code = ADD_INSTANCE;
			c->n[1] = a_serial(f);
			d = model_indom(f, c->n[1]);
			c->n[2] = chance(3) ? gen_below(0x80000000) : gen_below(20);
			an_instance_name(c->s[0], f->version == 1 ? 63 : 255);
			if (d && d->count && chance(12))
				strcpy(c->s[0], a_name_of(f, c->n[1]));
		} else if (what < 15)
			gen_metric(c, f);
		else if (what < 18)
			gen_label(c, f);
		else if (what < 19)
			gen_lookup(c, f);
		else if (what < 29)
			gen_change(c, f);
		else {
			gen_other(c, f);
			continue;
		}
		if (chance(8))
			spoil(c);
		plain_name(c);
	}
	return n;
}

/* What to store: a number, or a double's bits. */
static void a_number(struct fuzz_call *c)
{
	static const uint64_t doubles[] = {
		0, 0x8000000000000000, 0x3ff0000000000000, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000,
		0x7ff0000000000001, 1, 0x000fffffffffffff, 0x0010000000000000, 0x7fefffffffffffff, 0x36a0000000000000,
		0x3690000000000000, 0x3690000000000001, 0x380fffffffffffff, 0x47efffffefffffff, 0x47effffff0000000,
	};

	c->n[1] = c->code == SET_DOUBLE ? (long long)(chance(2) ? ONE_OF(doubles) : next()) :
		chance(2) ? (long long)gen_below(1000) : odd_number();
	c->n[2] = chance(10) ? 0 : odd_number();
}

/* An update and a handle that suit each other, mostly. */
static void gen_update(struct fuzz_call *c)
{
	static const int numbers[] = { INC, ADD, SET, GET }, floats[] = { INC, ADD, SET, SET_RATIO, SET_DOUBLE, GET_DOUBLE },
		texts[] = { SET_STRING, SET_STRING, GET_STRING }, spans[] = { INTERVAL_START, INTERVAL_END },
		timers[] = { INTERVAL_START, INTERVAL_END, INTERVAL_END_AT, GET }, percpus[] = { INC_CPU, ADD_CPU, GET };

	c->code = INC + gen_below(OBSERVE - INC + 1);
	c->n[0] = odd_number();
	for (int tries = 0; tries < 60; tries++) {
		struct file *f = &file[1 + gen_below(FILES)];
		struct metric *m = f->used && f->metrics ? &f->metric[gen_below(f->metrics)] : NULL;
		struct value *v = m && m->count ? &m->value[gen_below(m->count)] : NULL;
		int code = OBSERVE;

		if (!v || (v->handle <= 0 && !m->observe))
			continue;
		c->n[0] = m->observe && !chance(4) ? m->observe : v->handle;
		if (c->n[0] != m->observe)
			code = v->kind == K_FLOAT ? ONE_OF(floats) : v->kind == K_TEXT ? ONE_OF(texts) : v->kind == K_SPAN ?
				ONE_OF(spans) : v->kind == K_TIMER ? ONE_OF(timers) : v->kind == K_CPU ? ONE_OF(percpus) :
				ONE_OF(numbers);
		if (!chance(8))
			c->code = code;
		if (chance(20))
			c->n[0] ^= 1LL << gen_below(64);
		break;
	}
}

/* Readers get wrong text when a value is no UTF-8. What the tapset makes of
 * such a text, the model does not know.
 */
static void only_utf8(struct fuzz_call *c)
{
	char *text = c->s[c->code == SET_STRING ? 0 : 2];

	if (c->code != SET_STRING && c->code != STATS_SET_STRING)
		return;
	if (!utf8_clean(text))
		a_text(text, 255);
}

int gen_updates(struct fuzz_call *to, int most)
{
	int n = 1 + gen_below(most), used[FILES], k = 0;

	for (int r = 1; r <= FILES; r++)
		if (file[r].used)
			used[k++] = r;
	for (int i = 0; i < n; i++) {
		struct fuzz_call *c = &to[i];

		memset(c, 0, sizeof(*c));
		if (k && chance(2)) {
			struct file *f = &file[used[gen_below(k)]];

			c->n[0] = f - file;
			gen_lookup(c, f);
			if (chance(10))
				spoil(c);
			continue;
		}
		gen_update(c);
		a_number(c);
		if (chance(4))
			odd_text(c->s[0]);
		else
			a_text(c->s[0], chance(4) ? 511 : 255);
		if (k && chance(6)) {
			struct file *f = &file[used[gen_below(k)]];

			gen_lookup(c, f);
			c->code = STATS_INC + gen_below(STATS_END - STATS_INC + 1);
			c->n[0] = f - file;
			a_text(c->s[2], 511);
			if (chance(10))
				spoil(c);
		}
		only_utf8(c);
	}
	return n;
}
