/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * mmvcheck: texts, names and the entries of the strings section.
 */
#include <ctype.h>
#include <string.h>
#include "mmvcheck.h"

/* Bytes that follow the first byte of a UTF-8 character, -1: no first byte. */
static int utf8_more(unsigned char first)
{
	if (first < 0x80)
		return 0;
	if (first >= 0xc2 && first < 0xe0)
		return 1;
	if (first >= 0xe0 && first < 0xf0)
		return 2;
	if (first >= 0xf0 && first < 0xf5)
		return 3;
	return -1;
}

/* Longer forms of short characters, surrogates, and what is above U+10FFFF. */
static bool utf8_excluded(unsigned char first, unsigned char second)
{
	if (first == 0xe0)
		return second < 0xa0;
	if (first == 0xed)
		return second >= 0xa0;
	if (first == 0xf0)
		return second < 0x90;
	if (first == 0xf4)
		return second >= 0x90;
	return false;
}

bool is_utf8(const char *s)
{
	const unsigned char *p = (const unsigned char *)s;
	int i, more;

	while (*p != 0) {
		more = utf8_more(*p);
		if (more < 0)
			return false;
		for (i = 1; i <= more; i++)
			if ((p[i] & 0xc0) != 0x80)
				return false;
		if (more > 0 && utf8_excluded(p[0], p[1]))
			return false;
		p += 1 + more;
	}
	return true;
}

/* Control characters of ASCII, apart from the allowed ones. */
bool has_control(const char *s, const char *allowed)
{
	for (; *s != 0; s++) {
		unsigned char c = (unsigned char)*s;

		if ((c < ' ' || c == 0x7f) && !strchr(allowed, c))
			return true;
	}
	return false;
}

/* Words of letters, digits and _, each beginning with a letter, joined by dots. */
bool is_metric_name(const char *s)
{
	if (!isalpha((unsigned char)*s))
		return false;
	for (; *s != 0; s++) {
		if (*s == '.' && !isalpha((unsigned char)s[1]))
			return false;
		if (*s != '.' && *s != '_' && !isalnum((unsigned char)*s))
			return false;
	}
	return true;
}

/* A value that changes overwrites its entry: nothing else may lie there. */
static void take_entry(struct file *f, const char *rule, uint64_t at, const char *what, enum use use)
{
	uint64_t i = (at - f->section[STRINGS].at) / STRING_BYTES;

	if (use == UNUSED)
		return;
	if (f->use[i] == CHANGING_TEXT || (f->use[i] == FIXED_TEXT && use == CHANGING_TEXT))
		fault(f, rule, "%s at %llu shares its place with another text", what, (unsigned long long)at);
	f->use[i] = use;
}

/* The text of an entry of the strings section, or NULL after a finding. */
const char *string_entry(struct file *f, const char *rule, uint64_t at, const char *what, enum use use)
{
	const char *text;

	if (at == 0) {
		fault(f, rule, "%s has no text", what);
		return NULL;
	}
	if (!inside(f, at, STRING_BYTES)) {
		fault(f, rule, "%s at %llu is outside the file", what, (unsigned long long)at);
		return NULL;
	}
	if (!is_entry(&f->section[STRINGS], STRING_BYTES, at)) {
		fault(f, rule, "%s at %llu is no entry of the strings section", what, (unsigned long long)at);
		return NULL;
	}
	take_entry(f, rule, at, what, use);
	text = text_at(f, at, STRING_BYTES);
	if (!text)
		fault(f, rule, "%s at %llu has no NUL in %d bytes", what, (unsigned long long)at, STRING_BYTES);
	return text;
}

/* The tapset leaves nothing behind the end of a text that does not change. */
void check_tail(struct file *f, uint64_t at, uint64_t bytes, const char *what)
{
	const char *text = text_at(f, at, bytes);
	uint64_t i;

	if (!text)
		return;
	for (i = strlen(text); i < bytes; i++) {
		if (text[i] == 0)
			continue;
		unkept(f, "tail", "%s at %llu has bytes behind its NUL", what, (unsigned long long)at);
		return;
	}
}

static void check_help_text(struct file *f, uint64_t at, const char *what, const char *allowed)
{
	const char *s;

	if (at == 0)
		return;
	s = string_entry(f, "help", at, what, FIXED_TEXT);
	if (!s)
		return;
	check_tail(f, at, STRING_BYTES, what);
	if (*s == 0)
		unkept(f, "help", "%s is an empty text instead of none", what);
	if (!is_utf8(s))
		fault(f, "help", "%s is not UTF-8", what);
	if (has_control(s, "\n\t"))
		fault(f, "help", "%s has control characters", what);
	else if (has_control(s, allowed))
		unkept(f, "help", "%s has more than one line, or tabs", what);
}

void check_help(struct file *f, uint64_t oneline, uint64_t help)
{
	check_help_text(f, oneline, "one-line help", "");
	check_help_text(f, help, "long help", "\n\t");
}

/* mmvdump prints all entries, also those that nothing points to. */
void check_strings(struct file *f)
{
	uint64_t at = f->section[STRINGS].at;
	uint32_t i;

	for (i = 0; i < f->section[STRINGS].count; i++) {
		if (f->use[i] == UNUSED && !text_at(f, at, STRING_BYTES))
			fault(f, "string", "unused entry at %llu has no NUL", (unsigned long long)at);
		at += STRING_BYTES;
	}
}
