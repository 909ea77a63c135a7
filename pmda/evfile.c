/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Opening and reading an event file. No PCP here, so that the tests run it under
 * the sanitizers.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "evfile.h"

/* A file on a disk may become shorter than its mapping, which the kernel says
 * with SIGBUS at the load. Only evfile_copy() loads, so it alone jumps back.
 */
static sigjmp_buf bus_back;
static volatile sig_atomic_t bus_guarded;

static void bus_caught(int sig)
{
	if (bus_guarded)
		siglongjmp(bus_back, 1);
	signal(sig, SIG_DFL);
	raise(sig);
}

void evfile_guard(void)
{
	static int done;
	struct sigaction act;

	if (done)
		return;
	done = 1;
	memset(&act, 0, sizeof(act));
	act.sa_handler = bus_caught;
	act.sa_flags = SA_NODEFER;	/* the jump leaves the signal unblocked */
	sigaction(SIGBUS, &act, NULL);
}

/* A function of its own, so that the jump back finds nothing half-changed. */
static __attribute__((noinline)) void copy_words(uint64_t *to, const uint64_t *from, uint64_t words)
{
	uint64_t i;

	for (i = 0; i < words; i++)
		to[i] = __atomic_load_n(&from[i], __ATOMIC_RELAXED);
}

static int is_inside(const struct evfile *f, uint64_t at, uint64_t bytes)
{
	if (bytes > f->bytes || at > f->bytes - bytes)
		return 0;
	return at % 8 == 0 && bytes % 8 == 0;
}

int evfile_copy(const struct evfile *f, uint64_t at, void *to, uint64_t bytes)
{
	if (!is_inside(f, at, bytes))
		return 0;
	if (sigsetjmp(bus_back, 0)) {
		bus_guarded = 0;
		return 0;
	}
	bus_guarded = 1;
	copy_words(to, (const uint64_t *)(f->map + at), bytes / 8);
	bus_guarded = 0;
	return 1;
}

int evfile_load(const struct evfile *f, uint64_t at, uint64_t *word)
{
	if (!is_inside(f, at, 8))
		return 0;
	if (sigsetjmp(bus_back, 0)) {
		bus_guarded = 0;
		return 0;
	}
	bus_guarded = 1;
	*word = __atomic_load_n((const uint64_t *)(f->map + at), __ATOMIC_ACQUIRE);
	bus_guarded = 0;
	return 1;
}

struct evfile *evfile_open(const char *path, char *why, size_t size)
{
	struct evfile *f = NULL;
	struct stat st;
	void *map;
	int fd;

	why[0] = '\0';
	fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0) {
		snprintf(why, size, "%s", strerror(errno));
		return NULL;
	}
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size >= (off_t)MMV_EV_PAGE) {
		map = mmap(NULL, st.st_size, PROT_READ, MAP_SHARED, fd, 0);
		if (map != MAP_FAILED) {
			f = evfile_check(map, st.st_size, why, size);
			if (!f)
				munmap(map, st.st_size);
		}
	}
	close(fd);
	if (!f)
		return NULL;
	snprintf(f->path, sizeof(f->path), "%s", path);
	f->memory = !strncmp(path, "/proc/", 6);
	evfile_look(f);
	if (f->over) {
		evfile_close(f);	/* left behind */
		return NULL;
	}
	return f;
}

void evfile_close(struct evfile *f)
{
	if (f->path[0])
		munmap((void *)f->map, f->bytes);
	free(f->type);
	free(f);
}

/* The kernel ends a session's files with a generation of 0, whatever ends the
 * session. A process may leave a file behind, so its number is looked up.
 */
void evfile_look(struct evfile *f)
{
	uint64_t generation = 0, offset;

	if (f->over)
		return;
	if (!evfile_load(f, MMV_EV_HDR_GENERATION, &generation) || generation != f->generation)
		f->over = 1;
	else if (!f->memory && f->pid > 1 && f->pid <= INT_MAX && kill(f->pid, 0) < 0 && errno == ESRCH)
		f->over = 1;
	if (evfile_load(f, MMV_EV_HDR_OFFSET, &offset))
		f->offset = offset;
}

uint64_t evfile_sum(const struct evfile *f, uint32_t first, uint32_t types, uint32_t word)
{
	uint64_t n, sum = 0;
	uint32_t i;

	for (i = 0; i < types * f->cpus; i++)
		if (evfile_load(f, ev_line(&f->type[first + i / f->cpus], i % f->cpus) + word, &n))
			sum += n;
	return sum;
}
