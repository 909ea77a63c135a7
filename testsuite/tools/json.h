/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Is it JSON? For label payloads, in mmvcheck.c.
 */
#ifndef MMV_JSON_H
#define MMV_JSON_H

#include <ctype.h>
#include <string.h>

/* JSON, RFC 8259: returns what follows the value, or NULL. */
static const char *json(const char *s, int depth)
{
	char close;

	if (depth > 16)
		return NULL;
	switch (*s) {
	case '{': case '[':
		close = *s == '{' ? '}' : ']';
		if (*++s == close)
			return s + 1;
		for (;;) {
			if (close == '}' && (*s != '"' || !(s = json(s, depth)) || *s++ != ':'))
				return NULL;
			if (!(s = json(s, depth + 1)))
				return NULL;
			if (*s == close)
				return s + 1;
			if (*s++ != ',')
				return NULL;
		}
	case '"':
		for (s++; *s != '"'; s++) {
			if ((unsigned char)*s < ' ')
				return NULL;
			if (*s == '\\') {
				s++;
				if (*s == 'u') {
					int i;

					for (i = 0; i < 4; i++)
						if (!isxdigit((unsigned char)*++s))
							return NULL;
				} else if (!*s || !strchr("\"\\/bfnrt", *s))
					return NULL;
			}
		}
		return s + 1;
	case 't': return strncmp(s, "true", 4) ? NULL : s + 4;
	case 'f': return strncmp(s, "false", 5) ? NULL : s + 5;
	case 'n': return strncmp(s, "null", 4) ? NULL : s + 4;
	default:
		s += *s == '-';
		if (!isdigit((unsigned char)*s))
			return NULL;
		if (*s == '0' && isdigit((unsigned char)s[1]))
			return NULL;
		while (isdigit((unsigned char)*s))
			s++;
		if (*s == '.') {
			if (!isdigit((unsigned char)*++s))
				return NULL;
			while (isdigit((unsigned char)*s))
				s++;
		}
		if (*s == 'e' || *s == 'E') {
			s++;
			s += *s == '-' || *s == '+';
			if (!isdigit((unsigned char)*s))
				return NULL;
			while (isdigit((unsigned char)*s))
				s++;
		}
		return s;
	}
}

#endif /* MMV_JSON_H */
