/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The strict checker as functions, and where a session's files are.
 */
#define main mmvcheck_main
#include "../tools/mmvcheck.c"
#undef main
#include <dirent.h>
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

/* The directory in `in` whose name begins so; it may come a moment later. */
void judge_find(const char *in, const char *begins, char *to, size_t size)
{
	for (int tries = 0; tries < 100; tries++, usleep(100000)) {
		DIR *d = opendir(in);
		struct dirent *e;

		while (d && (e = readdir(d)))
			if (!strncmp(e->d_name, begins, strlen(begins))) {
				snprintf(to, size, "%s/%s", in, e->d_name);
				closedir(d);
				return;
			}
		if (d)
			closedir(d);
	}
	printf("no %s/%s*\n", in, begins);
	exit(2);
}
