/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The strict checker as functions, and where a session's files are.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "../tools/mmvcheck/mmvcheck.h"
#include "judge.h"

int judge_bytes(const char *path)
{
	static struct file f;
	unsigned findings;

	if (!file_open(&f, path)) {
		perror(path);
		exit(2);
	}
	f.ours = true;
	findings = check_bytes(&f);
	file_close(&f);
	return findings;
}

/* What is withdrawn cannot be mapped from then on; its size and its name
 * follow. A published file need not support read(), so it is mapped.
 */
void *judge_map(const char *path, size_t *size)
{
	struct stat st;
	void *map = MAP_FAILED;
	int fd = open(path, O_RDONLY);

	*size = 0;
	if (fd < 0)
		return NULL;
	if (fstat(fd, &st) == 0 && st.st_size > 0)
		map = mmap(NULL, st.st_size, PROT_READ, MAP_SHARED, fd, 0);
	close(fd);
	if (map == MAP_FAILED)
		return NULL;
	*size = st.st_size;
	return map;
}

int judge_shows(const char *path)
{
	size_t size;
	void *map = judge_map(path, &size);

	if (!map)
		return 0;
	munmap(map, size);
	return 1;
}

int judge_is_json(const char *text)
{
	const char *end = json_value(text, 0);

	return end && *end == 0;
}

static int find_in(const char *in, const char *begins, char *to, size_t size)
{
	DIR *d = opendir(in);
	struct dirent *e;
	int found = 0;

	if (!d)
		return 0;
	for (e = readdir(d); e && !found; e = readdir(d))
		if (strncmp(e->d_name, begins, strlen(begins)) == 0) {
			snprintf(to, size, "%s/%s", in, e->d_name);
			found = 1;
		}
	closedir(d);
	return found;
}

/* The directory in `in` whose name begins so; it may come a moment later. */
void judge_find(const char *in, const char *begins, char *to, size_t size)
{
	int tries;

	for (tries = 0; tries < 100; tries++) {
		if (find_in(in, begins, to, size))
			return;
		usleep(100000);
	}
	printf("no %s/%s*\n", in, begins);
	exit(2);
}
