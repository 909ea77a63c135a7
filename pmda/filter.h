/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Which records a client wants:
 *
 *	filter     = and { "||" and }
 *	and        = term { "&&" term }
 *	term       = "!" term | "(" filter ")" | comparison
 *	comparison = NAME ( "==" | "!=" | "<" | "<=" | ">" | ">=" | "&" ) NUMBER
 *	           | NAME ( "==" | "!=" | "~" | "!~" ) STRING
 *
 * NAME is a parameter, or type, cpu, pid. A NUMBER is decimal or 0x..., with a
 * minus sign or, for doubles, a fraction. A STRING is in double quotes, \" and
 * \\ stand for these characters. ~ looks for an extended regular expression, in
 * which { }, back references and more than four + are refused. "&" is true when the two numbers share a bit. A parameter that a
 * record's type does not have, or has as another kind, compares false.
 */
#ifndef FILTER_H
#define FILTER_H

#include <regex.h>
#include <stddef.h>
#include "evfile.h"

#define FILTER_TEXT	4096		/* bytes of a filter, at most */
#define FILTER_OPS	128		/* comparisons and connections */
#define FILTER_DEPTH	32		/* parentheses and ! */
#define FILTER_REGEX	128		/* bytes of a regular expression */
#define FILTER_PLUS	4		/* + in one */

enum compare { CMP_EQ, CMP_NE, CMP_LT, CMP_LE, CMP_GT, CMP_GE, CMP_BITS, CMP_MATCH, CMP_NO_MATCH };
enum field { FIELD_PARAM, FIELD_TYPE, FIELD_CPU, FIELD_PID };
enum code { OP_COMPARE, OP_NOT, OP_IF_TRUE, OP_IF_FALSE };

/* An integer of 65 bits, or a real number. */
struct number {
	int negative;
	uint64_t magnitude;
	int is_real;
	double real;
};

/* One step. Steps work on one truth value: a comparison sets it, OP_NOT turns
 * it round, the other two go on at `target` if it is so.
 */
struct op {
	enum code code;
	enum field field;
	enum compare compare;
	unsigned target;
	int8_t param[MMV_EV_MAX_TYPES];	/* of each type: which, -1: none */
	struct number number;
	char *text;			/* NULL: compares with the number */
	regex_t regex;			/* of CMP_MATCH and CMP_NO_MATCH */
};

struct filter {
	unsigned count;
	struct op op[FILTER_OPS];
};

/* NULL, and what is wrong and at which column, from 1 on, for a bad one. */
struct filter *filter_parse(const char *text, const struct evfile *f, unsigned first, unsigned types,
			    char *why, size_t size);
int filter_match(const struct filter *filter, const struct evfile *f, unsigned type, unsigned cpu,
		 const uint64_t *slot);
void filter_free(struct filter *filter);

/* The text of a string parameter, `to` has MMV_EV_MAX_TEXT bytes; the length.
 * Bytes that are no UTF-8 and control characters become '?'.
 */
size_t slot_text(const struct evparam *p, const uint64_t *slot, unsigned k, char *to);

/* Tokens. */
enum token { T_END, T_NAME, T_NUMBER, T_STRING, T_AND, T_OR, T_NOT, T_OPEN, T_CLOSE, T_COMPARE, T_BAD };

struct lexer {
	const char *text, *at;
	const char *start;		/* of the token */
	enum token token;
	enum compare compare;
	struct number number;
	char word[FILTER_TEXT];		/* name or string */
	const char *wrong;		/* of T_BAD */
};

void lexer_next(struct lexer *l);

#endif /* FILTER_H */
