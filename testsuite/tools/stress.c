/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * stress THREADS ROUNDS: the shim's operations from many threads at once.
 *
 * Built under the thread and the address sanitizer by values_native.exp.
 * Writers update the same cells; one keeps closing and opening cells of its own,
 * whose handles the others hold, and uses their places for something else once
 * that is settled; all open the same cells at once; a reader reads texts; one
 * shows changes and one looks at their generations.
 * Prints what came out; exits 1 if a count is not exact or a text is mixed.
 */
#define _GNU_SOURCE
#define STP_MMV_POOL (1u << 20)
#include <pthread.h>
#include <stdio.h>
#include "../../runtime/mmv_shim/mmv_shim_user.h"

enum { INTEGER = 4096, SHORT = 4160, FLOATING = 4224, SPAN = 4288, TIMER = 4352, WORD = 4416,
       COMING = 4480, COMING_WORD = 4544, PER_CPU = 8192, SLOTS = 65536, COMING_SLOTS = 66560, SLOT = 256,
       SHARED = 131072, SHARES = 4096, LIST = 393216, FIRST = 409600, LAST = 409608, CHANGED = 524288,
       RUNS = 64 };
static u64 integer, narrow, floating, span, timer, per_cpu, text, coming, coming_text;
static int threads, rounds, done;
static u64 faults, mixed, went, gone, waits;

static void fault(const char *what)
{
	MMV_ADD64(&faults, 1);
	fprintf(stderr, "%s\n", what);
}

/* A text tells its own length: one letter, as often as the letter says. */
static void make_text(char *to, int k)
{
	int n = 1 + k % 26 * 9;

	memset(to, 'a' + k % 26, n);
	to[n] = '\0';
}

static int is_mixed(const char *s)
{
	char want[SLOT];

	if (s[0] == '\0')
		return 0;			/* never set so far */
	if (s[0] < 'a' || s[0] > 'z')
		return 1;
	make_text(want, s[0] - 'a');
	return strcmp(s, want) != 0;
}

/* An update that is held up between its check and its store. */
static void late_inc(u64 handle)
{
	if (!mmv_is(handle, MMV_KIND_S64))
		return;
	sched_yield();
	MMV_ADD64(mmv_cell_at((u32)handle), 1);
}

static void *writer(void *arg)
{
	char s[SLOT];
	s64 t, n;
	int i;

	for (i = 0; i < rounds; i++) {
		mmv_enter();
		/* All threads come upon the same new cells. */
		if (!mmv_inc(mmv_cell_open(SHARED + i % SHARES * MMV_CELL_BYTES, MMV_KIND_U64)))
			fault("two handles for one cell");
		if (!mmv_inc(integer) || !mmv_add(narrow, 3) || !mmv_add(floating, 1) || !mmv_add_cpu(per_cpu, 2))
			fault("an update of an open cell was refused");
		make_text(s, i + (int)(intptr_t)arg * 7);
		if (!mmv_set_text(text, s))
			fault("a text was refused");
		mmv_begin(timer);
		t = mmv_begin(timer);
		if (!mmv_end_since(timer, t) || !mmv_end(timer) || !mmv_end(timer) || mmv_end(timer))
			fault("intervals do not nest");
		mmv_begin(span);
		mmv_end(span);
		/* Open or closed, as it happens; only never somewhere else. */
		if (mmv_inc(MMV_LOAD(coming)))
			MMV_ADD64(&went, 1);
		else
			MMV_ADD64(&gone, 1);
		mmv_set_text(MMV_LOAD(coming_text), s);
		if (i % 16 == 0)
			late_inc(MMV_LOAD(coming));
		if (mmv_inc(i) || mmv_set(text, i) || mmv_add_cpu(integer, 1) || mmv_inc(integer ^ 1ULL << 40))
			fault("something else was taken for a handle");
		if (!mmv_get(per_cpu, &n) || n < 2 * (i + 1))
			fault("a per-CPU sum is short");
		mmv_leave();
	}
	return NULL;
}

/* Nobody may write to a place that was closed once that is settled. */
static void use_place(u64 at, u64 bytes)
{
	unsigned char *place = mmv_pool.base + at;
	u64 i;

	memset(place, 0x5a, bytes);
	sched_yield();
	for (i = 0; i < bytes; i++)
		if (MMV_LOAD(place[i]) != 0x5a) {
			fault("a late handler wrote into a place used again");
			break;
		}
	memset(place, 0, bytes);
}

static void *opener(void *arg)
{
	u64 i, stamp;

	(void)arg;
	for (i = 0; !MMV_LOAD(done); i++) {
		MMV_STORE(*(u64 *)(mmv_pool.base + COMING_WORD), COMING_SLOTS);
		MMV_STORE(coming, mmv_cell_open(COMING, MMV_KIND_U64));
		MMV_STORE(coming_text, mmv_text_open(COMING_SLOTS, SLOT, COMING_WORD, 0));
		usleep(100);
		mmv_cells_close(COMING, MMV_CELL_BYTES);
		mmv_cells_close(COMING_SLOTS, MMV_SLOTS * SLOT);
		stamp = mmv_removal();
		while (!mmv_settled(stamp)) {
			MMV_ADD64(&waits, 1);
			sched_yield();
		}
		use_place(COMING, MMV_CELL_BYTES);
		use_place(COMING_SLOTS, MMV_SLOTS * SLOT);
	}
	return NULL;
}

/* Shows long changes, one after the other. */
static void *changer(void *arg)
{
	u64 value;

	(void)arg;
	for (value = 2; !MMV_LOAD(done); value++)
		if (!mmv_store_runs(LIST, RUNS, FIRST, LAST, value))
			fault("a change was refused");
	return NULL;
}

/* Looks at both generations while these go on: one is the other's, or the next. */
static void *looker(void *arg)
{
	u64 first, last;

	(void)arg;
	while (!MMV_LOAD(done)) {
		last = MMV_LOAD_ACQUIRE(*(u64 *)(mmv_pool.base + LAST));
		first = MMV_LOAD_ACQUIRE(*(u64 *)(mmv_pool.base + FIRST));
		if (last == 0 || first < last)
			fault("a generation was broken before a change");
	}
	return NULL;
}

/* What a reader in another process does; one that is preempted for longer
 * than a text keeps still may see anything.
 */
static void read_shown(void)
{
	u64 began = mmv_tick(), at = MMV_LOAD_ACQUIRE(*(u64 *)(mmv_pool.base + WORD));
	char s[SLOT + 1];
	int i;

	for (i = 0; i < SLOT; i++)
		s[i] = MMV_LOAD(mmv_pool.base[at + i]);
	s[SLOT] = '\0';
	if (mmv_tick() - began < MMV_QUIET - 10 && is_mixed(s))
		MMV_ADD64(&mixed, 1);
}

static void *reader(void *arg)
{
	char s[SLOT + 1];
	u64 reads = 0;

	while (!MMV_LOAD(done)) {
		if (!mmv_get_text(text, s, sizeof(s)))
			fault("reading a text was refused");
		read_shown();
		if (reads % 1000 == 0)
			mmv_show_waiting();
		reads++;
		if (is_mixed(s))
			MMV_ADD64(&mixed, 1);
	}
	*(u64 *)arg = reads;
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread[MMV_THREADS], other[4];
	u64 reads = 0, count;
	s64 n, sum, bits = 0;
	int i;

	if (argc != 3 || (threads = atoi(argv[1])) < 1 || threads > (int)MMV_THREADS - 5 ||
	    (rounds = atoi(argv[2])) < 1 || !mmv_pool_up(NULL)) {
		fprintf(stderr, "usage: stress THREADS ROUNDS\n");
		return 2;
	}
	MMV_STORE(*(u64 *)(mmv_pool.base + WORD), SLOTS);
	MMV_STORE(*(u64 *)(mmv_pool.base + COMING_WORD), COMING_SLOTS);
	integer = mmv_cell_open(INTEGER, MMV_KIND_U64);
	narrow = mmv_cell_open(SHORT, MMV_KIND_U32);
	floating = mmv_cell_open(FLOATING, MMV_KIND_DOUBLE);
	span = mmv_cell_open(SPAN, MMV_KIND_SPAN);
	timer = mmv_cell_open(TIMER, MMV_KIND_TIMER);
	per_cpu = mmv_cell_open(PER_CPU, MMV_KIND_CPU);
	text = mmv_text_open(SLOTS, SLOT, WORD, 0);
	mmv_set(narrow, 0xffffffff);
	MMV_STORE(*(u64 *)(mmv_pool.base + FIRST), 1);
	MMV_STORE(*(u64 *)(mmv_pool.base + LAST), 1);
	for (i = 0; i < RUNS; i++) {
		u64 *run = (u64 *)(mmv_pool.base + LIST) + 4 * i;

		run[0] = CHANGED + 4096 * i;
		run[1] = i;
		run[2] = 512;
		run[3] = 8;
	}
	for (i = 0; i < threads; i++)
		pthread_create(&thread[i], NULL, writer, (void *)(intptr_t)i);
	pthread_create(&other[0], NULL, opener, NULL);
	pthread_create(&other[1], NULL, reader, &reads);
	pthread_create(&other[2], NULL, changer, NULL);
	pthread_create(&other[3], NULL, looker, NULL);
	for (i = 0; i < threads; i++)
		pthread_join(thread[i], NULL);
	MMV_STORE(done, 1);
	pthread_join(other[0], NULL);
	for (i = 1; i < 4; i++)
		pthread_join(other[i], NULL);

	if (waits == 0)
		fault("no removal met a handler under way");
	n = (s64)threads * rounds;
	mmv_get(integer, &sum);
	if (sum != n)
		fault("increments were lost");
	mmv_get(narrow, &sum);
	if (sum != (u32)(3 * n - 1))
		fault("32-bit adds were lost, or do not wrap");
	if (*(u32 *)(mmv_pool.base + SHORT + 4) != 0)
		fault("a 32-bit add touched what is beside it");
	mmv_get_double(floating, &bits);
	if ((u64)bits != mmv_fp_integer(&mmv_fp64, n))
		fault("floating-point adds were lost");
	mmv_get(per_cpu, &sum);
	if (sum != 2 * n)
		fault("per-CPU adds were lost");
	count = *(u64 *)(mmv_pool.base + TIMER + MMV_CELL_BYTES);
	if ((s64)count != 3 * n)
		fault("intervals were lost");
	printf("rounds %lld reads %llu mixed %llu open %llu closed %llu faults %llu\n", (long long)n,
	       (unsigned long long)reads, (unsigned long long)mixed, (unsigned long long)went,
	       (unsigned long long)gone, (unsigned long long)faults);
	mmv_pool_down();
	return faults || mixed || reads == 0;
}
