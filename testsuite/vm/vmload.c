// SPDX-License-Identifier: GPL-2.0-or-later
/* Memory load of a known size, for the tests of the VM sets.
 *
 *	vmload touch PAGES		writes to each page of a new mapping once
 *	vmload churn MBYTES ROUNDS	writes to each page of a mapping, again and again
 *	vmload fork CHILDREN PAGES	children that write to each page of their parent's
 *	vmload huge MBYTES		touches a mapping in huge pages
 *	vmload hold MBYTES		touches a mapping, then waits for the end of its input
 *
 * Each prints "PID MINFLT MAJFLT" of its work at the end, from getrusage(2).
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static long page;

static char *map(size_t bytes, int advice)
{
	char *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED) {
		perror("mmap");
		exit(1);
	}
	madvise(p, bytes, advice);
	return p;
}

static void touch(char *p, size_t bytes)
{
	size_t i;

	for (i = 0; i < bytes; i += page)
		p[i] = 1;
}

static void work_fork(int children, size_t pages)
{
	char *p = map(pages * page, MADV_NOHUGEPAGE);
	int i;

	touch(p, pages * page);
	for (i = 0; i < children; i++) {
		pid_t child = fork();

		if (child == 0) {
			touch(p, pages * page);
			_exit(0);
		}
		if (child > 0)
			waitpid(child, NULL, 0);
	}
}

static void work(int argc, char **argv)
{
	size_t n = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
	size_t rounds = argc > 3 ? strtoul(argv[3], NULL, 10) : 1;

	if (strcmp(argv[1], "touch") == 0) {
		touch(map(n * page, MADV_NOHUGEPAGE), n * page);
	} else if (strcmp(argv[1], "churn") == 0) {
		char *p = map(n << 20, MADV_NOHUGEPAGE);

		while (rounds--)
			touch(p, n << 20);
	} else if (strcmp(argv[1], "fork") == 0) {
		work_fork(n, rounds);
	} else if (strcmp(argv[1], "huge") == 0) {
		touch(map(n << 20, MADV_HUGEPAGE), n << 20);
	} else if (strcmp(argv[1], "hold") == 0) {
		touch(map(n << 20, MADV_NOHUGEPAGE), n << 20);
		fflush(stdout);
		while (getchar() != EOF)
			;
	} else {
		fprintf(stderr, "vmload: no such work\n");
		exit(2);
	}
}

int main(int argc, char **argv)
{
	struct rusage before, after;

	page = sysconf(_SC_PAGESIZE);
	if (argc < 2)
		return 2;
	getrusage(RUSAGE_SELF, &before);
	work(argc, argv);
	getrusage(RUSAGE_SELF, &after);
	printf("%d %ld %ld\n", getpid(), after.ru_minflt - before.ru_minflt, after.ru_majflt - before.ru_majflt);
	return 0;
}
