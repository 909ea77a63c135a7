/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Does a record match a filter?
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "filter.h"

/* How many bytes the UTF-8 character at p has; 0 for none, and for control
 * characters.
 */
static size_t character(const unsigned char *p, size_t left)
{
	size_t n = p[0] >= 0xf0 ? 4 : p[0] >= 0xe0 ? 3 : 2, i;

	if (p[0] < 0x80)
		return p[0] >= 0x20 && p[0] != 0x7f;
	if (p[0] < 0xc2 || p[0] > 0xf4 || n > left)
		return 0;
	for (i = 1; i < n; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f))
		return 0;	/* too long a form, half a pair */
	if ((p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] > 0x8f))
		return 0;
	return n;
}

size_t slot_text(const struct evparam *p, const uint64_t *slot, unsigned k, char *to)
{
	uint64_t length = slot[MMV_EV_SLOT_WORDS / 8 + k] & (MMV_EV_CUT - 1);
	size_t i, n;

	if (length >= p->room)
		length = p->room - 1;
	memcpy(to, (const char *)slot + p->at, length);
	length = strnlen(to, length);
	to[length] = '\0';
	for (i = 0; i < length; i += n ? n : 1) {
		n = character((unsigned char *)to + i, length - i);
		if (n == 0)
			to[i] = '?';
	}
	return length;
}

static int compare_text(const struct op *op, const char *text)
{
	switch (op->compare) {
	case CMP_EQ:		return strcmp(text, op->text) == 0;
	case CMP_NE:		return strcmp(text, op->text) != 0;
	case CMP_MATCH:		return regexec(&op->regex, text, 0, NULL, 0) == 0;
	case CMP_NO_MATCH:	return regexec(&op->regex, text, 0, NULL, 0) != 0;
	default:		return 0;
	}
}

/* What a comparison says of two numbers whose difference has this sign. */
static int by_sign(enum compare compare, int sign)
{
	switch (compare) {
	case CMP_EQ:	return sign == 0;
	case CMP_NE:	return sign != 0;
	case CMP_LT:	return sign < 0;
	case CMP_LE:	return sign <= 0;
	case CMP_GT:	return sign > 0;
	case CMP_GE:	return sign >= 0;
	default:	return 0;
	}
}

static double as_real(const struct number *n)
{
	if (n->is_real)
		return n->real;
	return n->negative ? -(double)n->magnitude : (double)n->magnitude;
}

static int compare_real(const struct op *op, double value)
{
	double other = as_real(&op->number);

	if (isnan(value))
		return op->compare == CMP_NE;
	return by_sign(op->compare, (value > other) - (value < other));
}

/* An integer, as 64 bits that are signed or not. */
static int compare_integer(const struct op *op, uint64_t bits, int is_signed)
{
	__int128 value = is_signed ? (__int128)(int64_t)bits : (__int128)bits;
	__int128 other = op->number.negative ? -(__int128)op->number.magnitude : (__int128)op->number.magnitude;

	if (op->compare == CMP_BITS)
		return (bits & op->number.magnitude) != 0;
	if (op->number.is_real)
		return compare_real(op, is_signed ? (double)(int64_t)bits : (double)bits);
	return by_sign(op->compare, (value > other) - (value < other));
}

static int compare_param(const struct op *op, const struct evtype *t, unsigned k, const uint64_t *slot)
{
	uint64_t word = slot[MMV_EV_SLOT_WORDS / 8 + k];
	char text[MMV_EV_MAX_TEXT];
	double real;

	switch (t->param[k].type) {
	case EV_STRING:
		slot_text(&t->param[k], slot, k, text);
		return compare_text(op, text);
	case EV_DOUBLE:
		memcpy(&real, &word, sizeof(real));
		return op->compare == CMP_BITS ? 0 : compare_real(op, real);
	case EV_I32:
		return compare_integer(op, (uint64_t)(int64_t)(int32_t)word, 1);
	case EV_U32:
		return compare_integer(op, (uint32_t)word, 0);
	default:
		return compare_integer(op, word, t->param[k].type == EV_I64);
	}
}

static int compare(const struct op *op, const struct evfile *f, unsigned type, unsigned cpu, const uint64_t *slot)
{
	switch (op->field) {
	case FIELD_TYPE:
		return compare_text(op, f->type[type].name);
	case FIELD_CPU:
		return compare_integer(op, cpu, 0);
	case FIELD_PID:
		return compare_integer(op, (uint32_t)slot[MMV_EV_SLOT_MARK / 8], 0);
	default:
		if (op->param[type] < 0)
			return 0;
		return compare_param(op, &f->type[type], op->param[type], slot);
	}
}

int filter_match(const struct filter *filter, const struct evfile *f, unsigned type, unsigned cpu,
		 const uint64_t *slot)
{
	unsigned i = 0;
	int truth = 1;

	while (i < filter->count) {
		const struct op *op = &filter->op[i++];

		if (op->code == OP_COMPARE)
			truth = compare(op, f, type, cpu, slot);
		else if (op->code == OP_NOT)
			truth = !truth;
		else if (truth == (op->code == OP_IF_TRUE))
			i = op->target;
	}
	return truth;
}

void filter_free(struct filter *filter)
{
	unsigned i;

	if (!filter)
		return;
	for (i = 0; i < filter->count; i++) {
		struct op *op = &filter->op[i];

		if (op->text && (op->compare == CMP_MATCH || op->compare == CMP_NO_MATCH))
			regfree(&op->regex);
		free(op->text);
	}
	free(filter);
}
