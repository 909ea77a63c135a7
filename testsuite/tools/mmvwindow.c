/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * mmvwindow SECONDS FILE PMDA REST METRIC... - fetches in a tight loop, as pmcd
 * does, while FILE changes; SIGTERM ends it before its time.
 *
 * Prints how many fetches there were, how many found all metrics, how many
 * found one unknown, and any other outcome; how many gave a value that is not
 * its instance's id, and how many were held up while the file's first value,
 * which counts the changes, went up by REST or more. Those are not asked for
 * the former: a place may have another instance after so many changes. A second
 * process looks at the file's header all the time: how often, how many times it
 * came upon the file in flux, how many generations it saw.
 */
#include <pcp/pmapi.h>

#include <execinfo.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

struct seen { atomic_long looks, flux, generations; };

static volatile sig_atomic_t over;

static void end_it(int sig)
{
	over = sig;
}

/* The reader's code runs in this process: where it fell is the finding. */
static void fell(int sig)
{
	void *frame[32];
	int n = backtrace(frame, 32);

	dprintf(2, "mmvwindow: signal %d\n", sig);
	backtrace_symbols_fd(frame, n, 2);
	_exit(3);
}

static volatile uint64_t *map_file(const char *path)
{
	int fd = open(path, O_RDONLY);
	struct stat st;
	void *at;

	if (fd < 0 || fstat(fd, &st) ||
	    (at = mmap(NULL, st.st_size, PROT_READ, MAP_SHARED, fd, 0)) == MAP_FAILED) {
		perror(path);
		exit(2);
	}
	return at;
}

/* The first value: that of the first metric. */
static volatile uint64_t *first_value(volatile uint64_t *file)
{
	for (unsigned toc = 0; toc < (uint32_t)file[3]; toc++)
		if ((uint32_t)file[5 + 2 * toc] == 4)
			return file + file[6 + 2 * toc] / 8;
	fprintf(stderr, "mmvwindow: no values\n");
	exit(2);
}

/* Looks at nothing but the two generations. */
static void watch(volatile uint64_t *head, struct seen *seen)
{
	uint64_t last = 0;
	int in_flux = 0;

	for (;;) {
		uint64_t g2 = head[2], g1 = head[1];

		seen->looks++;
		if (g2 == 0) {
			/* Once for each time: the writer's CPU may be stopped there. */
			seen->flux += !in_flux;
			in_flux = 1;
			continue;
		}
		in_flux = 0;
		if (g1 != last) {
			seen->generations++;
			last = g1;
		}
	}
}

int main(int argc, char **argv)
{
	long fetches = 0, all = 0, gone = 0, other = 0, wrong = 0, slow = 0;
	struct seen *seen = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	const char **names = (const char **)argv + 5;
	int n = argc - 5, sts, i, j;
	pmID ids[16];
	pmResult *r;
	char spec[512];
	volatile uint64_t *file, *changes;
	uint64_t rest, before;
	double end;
	pid_t child;

	if (n < 1 || n > 15)
		return 2;
	signal(SIGTERM, end_it);
	signal(SIGSEGV, fell);
	signal(SIGBUS, fell);
	file = map_file(argv[2]);
	changes = first_value(file);
	rest = strtoul(argv[4], NULL, 10);
	snprintf(spec, sizeof(spec), "add,70,%s,mmv_init", argv[3]);
	pmSpecLocalPMDA("clear");
	pmSpecLocalPMDA(spec);

	sts = pmNewContext(PM_CONTEXT_LOCAL, NULL);
	/* Once more when that met the file in flux. */
	if (sts >= 0)
		for (i = 0; i < 10 && (sts = pmLookupName(n, names, ids)) < 0; i++)
			usleep(200000);
	if (sts < 0) {
		fprintf(stderr, "mmvwindow: %s\n", pmErrStr(sts));
		return 2;
	}
	child = fork();
	if (child == 0)
		watch(file, seen);
	end = now() + atof(argv[1]);
	while (!over && now() < end) {
		fetches++;
		before = *changes;
		if ((sts = pmFetch(n, ids, &r)) < 0) {
			other++;
			continue;
		}
		before = *changes - before;
		slow += before >= rest;
		for (i = 0, j = 0, sts = 0; i < n; i++) {
			if (r->vset[i]->numval == PM_ERR_PMID)
				sts = 1;
			else if (r->vset[i]->numval > 0)
				j++;
			/* Each value tells its instance, except where it is 0. */
			for (int k = 0; k < r->vset[i]->numval; k++)
				if (r->vset[i]->valfmt != PM_VAL_INSITU && (unsigned)r->vset[i]->vlist[k].inst != PM_IN_NULL) {
					uint64_t v;

					memcpy(&v, r->vset[i]->vlist[k].value.pval->vbuf, 8);
					if (before < rest && v && v != (uint64_t)r->vset[i]->vlist[k].inst)
						wrong++;
				}
		}
		if (sts)
			gone++;
		else if (j == n)
			all++;
		else
			other++;
		pmFreeResult(r);
	}
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	printf("fetches %ld all %ld gone %ld other %ld wrong %ld slow %ld\n", fetches, all, gone, other, wrong, slow);
	printf("looks %ld flux %ld generations %ld\n", (long)seen->looks, (long)seen->flux, (long)seen->generations);
	return 0;
}
