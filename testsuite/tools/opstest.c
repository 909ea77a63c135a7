/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The shim's operations, one after the other, with clocks that the test sets:
 * what sums do when the time of day is set, when waiting texts are shown, which
 * bytes are text, what a place is used for again. Prints what is wrong; exits 1.
 */
#define _GNU_SOURCE
static long long wall = 1000000000000000000, mono = 5000000000, the_tick = 1000;
#define mmv_wall_clock()	((u64)wall)
#define mmv_clock()		((u64)mono)
#define mmv_tick()		((u64)the_tick)
#define MMV_QUIET		250u
#define STP_MMV_POOL		(1u << 20)
#include <stdio.h>
#include "../../runtime/mmv_shim/mmv_shim_user.h"

enum { SPAN = 4096, OTHER = SPAN + MMV_SPANS * MMV_CELL_BYTES, NARROW = 40960, WORD = 49152,
       SLOTS = 65536, SLOT = 256 };
static int faults;

static void same(const char *what, long long got, long long want)
{
	if (got != want && ++faults)
		printf("%s: %lld, not %lld\n", what, got, want);
}

static void pass(long long ns)
{
	wall += ns;
	mono += ns;
}

static s64 sum(u64 at)
{
	return *(s64 *)(mmv_pool.base + at);
}

static void test_spans(void)
{
	u64 span = mmv_cell_open(SPAN, MMV_KIND_SPAN), other = mmv_cell_open(OTHER, MMV_KIND_SPAN);
	const long long day = 86400000000000;

	mmv_begin(span);
	same("its beginning is of the time of day", *(s64 *)(mmv_pool.base + SPAN + 8), -wall / 1000);
	pass(2000000);
	mmv_end(span);
	same("an interval", sum(SPAN), 2000);
	mmv_begin(span);
	wall -= day;
	pass(3000000);
	mmv_end(span);
	same("the clock set back by a day", sum(SPAN), 5000);
	mmv_begin(span);
	wall += 1000 * day;
	pass(4000000);
	mmv_end(span);
	same("the clock set on by 1000 days", sum(SPAN), 9000);
	/* The second of two that share a place has only the time of day. */
	mmv_begin(span);
	mmv_begin(other);
	pass(1000000);
	mmv_end(other);
	same("the second of a place", sum(OTHER), 1000);
	mmv_begin(other);
	wall -= day;
	mmv_end(other);
	same("never negative", sum(OTHER), 1000);
	mmv_begin(other);
	wall += 1000 * day;
	mmv_end(other);
	same("nor longer than the session", sum(OTHER), 1000 + (mono - 5000000000) / 1000);
	mmv_end(span);
	same("the first of the place", sum(SPAN), 10000);
	same("an end without a beginning is refused", mmv_end(span), 0);
	/* One that is closed while it runs leaves its place to others. */
	mmv_begin(span);
	mmv_cells_close(SPAN, MMV_CELL_BYTES);
	mmv_begin(other);
	wall -= day;
	pass(7000000);
	mmv_end(other);
	same("after one that was closed", sum(OTHER), 1000 + 10000 + 7000);
}

static const char *shown(void)
{
	return (const char *)mmv_pool.base + *(u64 *)(mmv_pool.base + WORD);
}

static void is_shown(const char *what, const char *want)
{
	if (strcmp(shown(), want) && ++faults)
		printf("%s: '%s', not '%s'\n", what, shown(), want);
}

static void test_mended(u64 text, const char *given, const char *want)
{
	u64 before = mmv_pool.mended;
	char back[SLOT + 1];

	mmv_set_text(text, given);
	mmv_get_text(text, back, sizeof(back));
	if (strcmp(back, want) && ++faults)
		printf("text '%s', not '%s'\n", back, want);
	same(want, mmv_pool.mended - before, strcmp(given, want) != 0);
}

static void test_texts(void)
{
	u64 text = mmv_text_open(SLOTS, SLOT, WORD, 0), far;
	char longer[300];

	mmv_set_text(text, "one");
	is_shown("the first at once", "one");
	the_tick += 10;
	mmv_set_text(text, "two");
	mmv_set_text(text, "three");
	is_shown("not so soon again", "one");
	same("it waits", mmv_pool.waiting != 0, 1);
	the_tick += 100;
	mmv_show_waiting();
	is_shown("still too early", "one");
	same("it waits on", mmv_pool.waiting != 0, 1);
	the_tick += 200;
	mmv_show_waiting();
	is_shown("the last one", "three");
	same("nothing waits", mmv_pool.waiting, 0);
	/* Closed while it waits: its place is not looked at. */
	mmv_set_text(text, "four");
	same("waits again", mmv_pool.waiting != 0, 1);
	mmv_cells_close(SLOTS, MMV_SLOTS * SLOT);
	the_tick += 1000;
	mmv_show_waiting();
	is_shown("what was closed is left", "three");
	same("off the list", mmv_pool.waiting, 0);
	/* Several wait: none is forgotten. */
	*(u64 *)(mmv_pool.base + WORD) = SLOTS;
	*(u64 *)(mmv_pool.base + WORD + 8) = SLOTS + 1024;
	text = mmv_text_open(SLOTS, SLOT, WORD, 0);
	far = mmv_text_open(SLOTS + 1024, SLOT, WORD + 8, 0);
	mmv_set_text(text, "a");
	mmv_set_text(far, "b");
	mmv_set_text(text, "c");
	mmv_set_text(far, "d");
	the_tick += 1000;
	mmv_show_waiting();
	is_shown("first of two", "c");
	same("second of two", mmv_pool.base[*(u64 *)(mmv_pool.base + WORD + 8)], 'd');

	test_mended(text, "plain", "plain");
	test_mended(text, "gr\303\274n \342\202\254 \360\237\230\200", "gr\303\274n \342\202\254 \360\237\230\200");
	test_mended(text, "a\tb\nc\177", "a?b?c?");
	test_mended(text, "\377x\300\200y\303", "?x??y?");
	test_mended(text, "\355\240\200", "???");
	test_mended(text, "\364\220\200\200\360\200\200\200", "????????");
	memset(longer, 'x', sizeof(longer));
	longer[254] = (char)0xc3;
	longer[255] = (char)0xbc;
	longer[299] = '\0';
	mmv_set_text(text, longer);
	mmv_get_text(text, longer, sizeof(longer));
	same("cut before a character", strlen(longer), 254);
	same("cut", mmv_pool.cut, 1);
}

static void test_narrow(void)
{
	u64 number = mmv_cell_open(NARROW, MMV_KIND_S32), real = mmv_cell_open(NARROW + 64, MMV_KIND_FLOAT);
	s64 n, bits = 0;
	float f;

	mmv_set(number, -5);
	mmv_add(number, 3);
	mmv_get(number, &n);
	same("32 bits", n, -2);
	same("in the first four bytes", *(s32 *)(mmv_pool.base + NARROW), -2);
	mmv_set(real, 3);
	mmv_add(real, -5);
	memcpy(&f, mmv_pool.base + NARROW + 64, 4);
	same("a float is the first four bytes", f, -2);
	mmv_set_ratio(real, 1, 2);
	memcpy(&f, mmv_pool.base + NARROW + 64, 4);
	same("a quotient too", f * 2, 1);
	mmv_get_double(real, &bits);
	same("and read back", bits, 0x3fe0000000000000);
	mmv_set_double(real, 0xc000000000000000);
	memcpy(&f, mmv_pool.base + NARROW + 64, 4);
	same("a double made a float", f, -2);
}

static void test_quiet(void)
{
	u64 first, second;

	mmv_busy[3] = 1;
	first = mmv_removal();
	same("a handler is under way", mmv_settled(first), 0);
	mmv_busy[3] = 0;
	mmv_busy[5] = 1;
	same("it has ended, a later one does not matter to it", mmv_settled(first), 1);
	mmv_busy[5] = 0;
	second = mmv_removal();
	mmv_busy[3] = 1;
	mmv_busy[5] = 1;
	same("another removal", mmv_settled(second), 0);
	same("the first one stays so", mmv_settled(first), 1);
	mmv_busy[3] = 0;
	same("one CPU is quiet", mmv_settled(second), 0);
	mmv_busy[3] = 1;
	mmv_busy[5] = 0;
	same("each CPU was quiet once", mmv_settled(second), 1);
}

int main(void)
{
	if (!mmv_pool_up(NULL))
		return 2;
	*(u64 *)(mmv_pool.base + WORD) = SLOTS;
	test_spans();
	test_texts();
	test_narrow();
	test_quiet();
	mmv_pool_down();
	printf("faults %d\n", faults);
	return faults != 0;
}
