/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * event_decode: nanoseconds that the PMDA's parts take for a record, natively:
 * reading it out of its ring, matching a filter, making PCP's event array of it;
 * and what putting one takes. Best of many rounds.
 */
#include <stdio.h>
#define MMV_THREADS 2u
#include "../testsuite/events/maker.h"
#include "../pmda/drain.h"
#include "../pmda/filter.h"
#include <pcp/pmapi.h>
#include <pcp/pmda.h>

enum { N = 1000, ROUNDS = 500 };
static struct evfile *f;
static struct filter *filter;
static int array;
static unsigned long long sum;

static size_t only_read(void *arg, uint32_t type, uint32_t cpu, const uint64_t *slot)
{
	(void)arg;
	(void)type;
	(void)cpu;
	sum += slot[2];
	return 1;
}

static size_t match(void *arg, uint32_t type, uint32_t cpu, const uint64_t *slot)
{
	(void)arg;
	sum += filter_match(filter, f, type, cpu, slot);
	return 1;
}

/* Two 32-bit and three 64-bit parameters, as in docs. */
static size_t encode(void *arg, uint32_t type, uint32_t cpu, const uint64_t *slot)
{
	struct timeval tv = { slot[0] / 1000000000, slot[0] % 1000000000 / 1000 };
	pmAtomValue value;
	int k;

	(void)arg;
	(void)type;
	(void)cpu;
	pmdaEventAddRecord(array, &tv, 1);
	for (k = 0; k < 5; k++) {
		value.ull = slot[2 + k];
		pmdaEventAddParam(array, k + 1, k < 2 ? PM_TYPE_U32 : PM_TYPE_U64, &value);
	}
	return 1;
}

static void say(const char *name, size_t (*what)(void *, uint32_t, uint32_t, const uint64_t *), u64 event)
{
	struct sink sink = { NULL, what, NULL };
	struct cursor c;
	u64 t, best = ~0ull, put = ~0ull, args[5] = { 1, 2, 3, 4, 5 };
	int i, k;

	cursor_start(&c, f, 0, 1, 0);
	for (i = 0; i < ROUNDS; i++) {
		t = mmv_clock();
		for (k = 0; k < N; k++)
			mmv_ring_put(event, 1, 5, args);
		t = mmv_clock() - t;
		put = t < put ? t : put;
		pmdaEventResetArray(array);
		t = mmv_clock();
		cursor_drain(&c, N, 1 << 30, &sink);
		t = mmv_clock() - t;
		best = t < best ? t : best;
	}
	cursor_end(&c);
	if (what == only_read)
		printf("bench event.native_put %.2f ns\n", (double)put / N);
	printf("bench event.native_%s %.2f ns\n", name, (double)best / N);
}

int main(void)
{
	static const struct make_param params[] = { { "a", 1, 0, 0 }, { "b", 1, 0, 0 }, { "c", 3, 0, 0 }, { "d", 3, 0, 0 }, { "e", 3, 0, 0 } };
	char why[200];
	u64 event;

	mmv_pool_up(NULL);
	make_begin("bench");
	event = make_type("one", params, 5, 2048);
	make_end();
	f = evfile_check(mmv_pool.base, mmv_pool.bytes, why, sizeof(why));
	if (!f)
		return 1;
	array = pmdaEventNewArray();
	filter = filter_parse("a == 1 && (c > 10 || d & 4)", f, 0, 1, why, sizeof(why));
	say("read", only_read, event);
	say("match", match, event);
	say("decode", encode, event);
	return sum == 0;
}
