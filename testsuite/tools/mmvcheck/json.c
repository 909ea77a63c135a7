/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * mmvcheck: is it JSON? Each function returns what follows what it read, or
 * NULL when that is not there.
 */
#include <ctype.h>
#include <string.h>
#include "mmvcheck.h"

enum { MAX_DEPTH = 16 };

/* After a backslash. */
static const char *json_escape(const char *s)
{
	int i;

	if (*s == 'u') {
		for (i = 1; i <= 4; i++)
			if (!isxdigit((unsigned char)s[i]))
				return NULL;
		return s + 5;
	}
	if (*s == 0 || !strchr("\"\\/bfnrt", *s))
		return NULL;
	return s + 1;
}

const char *json_string(const char *s)
{
	if (*s != '"')
		return NULL;
	s++;
	while (*s != '"') {
		if ((unsigned char)*s < ' ')
			return NULL;
		if (*s != '\\') {
			s++;
			continue;
		}
		s = json_escape(s + 1);
		if (!s)
			return NULL;
	}
	return s + 1;
}

static const char *json_digits(const char *s)
{
	if (!isdigit((unsigned char)*s))
		return NULL;
	while (isdigit((unsigned char)*s))
		s++;
	return s;
}

static const char *json_number(const char *s)
{
	if (*s == '-')
		s++;
	if (*s == '0' && isdigit((unsigned char)s[1]))
		return NULL;
	s = json_digits(s);
	if (s && *s == '.')
		s = json_digits(s + 1);
	if (!s || (*s != 'e' && *s != 'E'))
		return s;
	s++;
	if (*s == '-' || *s == '+')
		s++;
	return json_digits(s);
}

static const char *json_word(const char *s, const char *word)
{
	size_t n = strlen(word);

	return strncmp(s, word, n) == 0 ? s + n : NULL;
}

/* A member of an object, or of an array: without a name. */
static const char *json_member(const char *s, bool named, int depth)
{
	if (named) {
		s = json_string(s);
		if (!s || *s != ':')
			return NULL;
		s++;
	}
	return json_value(s, depth + 1);
}

static const char *json_members(const char *s, bool named, int depth)
{
	char close = named ? '}' : ']';

	s++;
	if (*s == close)
		return s + 1;
	for (;;) {
		s = json_member(s, named, depth);
		if (!s)
			return NULL;
		if (*s == close)
			return s + 1;
		if (*s != ',')
			return NULL;
		s++;
	}
}

const char *json_value(const char *s, int depth)
{
	if (depth > MAX_DEPTH)
		return NULL;
	switch (*s) {
	case '{': return json_members(s, true, depth);
	case '[': return json_members(s, false, depth);
	case '"': return json_string(s);
	case 't': return json_word(s, "true");
	case 'f': return json_word(s, "false");
	case 'n': return json_word(s, "null");
	default: return json_number(s);
	}
}
