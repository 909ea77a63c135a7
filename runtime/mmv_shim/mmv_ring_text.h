/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Texts in records. A text is an argument of its own, and a record takes numbers:
 * so it is staged first, in an area of this CPU, and the record is given a token
 * for it. Staged texts are good for the record that the same handler puts next,
 * because a handler has its CPU for itself.
 */
#ifndef MMV_RING_TEXT_H
#define MMV_RING_TEXT_H

#define MMV_STAGE_TEXTS		8u	/* texts of one record */
#define MMV_STAGE_AREA		(MMV_STAGE_TEXTS * MMV_STAGE_BYTES + MMV_LINE_BYTES)

/* The place of the staged texts, MMV_STAGE_AREA bytes a CPU. */
static int mmv_ring_stages(u64 at)
{
	if (at == 0 || !mmv_at(at, mmv_cpu_ids() * MMV_STAGE_AREA, 8))
		return 0;
	MMV_STORE_RELEASE(mmv_rings.stage, at);
	return 1;
}

/* Copies a text and gives back a token for it, valid for the record that this
 * handler puts next: a number that counts staged texts, above the CPU's. 0 when
 * there is no room for texts.
 */
static u64 mmv_ring_stage(const char *text)
{
	u64 area = MMV_LOAD_ACQUIRE(mmv_rings.stage), n, length;
	unsigned char *base, *to;

	if (!area)
		return 0;
	base = mmv_pool.base + area + mmv_cpu() * (u64)MMV_STAGE_AREA;
	n = MMV_LOAD(*(u64 *)base) + 1;
	MMV_STORE(*(u64 *)base, n);
	to = base + MMV_LINE_BYTES + n % MMV_STAGE_TEXTS * MMV_STAGE_BYTES;
	length = strlen(text);
	if (length > MMV_STAGE_BYTES)
		length = MMV_STAGE_BYTES;
	memcpy(to, text, length);
	if (length < MMV_STAGE_BYTES)
		to[length] = '\0';	/* without it, there was more */
	return (u64)(mmv_cpu() + 1) << 40 | (n & 0xffffffff);
}

/* The staged text of a token, or NULL when it is none of the last ones here. */
static const char *mmv_ring_staged(u64 token)
{
	u64 area = MMV_LOAD(mmv_rings.stage), age;
	unsigned char *base;

	if (!area || token >> 40 != (u64)mmv_cpu() + 1)
		return NULL;
	base = mmv_pool.base + area + mmv_cpu() * (u64)MMV_STAGE_AREA;
	age = (MMV_LOAD(*(u64 *)base) - token) & 0xffffffff;
	if (age >= MMV_STAGE_TEXTS || (token >> 32 & 0xff))
		return NULL;
	return (char *)base + MMV_LINE_BYTES + token % MMV_STAGE_TEXTS * MMV_STAGE_BYTES;
}

/* One text into its place in a slot; what the argument's word says of it. */
static u64 mmv_ring_text(const struct mmv_ring *ring, u32 k, u64 *slot, const char *text)
{
	unsigned char *to = (unsigned char *)slot + ring->at[k];
	u64 room = ring->room[k];
	u64 length = strnlen(text, MMV_STAGE_BYTES), cut = 0;

	if (length >= room) {
		length = mmv_text_cut(text, room);
		cut = MMV_RING_CUT;
		mmv_ring_count(ring, 2);
	}
	MMV_COPY_IN(to, text, length);
	MMV_STORE(to[length], '\0');
	return length | cut;
}

/* Arguments among which there are texts; 0 when one of them is no token. */
static noinline int mmv_ring_args(const struct mmv_ring *ring, u64 *slot, u64 a, u64 b, u64 c, u64 d,
				  u64 e, u64 f, u64 g, u64 h)
{
	const u64 args[MMV_RING_ARGS] = { a, b, c, d, e, f, g, h };
	const char *text[MMV_RING_ARGS];
	u32 k;

	for (k = 0; k < ring->args; k++) {
		text[k] = ring->room[k] ? mmv_ring_staged(args[k]) : NULL;
		if (ring->room[k] && !text[k])
			return 0;
	}
	for (k = 0; k < ring->args; k++) {
		u64 word = args[k];

		if (text[k])
			word = mmv_ring_text(ring, k, slot, text[k]);
		MMV_STORE(slot[MMV_RING_HEAD_WORDS + k], word);
	}
	return 1;
}

#endif /* MMV_RING_TEXT_H */
