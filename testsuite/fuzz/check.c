/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The strict checker as functions.
 */
#define main mmvcheck_main
#include "../tools/mmvcheck.c"
#undef main
#include "judge.h"

int judge_bytes(const char *path)
{
	tails = 1;
	faults = 0;
	check(path);
	return faults;
}

/* What is withdrawn is empty at once, its size and its name follow. */
int judge_shows(const char *path)
{
	struct stat st;
	char c;
	int fd = open(path, O_RDONLY), yes;

	if (fd < 0)
		return 0;
	yes = !fstat(fd, &st) && st.st_size > 0 && read(fd, &c, 1) == 1;
	close(fd);
	return yes;
}

int judge_is_json(const char *text)
{
	const char *end = json(text, 0);

	return end && !*end;
}
