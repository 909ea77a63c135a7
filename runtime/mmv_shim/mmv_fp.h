/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * IEEE 754 in integer code: the kernel has no floating point for handlers.
 *
 * Lives here: making a float or double from integers, adding an integer to
 * one, and changing its width; all round to nearest, ties to even, once. A
 * number is sign, exponent and a 64-bit significand whose lowest bit also
 * stands for everything that was shifted out ("sticky"), which is exact enough
 * for one rounding to 53 bits or fewer.
 */
#ifndef MMV_FP_H
#define MMV_FP_H

struct mmv_fp {				/* a format */
	int digits;			/* of the significand, hidden one included */
	int bias;
};
static const struct mmv_fp mmv_fp32 = { 24, 127 }, mmv_fp64 = { 53, 1023 };

#define MMV_FP_TOP	(1ULL << 63)

static inline u64 mmv_fp_infinity(const struct mmv_fp *f)
{
	return (u64)(2 * f->bias + 1) << (f->digits - 1);
}

static inline u64 mmv_fp_sign(const struct mmv_fp *f, int negative)
{
	return (u64)!!negative << (f == &mmv_fp64 ? 63 : 31);
}

/* Shifts right by n >= 0, keeping what falls out as the sticky bit. */
static inline u64 mmv_fp_shift(u64 x, int n)
{
	if (n >= 64)
		return x != 0;
	return n == 0 ? x : x >> n | (x << (64 - n) != 0);
}

/* The number significand * 2^exponent in format f. */
static u64 mmv_fp_pack(const struct mmv_fp *f, int negative, u64 significand, int exponent)
{
	int drop = 64 - f->digits, biased;
	u64 rest, bits;

	if (significand == 0)
		return mmv_fp_sign(f, negative);
	while (!(significand & MMV_FP_TOP)) {
		significand <<= 1;
		exponent--;
	}
	biased = exponent + 63 + f->bias;
	if (biased < 1) {			/* subnormal */
		significand = mmv_fp_shift(significand, 1 - biased);
		biased = 1;
	} else if (biased > 2 * f->bias) {
		return mmv_fp_sign(f, negative) | mmv_fp_infinity(f);
	}
	rest = significand << (64 - drop);
	bits = significand >> drop;
	if (rest > MMV_FP_TOP || (rest == MMV_FP_TOP && (bits & 1)))
		bits++;
	/* Adding lets a carry reach the exponent, up to infinity. */
	bits += (u64)(biased - 1) << (f->digits - 1);
	return mmv_fp_sign(f, negative) | bits;
}

static inline u64 mmv_fp_magnitude(s64 n)
{
	return n < 0 ? 0 - (u64)n : (u64)n;
}

static u64 mmv_fp_integer(const struct mmv_fp *f, s64 n)
{
	return mmv_fp_pack(f, n < 0, mmv_fp_magnitude(n), 0);
}

/* numerator / denominator, which is not 0. */
static u64 mmv_fp_ratio(const struct mmv_fp *f, s64 numerator, s64 denominator)
{
	u64 n = mmv_fp_magnitude(numerator), d = mmv_fp_magnitude(denominator);
	int negative = (numerator < 0) != (denominator < 0), exponent = -63, i, carry = 0;
	u64 q = 0;

	if (n == 0)
		return mmv_fp_sign(f, negative);
	for (; !(n & MMV_FP_TOP); exponent--)
		n <<= 1;
	for (; !(d & MMV_FP_TOP); exponent++)
		d <<= 1;
	for (i = 0; i < 64; i++) {		/* 63 binary places of n / d */
		q <<= 1;
		if (carry || n >= d) {
			n -= d;
			q |= 1;
		}
		carry = n >> 63;
		n <<= 1;
	}
	return mmv_fp_pack(f, negative, q | (n != 0 || carry), exponent);
}

/* Takes a finite number apart; 0 for infinities and what is no number. */
static int mmv_fp_unpack(const struct mmv_fp *f, u64 bits, int *negative, u64 *significand, int *exponent)
{
	u64 fraction = bits & ((1ULL << (f->digits - 1)) - 1);
	int biased = bits >> (f->digits - 1) & (2 * f->bias + 1);

	*negative = (bits & mmv_fp_sign(f, 1)) != 0;
	if (biased == 2 * f->bias + 1)
		return 0;
	*significand = biased ? fraction | 1ULL << (f->digits - 1) : fraction;
	*exponent = (biased ? biased : 1) - f->bias - (f->digits - 1);
	return 1;
}

/* bits + n. Infinities and NaNs stay what they are. */
static u64 mmv_fp_add(const struct mmv_fp *f, u64 bits, s64 n)
{
	u64 a, b = mmv_fp_magnitude(n), sum;
	int a_negative, a_exponent, b_negative = n < 0, b_exponent = 0;

	if (!mmv_fp_unpack(f, bits, &a_negative, &a, &a_exponent))
		return bits;
	if (a == 0)			/* of either sign */
		return mmv_fp_integer(f, n);
	if (n == 0)
		return bits;
	for (; !(a & MMV_FP_TOP); a_exponent--)
		a <<= 1;
	for (; !(b & MMV_FP_TOP); b_exponent--)
		b <<= 1;
	/* Both have a zero at the bottom, since neither has more than 63
	 * significant bits: a shift by one loses nothing, and a longer one
	 * rules out that the difference cancels more than one bit.
	 */
	if (a_exponent < b_exponent) {
		a = mmv_fp_shift(a, b_exponent - a_exponent);
		a_exponent = b_exponent;
	} else {
		b = mmv_fp_shift(b, a_exponent - b_exponent);
	}
	if (a_negative == b_negative) {
		sum = a + b;
		if (sum < a) {
			sum = mmv_fp_shift(sum, 1) | MMV_FP_TOP;
			a_exponent++;
		}
	} else if (a == b) {
		return 0;
	} else if (a > b) {
		sum = a - b;
	} else {
		sum = b - a;
		a_negative = b_negative;
	}
	return mmv_fp_pack(f, a_negative, sum, a_exponent);
}

/* The same number in another format; a NaN stays one. */
static u64 mmv_fp_convert(const struct mmv_fp *to, const struct mmv_fp *from, u64 bits)
{
	u64 significand;
	int negative, exponent;

	if (mmv_fp_unpack(from, bits, &negative, &significand, &exponent))
		return mmv_fp_pack(to, negative, significand, exponent);
	bits &= (1ULL << (from->digits - 1)) - 1;
	return mmv_fp_sign(to, negative) | mmv_fp_infinity(to) |
	       (bits ? 1ULL << (to->digits - 2) : 0);
}

#endif /* MMV_FP_H */
