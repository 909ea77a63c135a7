/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * ring WRITERS RECORDS SLOTS: threads that put so many records each, as fast as
 * they can, and two clients of unlike speed that read all the time. Each record
 * must come whole, in order, and once; what does not come must be counted.
 */
#include <pthread.h>
#include <stdio.h>
#define MMV_THREADS 8u
#include "maker.h"
#include "../../pmda/drain.h"

enum { CLIENTS = 2 };
static u64 event, records;
static u32 running;

struct client {
	struct cursor cursor;
	u64 seen[MMV_THREADS];		/* number of the last record, from 1 on */
	u64 delivered, told;		/* told: by losses handed on */
	u64 time;			/* of the last record in this drain */
	u64 wrong;
};

static void *write_all(void *arg)
{
	u64 cpu = mmv_cpu(), i, args[4];
	char text[64];

	for (i = 1; i <= records; i++) {
		snprintf(text, sizeof(text), "record %llu of %llu", (unsigned long long)i, (unsigned long long)cpu);
		args[0] = i;
		args[1] = i * 0x9e3779b97f4a7c15 ^ cpu;
		args[2] = mmv_ring_stage(text);
		args[3] = ~i;
		if (!mmv_ring_put(event, cpu, 4, args))
			abort();
	}
	__atomic_fetch_sub(&running, 1, __ATOMIC_RELEASE);
	return arg;
}

static size_t record(void *arg, uint32_t type, uint32_t cpu, const uint64_t *slot)
{
	struct client *c = arg;
	char text[64];

	(void)type;
	snprintf(text, sizeof(text), "record %llu of %u", (unsigned long long)slot[2], cpu);
	if (slot[0] < c->time || slot[2] <= c->seen[cpu] || slot[3] != (slot[2] * 0x9e3779b97f4a7c15 ^ cpu) ||
	    slot[5] != ~slot[2] || slot[4] != strlen(text) || strcmp((const char *)&slot[6], text))
		c->wrong++;
	c->time = slot[0];
	c->seen[cpu] = slot[2];
	c->delivered++;
	return 100;
}

static size_t missed(void *arg, uint64_t time, uint64_t n)
{
	struct client *c = arg;

	(void)time;
	c->told += n;
	return 16;
}

static void drain(struct client *c, u32 cap)
{
	struct sink sink = { c, record, missed };

	c->time = 0;
	if (cursor_drain(&c->cursor, cap, 1 << 20, &sink) < 0)
		c->wrong++;
}

int main(int argc, char **argv)
{
	static const struct make_param params[] = {
		{ "n", 3, 0, 0 }, { "check", 3, 0, 0 }, { "text", 6, 0, 40 }, { "not", 3, 0, 0 },
	};
	static struct client client[CLIENTS];
	struct evfile *f;
	pthread_t thread[MMV_THREADS];
	unsigned writers, i, rounds = 0;
	char why[200];

	if (argc != 4 || !mmv_pool_up(NULL))
		return 2;
	writers = atoi(argv[1]);
	records = strtoull(argv[2], NULL, 10);
	make_begin("test");
	event = make_type("one", params, 4, strtoull(argv[3], NULL, 10));
	make_end();
	f = evfile_check(mmv_pool.base, mmv_pool.bytes, why, sizeof(why));
	if (!f) {
		printf("%s\n", why);
		return 1;
	}
	for (i = 0; i < CLIENTS; i++)
		cursor_start(&client[i].cursor, f, 0, 1, 0);
	running = writers;
	for (i = 0; i < writers; i++)
		pthread_create(&thread[i], NULL, write_all, NULL);
	while (__atomic_load_n(&running, __ATOMIC_ACQUIRE)) {
		drain(&client[0], 100);
		if (rounds++ % 7 == 0)
			drain(&client[1], 23);
	}
	for (i = 0; i < writers; i++)
		pthread_join(thread[i], NULL);
	for (i = 0; i < CLIENTS; i++) {
		u64 oldest;

		while (cursor_backlog(&client[i].cursor, &oldest))
			drain(&client[i], 1000);
		drain(&client[i], 1000);
		printf("client %u produced %llu accounted %llu told %s delivered %s wrong %llu\n", i,
		       (unsigned long long)evfile_sum(f, 0, 1, MMV_EV_LINE_HEAD),
		       (unsigned long long)(client[i].delivered + client[i].cursor.missed),
		       client[i].told == client[i].cursor.missed ? "all" : "other",
		       client[i].delivered ? "some" : "none", (unsigned long long)client[i].wrong);
		cursor_end(&client[i].cursor);
	}
	evfile_close(f);
	mmv_pool_down();
	return 0;
}
