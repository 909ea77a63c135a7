/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Recursive descent over the grammar in filter.h, a function for each line of
 * it. Each returns 0 once something is wrong, and has said what by then.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "filter.h"

struct parser {
	struct lexer lexer;
	struct filter *filter;
	const struct evfile *f;
	unsigned first, types;
	unsigned depth;
	char *why;
	size_t size;
};

/* Says what is wrong, and at which column. */
static int wrong(struct parser *p, const char *at, const char *format, ...)
{
	va_list args;
	int n;

	n = snprintf(p->why, p->size, "column %d: ", (int)(at - p->lexer.text) + 1);
	if (n < 0 || (size_t)n >= p->size)
		return 0;
	va_start(args, format);
	vsnprintf(p->why + n, p->size - n, format, args);
	va_end(args);
	return 0;
}

/* Says what was expected where the present token is. */
static int expected(struct parser *p, const char *what)
{
	struct lexer *l = &p->lexer;

	if (l->token == T_BAD)
		return wrong(p, l->start, "%s", l->wrong);
	if (l->token == T_END)
		return wrong(p, l->start, "the filter ends, expected %s", what);
	return wrong(p, l->start, "'%.*s', expected %s", (int)(l->at - l->start > 40 ? 40 : l->at - l->start), l->start, what);
}

/* A new step, or NULL. */
static struct op *emit(struct parser *p, enum code code)
{
	struct op *op;

	if (p->filter->count == FILTER_OPS) {
		wrong(p, p->lexer.start, "more than %d comparisons and connections", FILTER_OPS);
		return NULL;
	}
	op = &p->filter->op[p->filter->count++];
	op->code = code;
	return op;
}

/* Which parameter of each event has this name and kind. Returns how many have
 * the name; *kind of them are strings if text, else numbers.
 */
static unsigned find_params(const struct parser *p, struct op *op, const char *name, int text, unsigned *kind)
{
	unsigned t, k, found = 0;

	*kind = 0;
	memset(op->param, -1, sizeof(op->param));
	for (t = p->first; t < p->first + p->types; t++)
		for (k = 0; k < p->f->type[t].params; k++) {
			const struct evparam *param = &p->f->type[t].param[k];

			if (strcmp(param->name, name))
				continue;
			found++;
			if ((param->type == EV_STRING) != text)
				continue;
			op->param[t] = k;
			(*kind)++;
		}
	return found;
}

/* The field of a comparison whose other side is a string or a number. */
static int resolve(struct parser *p, struct op *op, const char *name, const char *at, int text)
{
	unsigned kind, found = find_params(p, op, name, text, &kind);
	int is_text;

	op->field = FIELD_PARAM;
	if (kind)
		return 1;
	if (found)
		return wrong(p, at, "'%s' is a %s", name, text ? "number, not a string" : "string, not a number");
	if (!strcmp(name, "type"))
		op->field = FIELD_TYPE;
	else if (!strcmp(name, "cpu"))
		op->field = FIELD_CPU;
	else if (!strcmp(name, "pid"))
		op->field = FIELD_PID;
	else
		return wrong(p, at, "no parameter '%s', nor type, cpu, pid", name);
	is_text = op->field == FIELD_TYPE;
	if (is_text != text)
		return wrong(p, at, "'%s' is a %s", name, is_text ? "string, not a number" : "number, not a string");
	return 1;
}

static unsigned count_of(const char *text, char c)
{
	unsigned n = 0;

	for (; *text; text++)
		n += *text == c;
	return n;
}

static int set_regex(struct parser *p, struct op *op, const char *at)
{
	const char *text = p->lexer.word;
	char *copy;
	int rc;

	if (strlen(text) > FILTER_REGEX)
		return wrong(p, at, "a regular expression of more than %d bytes", FILTER_REGEX);
	/* These can take time and memory that grow exponentially: the C library
	 * copies what stands in front of a + or a {.
	 */
	if (strchr(text, '{'))
		return wrong(p, at, "{ in a regular expression");
	if (count_of(text, '+') > FILTER_PLUS)
		return wrong(p, at, "more than %d + in a regular expression", FILTER_PLUS);
	if (strpbrk(text, "\\") && strpbrk(strpbrk(text, "\\"), "0123456789"))
		return wrong(p, at, "a digit behind a \\ in a regular expression");
	copy = strdup(text);
	if (!copy)
		return wrong(p, at, "no memory");
	rc = regcomp(&op->regex, text, REG_EXTENDED | REG_NOSUB);
	if (rc) {
		char reason[100];

		regerror(rc, &op->regex, reason, sizeof(reason));
		free(copy);
		return wrong(p, at, "a wrong regular expression: %s", reason);
	}
	op->text = copy;
	return 1;
}

static int set_string(struct parser *p, struct op *op, const char *sign)
{
	if (op->compare == CMP_MATCH || op->compare == CMP_NO_MATCH)
		return set_regex(p, op, p->lexer.start);
	if (op->compare != CMP_EQ && op->compare != CMP_NE)
		return wrong(p, sign, "strings compare with ==, !=, ~ and !~ only");
	op->text = strdup(p->lexer.word);
	return op->text ? 1 : wrong(p, sign, "no memory");
}

static int set_number(struct parser *p, struct op *op, const char *sign)
{
	if (op->compare == CMP_MATCH || op->compare == CMP_NO_MATCH)
		return expected(p, "a string in double quotes");
	op->number = p->lexer.number;
	if (op->compare == CMP_BITS && (op->number.is_real || op->number.negative))
		return wrong(p, sign, "& takes a whole number that is not negative");
	return 1;
}

static int comparison(struct parser *p)
{
	struct lexer *l = &p->lexer;
	char name[MMV_EV_NAME_BYTES];
	const char *at = l->start, *sign;
	struct op *op;
	int text;

	if (l->token != T_NAME)
		return expected(p, "a comparison, ! or (");
	if (strlen(l->word) >= sizeof(name))
		return wrong(p, at, "a name of more than %d characters", (int)sizeof(name) - 1);
	strcpy(name, l->word);
	lexer_next(l);
	if (l->token != T_COMPARE)
		return expected(p, "one of == != < <= > >= & ~ !~");
	op = emit(p, OP_COMPARE);
	if (!op)
		return 0;
	op->compare = l->compare;
	sign = l->start;
	lexer_next(l);
	if (l->token != T_NUMBER && l->token != T_STRING)
		return expected(p, "a number or a string in double quotes");
	text = l->token == T_STRING;
	if (!resolve(p, op, name, at, text))
		return 0;
	if (!(text ? set_string(p, op, sign) : set_number(p, op, sign)))
		return 0;
	lexer_next(l);
	return 1;
}

static int any(struct parser *p);

static int term(struct parser *p)
{
	int negate = p->lexer.token == T_NOT, ok;

	if (p->lexer.token != T_NOT && p->lexer.token != T_OPEN)
		return comparison(p);
	if (++p->depth > FILTER_DEPTH)
		return wrong(p, p->lexer.start, "more than %d parentheses and ! in each other", FILTER_DEPTH);
	lexer_next(&p->lexer);
	ok = negate ? term(p) : any(p);
	p->depth--;
	if (!ok)
		return 0;
	if (negate)
		return emit(p, OP_NOT) != NULL;
	if (p->lexer.token != T_CLOSE)
		return expected(p, "), && or ||");
	lexer_next(&p->lexer);
	return 1;
}

/* Terms joined by a token: once the truth value decides, the rest is skipped. */
static int joined(struct parser *p, int (*part)(struct parser *), enum token by, enum code code)
{
	struct op *skip;

	if (!part(p))
		return 0;
	while (p->lexer.token == by) {
		skip = emit(p, code);
		if (!skip)
			return 0;
		lexer_next(&p->lexer);
		if (!part(p))
			return 0;
		skip->target = p->filter->count;
	}
	return 1;
}

static int all(struct parser *p) { return joined(p, term, T_AND, OP_IF_FALSE); }
static int any(struct parser *p) { return joined(p, all, T_OR, OP_IF_TRUE); }

struct filter *filter_parse(const char *text, const struct evfile *f, unsigned first, unsigned types,
			    char *why, size_t size)
{
	struct parser *p = calloc(1, sizeof(*p));
	struct filter *filter = calloc(1, sizeof(*filter));
	int ok = 0;

	why[0] = '\0';
	if (p && filter && strlen(text) < FILTER_TEXT) {
		p->lexer.text = text;
		p->lexer.at = text;
		p->filter = filter;
		p->f = f;
		p->first = first;
		p->types = types;
		p->why = why;
		p->size = size;
		lexer_next(&p->lexer);
		ok = any(p);
		if (ok && p->lexer.token != T_END)
			ok = expected(p, "&&, || or the end");
	} else {
		snprintf(why, size, "a filter of %d bytes or more, or no memory", FILTER_TEXT);
	}
	free(p);
	if (ok)
		return filter;
	filter_free(filter);
	return NULL;
}
