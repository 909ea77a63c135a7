/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The model's part for updates: what each operation makes of a value, computed
 * with this machine's own arithmetic.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "rules.h"

static uint64_t of_double(double d) { uint64_t b; memcpy(&b, &d, 8); return b; }
static double to_double(uint64_t b) { double d; memcpy(&d, &b, 8); return d; }
static uint64_t of_float(float f) { uint32_t b; memcpy(&b, &f, 4); return b; }
static float to_float(uint64_t b) { float f; uint32_t n = b; memcpy(&f, &n, 4); return f; }

uint64_t text_hash(const char *text)
{
	uint64_t h = 1;

	while (*text)
		h = h * 1000003 + (unsigned char)*text++;
	return h;
}

int same_number(long long type, uint64_t a, uint64_t b)
{
	if (type == T_FLOAT)
		return (uint32_t)a == (uint32_t)b || (isnan(to_float(a)) && isnan(to_float(b)));
	if (type == T_DOUBLE)
		return a == b || (isnan(to_double(a)) && isnan(to_double(b)));
	return a == b;
}

/* old + n, rounded once; what is far below 1 only tips the balance. */
static uint64_t added(long long type, uint64_t old, long long n)
{
	double d = type == T_FLOAT ? to_float(old) : to_double(old);
	double least = n > -(1LL << 53) && n < 1LL << 53 ? 0x1p-58 : 0x1p-49;
	__float128 sum = n && d != 0 && fabs(d) < least ? copysign(least, d) : d;

	if (isnan(d) || isinf(d))
		return old;
	sum += n;
	return type == T_FLOAT ? of_float((float)sum) : of_double((double)sum);
}

static uint64_t ratio(long long type, long long num, long long den)
{
	__float128 q = (__float128)num / den;

	return type == T_FLOAT ? of_float((float)q) : of_double((double)q);
}

/* How much of a text is kept. */
static void cut(char *to, const char *from)
{
	size_t n = strlen(from);

	if (n > 255) {
		for (n = 255; n && (from[n] & 0xc0) == 0x80; n--)
			;
		if (!n)
			n = 255;
	}
	memcpy(to, from, n);
	to[n] = '\0';
}

/* What an update by name does, as one by handle. */
static int plain(long long code)
{
	static const int as[] = { INC, ADD, SET, SET_STRING, INTERVAL_START, INTERVAL_END };

	return code >= STATS_INC ? as[code - STATS_INC] : code;
}

static void rules_kind(int code, const struct metric *m, const struct value *v, long long n, long long den)
{
	int k = v ? v->kind : K_NONE;
	int narrow = k == K_INT && (m->type == T_I32 || m->type == T_U32);

	switch (code) {
	case INC: case ADD: case SET:
		rule(k != K_INT && k != K_FLOAT, "is not the handle of a numeric value");
		rule(code == SET && narrow && (m->type == T_I32 ? n != (int32_t)n : n != (uint32_t)n),
		     "out of range of the 32-bit type");
		break;
	case GET:
		rule(k != K_INT && k != K_TIMER && k != K_CPU, "is not the handle of an integer value");
		break;
	case SET_RATIO:
		rule(den == 0, "denominator of");
		/* fall through */
	case SET_DOUBLE: case GET_DOUBLE:
		rule(k != K_FLOAT, "is not the handle of a FLOAT or DOUBLE value");
		break;
	case INC_CPU: case ADD_CPU:
		rule(k != K_CPU, "is not the handle of a per-CPU counter");
		break;
	case SET_STRING: case GET_STRING:
		rule(k != K_TEXT, "is not the handle of a text");
		break;
	case INTERVAL_START: case INTERVAL_END:
		rule(k != K_TIMER && k != K_SPAN, "is not the handle of a timer or an ELAPSED value");
		break;
	case INTERVAL_END_AT:
		rule(k != K_TIMER, "is not the handle of a timer");
		break;
	}
}

static const char *judge_text(const struct fuzz_call *c, struct value *v)
{
	if (c->code == GET_STRING)
		return strcmp(c->text, v->text) ? WRONG("returned '%s', not '%s'", c->text, v->text) : NULL;
	v->shown[v->texts++ % SHOWN] = text_hash(v->text);
	cut(v->text, c->s[c->code == SET_STRING ? 0 : 2]);
	return NULL;
}

static const char *judge_get(const struct fuzz_call *c, const struct metric *m, struct value *v)
{
	uint64_t sum = 0;

	if (v->kind == K_TIMER || v->loose)
		return v->kind == K_TIMER && c->result < 0 ? WRONG("a time of %lld", c->result) : NULL;
	if (v->kind == K_CPU) {
		for (int i = 0; i < m->count; i++)
			sum += m->value[i].bits;
		EXPECT(sum);
		return NULL;
	}
	EXPECT(m->type == T_I32 ? (int32_t)v->bits : m->type == T_U32 ? (uint32_t)v->bits : (long long)v->bits);
	return NULL;
}

/* A timer, NAME.time, counts in NAME.count as well. */
static void loosen_count(const struct metric *time)
{
	char name[256 + 8];

	snprintf(name, sizeof(name), "%.*s.count", (int)strlen(time->name) - 5, time->name);
	for (struct file *f = file + 1; f <= file + FILES; f++)
		if (f->used && time >= f->metric && time < f->metric + f->metrics) {
			struct metric *m = metric_named(f, name);

			if (m && !m->serial && m->count)
				m->value->loose = 1;
		}
}

static const char *judge_observe(const struct fuzz_call *c)
{
	struct file *f = NULL;
	struct metric *m = NULL;
	struct indom *d;
	const char *wrong;
	long long n = c->n[1], k = 0;

	for (int r = 1; r <= FILES && c->n[0]; r++)
		for (int i = 0; file[r].used && i < file[r].metrics; i++)
			if (file[r].metric[i].observe == c->n[0]) {
				f = &file[r];
				m = &f->metric[i];
			}
	rule(!m, "is not the handle of a histogram");
	if ((wrong = judge_outcome(c)) || c->outcome != FUZZ_ACCEPTED)
		return wrong;
	d = model_indom(f, m->serial);
	if (n >= d->low)
		k = 1 + (d->width ? (long long)(((uint64_t)n - d->low) / d->width) : n ? 64 - __builtin_clzll(n) : 0);
	m->value[k >= 0 && k < d->steps ? k : d->steps - 1].bits++;
	return NULL;
}

const char *judge_value(const struct fuzz_call *c)
{
	int named = c->code >= STATS_INC, code = plain(c->code);
	struct metric *m = NULL;
	struct value *v = named ? rules_find(c, &m) : value_of(c->n[0], &m);
	const char *wrong;
	long long n = c->n[1];
	uint64_t old;

	if (!named && c->n[0] == -1) {		/* MMV_NO_VALUE: no error, nothing changes */
		rule(code == SET_RATIO && c->n[2] == 0, "denominator of");
		return judge_outcome(c);
	}
	if (c->code == OBSERVE)
		return judge_observe(c);
	if (!named || v)
		rules_kind(code, m, v, n, c->n[2]);
	if (named && v && !v->handle)		/* looked up on the way, refused or not */
		v->handle = -1;
	if ((wrong = judge_outcome(c)) || c->outcome != FUZZ_ACCEPTED)
		return wrong;
	old = v->bits;
	switch (code) {
	case GET:
		return judge_get(c, m, v);
	case INC: case ADD:
		n = code == INC ? 1 : n;
#ifdef FUZZ_WRONG			/* for the test that the judges are awake */
		n *= 2;
#endif
		v->bits = v->kind == K_FLOAT ? added(m->type, old, n) : old + (uint64_t)n;
		if (m->type == T_I32 || m->type == T_U32)	/* the other half may say "no value" */
			v->bits = (uint32_t)v->bits | (old & ~0xffffffffULL);
		return NULL;
	case SET:
		v->bits = m->type == T_FLOAT ? of_float(n) : m->type == T_DOUBLE ? of_double(n) :
			m->type == T_I32 || m->type == T_U32 ? (uint32_t)n : (uint64_t)n;
		return NULL;
	case SET_RATIO:
		v->bits = ratio(m->type, n, c->n[2]);
		return NULL;
	case SET_DOUBLE:
		v->bits = m->type == T_FLOAT ? of_float(to_double(n)) : (uint64_t)n;
		return NULL;
	case GET_DOUBLE: {
		uint64_t want = m->type == T_FLOAT ? of_double(to_float(old)) : old;

		if (!same_number(T_DOUBLE, c->result, want))
			return WRONG("returned %#llx, not %#llx", c->result, (unsigned long long)want);
		return NULL;
	}
	case INC_CPU: case ADD_CPU:		/* the driver stays on the first */
		m->value[0].bits += code == INC_CPU ? 1 : (uint64_t)n;
		return NULL;
	case SET_STRING: case GET_STRING:
		return judge_text(c, v);
	default:
		v->loose = 1;
		if (v->kind == K_TIMER)
			loosen_count(m);
		return NULL;
	}
}
