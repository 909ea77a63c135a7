/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * filters: a filter a line on standard input, tried on a few records; what it
 * matches, or what is wrong with it.
 * filters COUNT SEED: random ones, right and wrong. Those that are made right by
 * the grammar must be accepted and mean what the maker of them computed.
 */
#include <stdio.h>
#define MMV_THREADS 2u
#include "maker.h"
#include "../../pmda/drain.h"
#include "../../pmda/filter.h"

static const struct make_param params[] = {
	{ "n", 3, 0, 0 }, { "path", 6, 0, 64 }, { "low", 2, 0, 0 }, { "d", 5, 0, 0 }, { "small", 0, 0, 0 },
};
static struct evfile *f;
static uint64_t slots[8][64];
static unsigned count;

static size_t keep(void *arg, uint32_t type, uint32_t cpu, const uint64_t *slot)
{
	(void)arg;
	(void)type;
	(void)cpu;
	memcpy(slots[count++], slot, f->type[0].slot);
	return 1;
}

static void put(u64 event, u32 pid, u64 n, const char *path, s64 low, double d, int small)
{
	u64 args[5] = { n, mmv_ring_stage(path), low, 0, (u64)(s64)small };

	memcpy(&args[3], &d, 8);
	mmv_ring_put(event, pid, 5, args);
}

static void prepare(void)
{
	struct sink sink = { NULL, keep, NULL };
	struct cursor c;
	char why[200];
	u64 event;

	mmv_pool_up(NULL);
	make_begin("test");
	event = make_type("open", params, 5, 16);
	make_end();
	put(event, 10, 0, "/etc/passwd", -1, 1.5, -7);
	put(event, 20, 7, "/tmp/a \"b\" \\", 5, -2.25, 7);
	put(event, 30, ~0ull, "caf\xc3\xa9 \xff\n", (s64)(1ull << 63), 0.0 / 0.0, 0);
	put(event, 40, 1ull << 63, "", 0, 1e300, 2147483647);
	f = evfile_check(mmv_pool.base, mmv_pool.bytes, why, sizeof(why));
	if (!f || !cursor_start(&c, f, 0, 1, 1))
		abort();
	cursor_drain(&c, 8, 8, &sink);
	cursor_end(&c);
}

static void show(const char *text)
{
	char why[300];
	struct filter *filter = filter_parse(text, f, 0, 1, why, sizeof(why));
	unsigned i;

	if (!filter) {
		printf("%s\n", why);
		return;
	}
	printf("matches");
	for (i = 0; i < count; i++)
		if (filter_match(filter, f, 0, 0, slots[i]))
			printf(" %u", i);
	printf("\n");
	filter_free(filter);
}

static u64 state;
static u64 any(u64 below)
{
	state = state * 6364136223846793005ull + 1442695040888963407ull;
	return (state >> 33) % below;
}

/* A right filter of small numbers, and what it says of record 1: n 7, pid 20. */
static int make(char *to, size_t size, unsigned depth)
{
	static const char *const sign[] = { "==", "!=", "<", "<=", ">", ">=", "&" };
	char a[1000], b[1000];
	u64 n = any(16), value, kind = depth > 4 ? 0 : any(6), s = any(7);
	int x, y;

	if (kind < 3) {
		value = any(2) ? 7 : 20;
		snprintf(to, size, "%s%s%s%s%llu", value == 7 ? "n" : "pid", any(2) ? " " : "", sign[s], any(2) ? " " : "",
			 (unsigned long long)n);
		return s == 0 ? value == n : s == 1 ? value != n : s == 2 ? value < n : s == 3 ? value <= n
		       : s == 4 ? value > n : s == 5 ? value >= n : (value & n) != 0;
	}
	x = make(a, 300, depth + 1);
	if (kind == 3) {
		snprintf(to, size, "!(%s)", a);
		return !x;
	}
	y = make(b, 300, depth + 1);
	snprintf(to, size, "(%s)%s(%s)", a, kind == 4 ? "&&" : "||", b);
	return kind == 4 ? x && y : x || y;
}

/* Pieces of filters in any order, or any bytes. */
static void junk(char *to, size_t size)
{
	static const char *const piece[] = { "n", "path", "d", "pid", "cpu", "type", "==", "!=", "~", "!~", "=~", "<", "&", "&&", "||",
		"!", "(", ")", "\"a+\"", "\"(a|b)*\"", "\"[\"", "\"(((a+)+)+)+\"", "\"", "1", "-5", "0x", "1e9", "99999999999999999999", " ", "=", "|", "\\", "\"a{9}\"" };
	size_t n = any(30), at = 0, i;

	to[0] = '\0';
	for (i = 0; i < n && at + 40 < size; i++) {
		if (any(8))
			at += snprintf(to + at, size - at, "%s ", piece[any(sizeof(piece) / sizeof(*piece))]);
		else
			at += snprintf(to + at, size - at, "%c", (int)(1 + any(255)));
	}
}

static int fuzz(u64 n)
{
	char text[4000], why[300];
	u64 i, good = 0, bad = 0, wrong = 0;
	struct filter *filter;
	int want;

	for (i = 0; i < n; i++) {
		want = make(text, sizeof(text), 0);
		filter = filter_parse(text, f, 0, 1, why, sizeof(why));
		/* One may be cut, and so be wrong, or be too long. */
		if (!filter ? strlen(text) < 290 && !strstr(why, "more than") : filter_match(filter, f, 0, 0, slots[1]) != want && strlen(text) < 290) {
			printf("%s: %s\n", text, filter ? "means something else" : why);
			wrong++;
		}
		filter_free(filter);
		junk(text, sizeof(text));
		filter = filter_parse(text, f, 0, 1, why, sizeof(why));
		if (filter)
			good += 1 + filter_match(filter, f, 0, 0, slots[any(4)]);
		else if (sscanf(why, "column %d:", &want) == 1 && want >= 1 && want <= (int)strlen(text) + 1)
			bad++;
		else
			wrong++;
		filter_free(filter);
	}
	printf("accepted %s refused %s wrong %llu\n", good ? "some" : "none", bad ? "some" : "none", (unsigned long long)wrong);
	return 0;
}

int main(int argc, char **argv)
{
	char line[5000];

	prepare();
	if (argc == 3) {
		state = strtoull(argv[2], NULL, 10);
		return fuzz(strtoull(argv[1], NULL, 10));
	}
	while (fgets(line, sizeof(line), stdin)) {
		line[strcspn(line, "\n")] = '\0';
		show(line);
	}
	return 0;
}
