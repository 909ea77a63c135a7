/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * mutate COUNT SEED: an event file whose bytes are changed at random COUNT
 * times, before it is opened and while it is read. Nothing may come of it but a
 * refusal or nonsense within the documented bounds; the address sanitizer looks
 * on. Also a file that becomes shorter while it is mapped.
 */
#include <stdio.h>
#define MMV_THREADS 4u
#define STP_MMV_POOL (1u << 20)
#include "maker.h"
#include "../../pmda/drain.h"
#include "../../pmda/filter.h"

static u64 state;
static u64 any(u64 below)
{
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return (state >> 33) % below;
}

/* A word that is likely to be trouble. */
static u64 trouble(void)
{
	static const u64 words[] = { 0, 1, 7, 8, 15, 16, 63, 64, 4095, 4096, 65536, 1u << 20, ~0ull, 1ull << 31, 1ull << 32,
		1ull << 63, (1ull << 63) - 1, 0x41414141, 0xfffffffffffffff8 };

	return any(3) ? words[any(sizeof(words) / sizeof(*words))] : state;
}

static u64 records, lost, matched;
static struct evfile *f;
static struct filter *filter;

static u64 some_place(void)
{
	u64 page = any(5);		/* header, types, beginning of rings */

	return page < 3 ? page * MMV_EV_PAGE + any(120) * 8 : any(2) ? MMV_EV_PAGE * 33 + any(600) * 8 : any(mmv_pool.bytes / 8) * 8;
}

static size_t record(void *arg, uint32_t type, uint32_t cpu, const uint64_t *slot)
{
	char text[MMV_EV_MAX_TEXT];
	unsigned k;

	(void)arg;
	records++;
	if (type >= f->types || cpu >= f->cpus)
		abort();
	for (k = 0; k < f->type[type].params; k++)
		if (f->type[type].param[k].type == EV_STRING && slot_text(&f->type[type].param[k], slot, k, text) >= sizeof(text))
			abort();
	if (filter)
		matched += filter_match(filter, f, type, cpu, slot);
	if (any(64) == 0)
		put_word(some_place(), trouble());	/* the writer goes on */
	return 50;
}

static size_t missed(void *arg, uint64_t time, uint64_t n)
{
	(void)arg;
	(void)time;
	lost += n;
	return 16;
}

static void read_it(void)
{
	struct sink sink = { NULL, record, missed };
	struct cursor c;
	u64 oldest, before = records;
	char why[200];

	filter = filter_parse("(s ~ \"a+b|x\" || d > 1.5 || n & 6) && pid != 5 && !(type == \"two\")", f, 0, f->types, why, sizeof(why));
	if (!cursor_start(&c, f, 0, f->types, any(2)))
		abort();
	if (any(2))
		put_word(some_place(), trouble());
	cursor_drain(&c, 500, 1 << 16, &sink);
	cursor_backlog(&c, &oldest);
	evfile_sum(f, 0, f->types, MMV_EV_LINE_HEAD);
	evfile_look(f);
	if (records - before > 500)
		abort();
	cursor_end(&c);
	filter_free(filter);
	filter = NULL;
}

static void put_some(u64 one, u64 two)
{
	u64 args[3], i;

	for (i = 0; i < 200; i++) {
		args[0] = i;
		args[1] = mmv_ring_stage(i % 3 ? "aaab" : "something rather long, which does not fit");
		args[2] = i << 52;
		mmv_ring_put(i % 2 ? one : two, 7, i % 2 ? 3 : 1, args);
	}
}

/* A file on a disk that loses its end under the reader. */
static int shorten(const char *name)
{
	struct sink sink = { NULL, record, missed };
	struct cursor c;
	char why[200];

	f = evfile_open(name, why, sizeof(why));
	if (!f || !cursor_start(&c, f, 0, f->types, 1) || truncate(name, 8192))
		return 1;
	printf("shorter: %d\n", cursor_drain(&c, 500, 1 << 16, &sink));
	cursor_end(&c);
	evfile_close(f);
	unlink(name);
	return 0;
}

int main(int argc, char **argv)
{
	static const struct make_param params[] = { { "n", 3, 0, 0 }, { "s", 6, 0, 24 }, { "d", 5, 0, 0 } };
	static unsigned char good[STP_MMV_POOL];
	u64 one, two, i, k, opened = 0, refused = 0;
	char why[200];

	if (argc != 4 || !mmv_pool_up(argv[3]))
		return 2;
	state = strtoull(argv[2], NULL, 10);
	make_begin("test");
	one = make_type("one", params, 3, 64);
	two = make_type("two", params, 1, 16);
	make_end();
	put_some(one, two);
	memcpy(good, mmv_pool.base, sizeof(good));
	for (i = 0; i < strtoull(argv[1], NULL, 10); i++) {
		for (k = any(3) + (i & 1); k > 0; k--)
			put_word(some_place(), trouble());
		f = evfile_check(mmv_pool.base, mmv_pool.bytes, why, sizeof(why));
		if (f) {
			opened++;
			read_it();
			evfile_close(f);
		} else {
			refused++;
		}
		if (i % 8 == 7 || !f)
			memcpy(mmv_pool.base, good, sizeof(good));
	}
	printf("opened %s refused %s records %s lost %s matched %s\n", opened ? "some" : "none", refused ? "some" : "none",
	       records ? "some" : "none", lost ? "some" : "none", matched ? "some" : "none");
	memcpy(mmv_pool.base, good, sizeof(good));
	return shorten(argv[3]);
}
