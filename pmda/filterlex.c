/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The tokens of a filter, see filter.h.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "filter.h"

static const struct {
	const char *text;
	enum token token;
	enum compare compare;
} signs[] = {		/* the longer one of two that begin alike first */
	{ "&&", T_AND, 0 }, { "||", T_OR, 0 },
	{ "==", T_COMPARE, CMP_EQ }, { "=~", T_COMPARE, CMP_MATCH },
	{ "!=", T_COMPARE, CMP_NE }, { "!~", T_COMPARE, CMP_NO_MATCH },
	{ "<=", T_COMPARE, CMP_LE }, { ">=", T_COMPARE, CMP_GE },
	{ "<", T_COMPARE, CMP_LT }, { ">", T_COMPARE, CMP_GT },
	{ "&", T_COMPARE, CMP_BITS }, { "~", T_COMPARE, CMP_MATCH },
	{ "!", T_NOT, 0 }, { "(", T_OPEN, 0 }, { ")", T_CLOSE, 0 },
};

static void bad(struct lexer *l, const char *wrong)
{
	l->token = T_BAD;
	l->wrong = wrong;
}

static int is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static int is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static void lex_name(struct lexer *l)
{
	size_t n = 0;

	while (is_letter(l->at[n]) || is_digit(l->at[n]))
		n++;
	memcpy(l->word, l->at, n);
	l->word[n] = '\0';
	l->at += n;
	l->token = T_NAME;
}

static void lex_string(struct lexer *l)
{
	size_t n = 0;

	for (l->at++; *l->at != '"'; l->at++) {
		if (*l->at == '\\' && (l->at[1] == '"' || l->at[1] == '\\'))
			l->at++;
		if (*l->at == '\0') {
			bad(l, "a string that does not end");
			return;
		}
		l->word[n++] = *l->at;
	}
	l->word[n] = '\0';
	l->at++;
	l->token = T_STRING;
}

/* Where a number ends that has a fraction or an exponent; NULL for none. */
static const char *real_end(const char *at)
{
	char *end;

	if (at[0] == '0' && (at[1] == 'x' || at[1] == 'X'))
		return NULL;
	strtod(at, &end);
	return memchr(at, '.', end - at) || memchr(at, 'e', end - at) || memchr(at, 'E', end - at) ? end : NULL;
}

static void lex_number(struct lexer *l)
{
	const char *at = l->at;
	char *end;

	memset(&l->number, 0, sizeof(l->number));
	if (*at == '-') {
		l->number.negative = 1;
		at++;
	}
	if (!is_digit(*at)) {
		bad(l, "a - without a number");
		return;
	}
	if (real_end(at)) {
		l->number.is_real = 1;
		l->number.real = strtod(l->at, &end);
	} else {
		errno = 0;
		l->number.magnitude = strtoull(at, &end, at[0] == '0' && (at[1] == 'x' || at[1] == 'X') ? 16 : 10);
		if (errno) {
			bad(l, "a number of more than 64 bits");
			return;
		}
	}
	l->at = end;
	l->token = T_NUMBER;
	if (is_letter(*l->at) || is_digit(*l->at))
		bad(l, "a number with something behind it");
}

static void lex_sign(struct lexer *l)
{
	size_t i, n;

	for (i = 0; i < sizeof(signs) / sizeof(*signs); i++) {
		n = strlen(signs[i].text);
		if (strncmp(l->at, signs[i].text, n))
			continue;
		l->at += n;
		l->token = signs[i].token;
		l->compare = signs[i].compare;
		return;
	}
	bad(l, *l->at == '=' ? "one =, where == is meant" : *l->at == '|' ? "one |, where || is meant"
	       : "a character that has no meaning here");
}

void lexer_next(struct lexer *l)
{
	while (*l->at == ' ' || *l->at == '\t' || *l->at == '\n' || *l->at == '\r')
		l->at++;
	l->start = l->at;
	if (*l->at == '\0')
		l->token = T_END;
	else if (is_letter(*l->at))
		lex_name(l);
	else if (*l->at == '"')
		lex_string(l);
	else if (is_digit(*l->at) || *l->at == '-')
		lex_number(l);
	else
		lex_sign(l);
}
