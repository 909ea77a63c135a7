/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Questions about words that are dearer in script: is this text, is this a
 * name, which of these words is it. Knows characters, not what they stand for.
 */
#ifndef MMV_WORDS_H
#define MMV_WORDS_H

/* The bytes of the UTF-8 character (RFC 3629) that begins here; 0 when none
 * does, or when it is a control character. Looks at no byte behind a NUL.
 */
static u32 mmv_character(const unsigned char *p)
{
	u32 c = *p, more, least, i;

	if (c < 0x80)
		return c >= 0x20 && c != 0x7f;
	if (c < 0xc0 || c > 0xf7)
		return 0;
	more = 1;
	least = 0x80;
	if (c >= 0xe0) {
		more = 2;
		least = 0x800;
	}
	if (c >= 0xf0) {
		more = 3;
		least = 0x10000;
	}
	c &= 0x3f >> more;
	for (i = 1; i <= more; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (p[i] & 0x3f);
	}
	if (c < least || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		return 0;
	return more + 1;
}

/* Is this UTF-8 without control characters but those in `also`? */
static int mmv_is_text(const char *text, const char *also)
{
	const unsigned char *p = (const unsigned char *)text;
	u32 n;

	while (*p) {
		n = mmv_character(p);
		if (n == 0 && *p < 0x80 && strchr(also, *p))
			n = 1;
		if (n == 0)
			return 0;
		p += n;
	}
	return 1;
}

/* Is this names joined by `joint`? Each is a letter, then letters, digits, _. */
static int mmv_is_name(const char *text, char joint)
{
	int first = 1;

	for (; *text; text++) {
		if ((*text | 0x20) >= 'a' && (*text | 0x20) <= 'z')
			first = 0;
		else if (first)
			return 0;
		else if (*text == joint)
			first = 1;
		else if (*text != '_' && (*text < '0' || *text > '9'))
			return 0;
	}
	return !first;
}

/* The `n`th of the words between blanks; its length. */
static size_t mmv_word(const char **text, s64 n)
{
	const char *p = *text + strspn(*text, " ");

	for (; n > 0 && *p; n--) {
		p += strcspn(p, " ");
		p += strspn(p, " ");
	}
	*text = p;
	return n ? 0 : strcspn(p, " ");
}

/* Which of the groups between bars has this word among its own, in upper or
 * lower case; -1 for none.
 */
static int mmv_group(const char *word, const char *groups)
{
	size_t n = strlen(word);
	int group = 0;

	while (n && *groups) {
		size_t size = strcspn(groups, " |");

		if (size == n && !strncasecmp(word, groups, n))
			return group;
		groups += size;
		if (*groups)
			group += *groups++ == '|';
	}
	return -1;
}

/* FNV-1a, for the script's own tables and for numbers derived from names. */
static u64 mmv_hash(const char *text)
{
	u64 h = 0xcbf29ce484222325ULL;

	while (*text)
		h = (h ^ (unsigned char)*text++) * 0x100000001b3ULL;
	return h;
}

#endif /* MMV_WORDS_H */
