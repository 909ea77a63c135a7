/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * native DIRECTORY: the shim's operations beside libpcp_mmv's, on this CPU,
 * in memory mapped from files there. Best of many short rounds, taken in turn,
 * because the machine may be busy; with two threads on one value, how many
 * updates were lost.
 *
 * libpcp_mmv's side is in native_pcp.c, because both have functions of the
 * same names.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <sys/stat.h>
#include "../runtime/mmv_shim/mmv_shim_user.h"

void pcp_open(int metrics);
void pcp_inc(int n);
void pcp_set(int n);
void pcp_set_string(int n);
void pcp_stats_inc(int n);
long long pcp_value(void);

enum { ROUNDS = 300, FEW = 10000, N = 4000000 };
static u64 counter, each, text;
static const char words[] = "a text of middle length, say";

static void shim_inc(int n)
{
	while (n-- > 0)
		mmv_inc(counter);
}

static void shim_add(int n)
{
	while (n-- > 0)
		mmv_add(counter, 1);
}

/* What an atomic add of the place itself costs on this CPU. */
static void bare_add(int n)
{
	u64 *place = (u64 *)(mmv_pool.base + 4096);

	while (n-- > 0)
		MMV_ADD64(place, 1);
}

static void shim_add_cpu(int n)
{
	while (n-- > 0)
		mmv_add_cpu(each, 1);
}

static void shim_set(int n)
{
	while (n-- > 0)
		mmv_set(counter, n);
}

static void shim_set_string(int n)
{
	while (n-- > 0)
		mmv_set_text(text, words);
}

static struct {
	const char *name;
	void (*run)(int);
	double ns;
} op[] = {
	{ "mmv_inc", shim_inc, 1e30 }, { "libpcp_inc", pcp_inc, 1e30 },
	{ "mmv_add", shim_add, 1e30 }, { "bare_atomic_add", bare_add, 1e30 },
	{ "mmv_add_cpu", shim_add_cpu, 1e30 },
	{ "mmv_set", shim_set, 1e30 }, { "libpcp_set", pcp_set, 1e30 },
	{ "mmv_set_string", shim_set_string, 1e30 }, { "libpcp_set_string", pcp_set_string, 1e30 },
	{ "libpcp_stats_inc_10", pcp_stats_inc, 1e30 },
};
enum { OPS = sizeof(op) / sizeof(*op) };

static double of(const char *name)
{
	int i;

	for (i = 0; strcmp(op[i].name, name); i++)
		;
	return op[i].ns;
}

static void measure(void)
{
	double ns;
	u64 t;
	int i, k;

	for (k = 0; k < ROUNDS; k++)
		for (i = 0; i < OPS; i++) {
			t = mmv_clock();
			op[i].run(FEW);
			ns = (double)(mmv_clock() - t) / FEW;
			if (ns < op[i].ns)
				op[i].ns = ns;
		}
}

static void (*both)(int);
static pthread_barrier_t line;
static void *half(void *arg)
{
	cpu_set_t cpu;

	CPU_ZERO(&cpu);
	CPU_SET((long)arg, &cpu);		/* really at once, if there are two */
	sched_setaffinity(0, sizeof(cpu), &cpu);
	pthread_barrier_wait(&line);
	both(N);
	return arg;
}

static double two(void (*run)(int))
{
	pthread_t a, b;
	u64 t;

	both = run;
	pthread_barrier_init(&line, NULL, 3);
	pthread_create(&a, NULL, half, (void *)0L);
	pthread_create(&b, NULL, half, (void *)1L);
	pthread_barrier_wait(&line);
	t = mmv_clock();
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return (double)(mmv_clock() - t) / N;
}

static void say(const char *name, double value, const char *unit)
{
	printf("bench %s %.2f %s\n", name, value, unit);
}

int main(int argc, char **argv)
{
	char name[4096];
	long long before;
	s64 n;
	int i;

	if (argc != 2)
		return 2;
	setenv("PCP_TMP_DIR", argv[1], 1);
	snprintf(name, sizeof(name), "%s/mmv", argv[1]);
	mkdir(name, 0755);
	snprintf(name, sizeof(name), "%s/mmv/shim", argv[1]);
	unlink(name);
	if (!mmv_pool_up(name))
		return 2;
	counter = mmv_cell_open(4096, MMV_KIND_U64);
	each = mmv_cell_open(16384, MMV_KIND_CPU);
	MMV_STORE(*(u64 *)(mmv_pool.base + 4160), 8192);
	text = mmv_text_open(8192, 256, 4160, 0);
	pcp_open(10);
	measure();
	for (i = 0; i < OPS; i++) {
		snprintf(name, sizeof(name), "native.%s", op[i].name);
		say(name, op[i].ns, "ns");
	}
	say("ratio.native_add_to_libpcp_inc", of("mmv_add") / of("libpcp_inc"), "1");
	say("ratio.native_add_to_bare_atomic_add", of("mmv_add") / of("bare_atomic_add"), "1");
	say("ratio.native_add_cpu_to_libpcp_inc", of("mmv_add_cpu") / of("libpcp_inc"), "1");
	say("ratio.native_set_to_libpcp_set", of("mmv_set") / of("libpcp_set"), "1");
	say("ratio.native_set_string_to_libpcp", of("mmv_set_string") / of("libpcp_set_string"), "1");
	say("ratio.native_inc_to_libpcp_stats_inc", of("mmv_inc") / of("libpcp_stats_inc_10"), "1");
	mmv_set(counter, 0);
	before = pcp_value();
	say("native.mmv_add_two_threads", two(shim_add), "ns");
	say("native.libpcp_inc_two_threads", two(pcp_inc), "ns");
	mmv_get(counter, &n);
	say("lost.native_add", 100.0 * (2.0 * N - n) / (2.0 * N), "percent");
	say("lost.libpcp_inc", 100.0 * (2.0 * N - (pcp_value() - before)) / (2.0 * N), "percent");
	mmv_pool_down();
	return 0;
}
