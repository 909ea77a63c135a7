/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * mutate SEED COUNT FILE... - the checker judges COUNT mutants of each file.
 *
 * Built with sanitizers, it finds reads outside a file: each mutant lies in
 * memory of exactly its size. What the checker says of mutants is thrown away;
 * at the end there is a line of figures on stderr. The mutants follow from
 * SEED and repeat on any machine.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "mmvcheck.h"

struct bytes { unsigned char *at; uint64_t size; };

static uint64_t random_state;

static uint64_t random_below(uint64_t n)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return n == 0 ? 0 : (random_state >> 20) % n;
}

/* Numbers at the edges of what a field may hold. */
static uint64_t edge(uint64_t size)
{
	const uint64_t edges[] = {
		0, 1, 2, 3, 4, 7, 16, 40, 255, 256, 1023, 1024, 2047, 2048, 4095, 4096,
		size, size - 1, size - 4, size - 8, size - 24, size - 256, size + 1, size / 2,
		0x7fffffff, 0x80000000, 0xffffffff, 0xfffffffe, 0x100000000, INT64_MAX,
		(uint64_t)1 << 63, UINT64_MAX, UINT64_MAX - 3, UINT64_MAX - 7, UINT64_MAX - 255,
	};

	return edges[random_below(sizeof(edges) / sizeof(*edges))];
}

/* Most fields lie near the beginning; texts fill the rest. */
static uint64_t some_place(const struct bytes *b, uint64_t bytes)
{
	uint64_t end = b->size - bytes + 1;

	if (random_below(3) != 0 && end > 1024)
		end = 1024;
	return random_below(end) & ~(uint64_t)3;
}

static void mutate_field(struct bytes *b)
{
	uint64_t bytes = random_below(2) == 0 ? 4 : 8, value = edge(b->size);

	memcpy(b->at + some_place(b, bytes), &value, bytes);
}

static void mutate_sum(struct bytes *b)
{
	uint64_t at = some_place(b, 4);
	uint32_t value;

	memcpy(&value, b->at + at, 4);
	value += (uint32_t)random_below(17) - 8;
	memcpy(b->at + at, &value, 4);
}

static void mutate_byte(struct bytes *b)
{
	b->at[random_below(b->size)] = (unsigned char)random_below(256);
}

static void mutate_block(struct bytes *b)
{
	uint64_t at = some_place(b, 8), bytes = random_below(300);

	if (bytes > b->size - at)
		bytes = b->size - at;
	memset(b->at + at, (int)random_below(256), bytes);
}

static void mutate_copy(struct bytes *b)
{
	uint64_t from = some_place(b, 8), to = some_place(b, 8);

	memmove(b->at + to, b->at + from, 8);
}

static void mutate_size(struct bytes *b)
{
	uint64_t size = random_below(4) == 0 ? random_below(b->size) + 1 : b->size - random_below(300) % b->size;
	unsigned char *smaller = malloc(size);

	memcpy(smaller, b->at, size);
	free(b->at);
	b->at = smaller;
	b->size = size;
}

static void mutate_once(struct bytes *b)
{
	uint64_t kind = random_below(12);

	if (b->size < 64)
		return;
	if (kind < 5)
		mutate_field(b);
	else if (kind < 7)
		mutate_sum(b);
	else if (kind < 9)
		mutate_byte(b);
	else if (kind == 9)
		mutate_block(b);
	else if (kind == 10)
		mutate_copy(b);
	else
		mutate_size(b);
}

static unsigned judge(const struct file *original, bool ours)
{
	struct bytes b = { malloc(original->size), original->size };
	static struct file f;
	unsigned findings;
	uint64_t i, mutations = 1 + random_below(3);

	memcpy(b.at, original->bytes, b.size);
	for (i = 0; i < mutations; i++)
		mutate_once(&b);
	memset(&f, 0, sizeof(f));
	f.path = "mutant";
	f.bytes = b.at;
	f.size = b.size;
	f.ours = ours;
	findings = check_bytes(&f);
	file_close(&f);
	return findings;
}

int main(int argc, char **argv)
{
	static struct file f;
	unsigned long count, caught = 0, judged = 0, k;
	int i;

	if (argc < 4 || !freopen("/dev/null", "w", stdout))
		return 2;
	random_state = strtoull(argv[1], NULL, 10);
	count = strtoul(argv[2], NULL, 10);
	for (i = 3; i < argc; i++) {
		if (!file_open(&f, argv[i])) {
			perror(argv[i]);
			return 2;
		}
		for (k = 0; k < count; k++) {
			if (judge(&f, k % 2 == 0) != 0)
				caught++;
			judged++;
		}
		file_close(&f);
	}
	fprintf(stderr, "%lu mutants judged, %lu with findings\n", judged, caught);
	return 0;
}
