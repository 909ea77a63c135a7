/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The shim's floating point in integer code against the C compiler's.
 *
 *	fptest		a million random cases of each operation and the edges;
 *			exits 1 and prints the cases that differ
 *	fptest sum	for a script that does the same: a checksum over 10 000
 *			quotients, as double and float, and sums
 */
#include <math.h>
#include <stdio.h>
#include "../../runtime/mmv_shim/mmv_shim_user.h"

static int faults;
static u64 seed = 88172645463325252ULL;

static u64 any(void)			/* xorshift64, as the script's */
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

/* An integer of any length, not only of 63 bits. */
static s64 integer(void)
{
	u64 a = any();

	return (s64)any() >> (a & 63);
}

static u64 bits64(double d) { u64 b; memcpy(&b, &d, 8); return b; }
static u32 bits32(float f) { u32 b; memcpy(&b, &f, 4); return b; }
static double double_of(u64 b) { double d; memcpy(&d, &b, 8); return d; }
static float float_of(u32 b) { float f; memcpy(&f, &b, 4); return f; }

static void same(const char *what, u64 got, u64 want, u64 a, s64 b)
{
	if (got != want && ++faults < 20)
		printf("%s: %#llx %lld: got %#llx, want %#llx\n", what, (unsigned long long)a, (long long)b,
		       (unsigned long long)got, (unsigned long long)want);
}

/* 113 bits are enough to round a quotient of 63-bit numbers once, but for ties
 * they cannot tell from near ties, which are rarer than one in 2^50.
 */
static void ratio(s64 n, s64 d)
{
	same("ratio double", mmv_fp_ratio(&mmv_fp64, n, d), bits64((double)((__float128)n / d)), n, d);
	same("ratio float", mmv_fp_ratio(&mmv_fp32, n, d), bits32((float)((__float128)n / d)), n, d);
}

/* a + b to odd: if it is not exact, the neighbour whose last bit is set, which
 * no later rounding takes for a tie.
 */
static __float128 sum_to_odd(__float128 a, __float128 b)
{
	__float128 s = a + b, bb = s - a, rest = (a - (s - bb)) + (b - bb);
	unsigned __int128 bits;

	memcpy(&bits, &s, 16);
	if (rest != 0 && !(bits & 1)) {
		bits += (rest > 0) == (s > 0) ? 1 : -1;
		memcpy(&s, &bits, 16);
	}
	return s;
}

static void add(u64 a, s64 n)
{
	double d = double_of(a);
	float f = float_of(a);

	if (!isnan(d))
		same("add double", mmv_fp_add(&mmv_fp64, a, n), bits64(isinf(d) ? d : (double)sum_to_odd(d, n)), a, n);
	else
		same("add nan", mmv_fp_add(&mmv_fp64, a, n), a, a, n);
	if (!isnan(f))
		same("add float", mmv_fp_add(&mmv_fp32, (u32)a, n), bits32(isinf(f) ? f : (float)sum_to_odd(f, n)), (u32)a, n);
}

static void convert(u64 a)
{
	double d = double_of(a);
	float f = float_of(a);

	same("integer double", mmv_fp_integer(&mmv_fp64, (s64)a), bits64((double)(s64)a), a, 0);
	same("integer float", mmv_fp_integer(&mmv_fp32, (s64)a), bits32((float)(s64)a), a, 0);
	if (isnan(d))
		same("narrow nan", isnan(float_of(mmv_fp_convert(&mmv_fp32, &mmv_fp64, a))), 1, a, 0);
	else
		same("narrow", mmv_fp_convert(&mmv_fp32, &mmv_fp64, a), bits32((float)d), a, 0);
	if (isnan(f))
		same("widen nan", isnan(double_of(mmv_fp_convert(&mmv_fp64, &mmv_fp32, (u32)a))), 1, a, 0);
	else
		same("widen", mmv_fp_convert(&mmv_fp64, &mmv_fp32, (u32)a), bits64(f), a, 0);
}

static u64 checksum(void)
{
	u64 sum = 0;
	int i;

	for (i = 0; i < 10000; i++) {
		s64 n = integer(), d = integer() | 1;

		sum = sum * 31 + bits64((double)((__float128)n / d));
		sum = sum * 31 + bits64((float)((__float128)n / d));
		sum = sum * 31 + bits64((double)sum_to_odd((double)((__float128)n / d), d));
	}
	return sum;
}

int main(int argc, char **argv)
{
	static const s64 edge[] = { 0, 1, -1, 2, 3, -3, 7, 10, 1LL << 24, (1LL << 24) + 1, (1LL << 53) - 1, 1LL << 53,
		(1LL << 53) + 1, (1LL << 53) + 2, (1LL << 54) + 2, (1LL << 54) + 6, 0x7fffff8000000000, 0x7fffffbfffffffff,
		0x7fffffc000000000, INT64_MAX, -INT64_MAX, INT64_MIN, INT64_MIN + 1, INT64_MAX - 1 };
	static const u64 special[] = { 0, 1, 1ULL << 63, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000,
		0x000fffffffffffff, 0x0010000000000000, 0x7fefffffffffffff, 0x3ff0000000000000, 0xbff0000000000000,
		0x47efffffe0000000, 0x47efffffefffffff, 0x47effffff0000000, 0x36a0000000000000, 0x3690000000000000,
		0x3690000000000001, 0x380fffffc0000000, 0x7f800000, 0xff800000, 0x7fc00000, 0x80000000, 0x007fffff,
		0x00800000, 0x7f7fffff, 0x4340000000000000, 0xc340000000000001, 0xc3e0000000000000, 0x43e0000000000000 };
	unsigned i, k;

	(void)argv;
	if (argc > 1) {
		printf("%016llx\n", (unsigned long long)checksum());
		return 0;
	}
	for (i = 0; i < sizeof(edge) / sizeof(*edge); i++) {
		for (k = 0; k < sizeof(edge) / sizeof(*edge); k++)
			if (edge[k])
				ratio(edge[i], edge[k]);
		for (k = 0; k < sizeof(special) / sizeof(*special); k++)
			add(special[k], edge[i]);
		convert(edge[i]);
	}
	for (k = 0; k < sizeof(special) / sizeof(*special); k++)
		convert(special[k]);
	for (i = 0; i < 1000000; i++) {
		s64 n = integer(), d = integer();
		u64 a = any();

		if (d)
			ratio(n, d);
		/* Near enough to n that both count. */
		add((any() & 0x800fffffffffffff) | ((1023 + a % 66) << 52), n);
		add(any(), n);
		convert(a);
	}
	printf("%d faults\n", faults);
	return faults != 0;
}
