/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Texts: cells that readers see whole, old or new, never half-written.
 *
 * A text has four slots of the same size side by side, and elsewhere a word
 * that tells readers, as a distance from an origin, which of the first two
 * counts. The other two are the writers'. What belongs to a text stands in the
 * handle table behind the handle, where the slots' own cells have their entries.
 *
 * Writing: `state` is a number of the writing (from bit 2), its slot (bit 1)
 * and whether it is under way (bit 0). A writer that finds another under way
 * drops its text: the two are simultaneous, and the other's counts as the later.
 * So nobody waits, and two are never in one slot.
 *
 * Showing: a reader in another process takes its time, and a slot must not
 * change under it. So a slot that is left stays as it is for MMV_QUIET ticks of
 * the clock. What was written is shown at once, or, after a change within that
 * time, later: the text is then put on the list of those that wait, which
 * somebody takes with mmv_show_waiting() every now and then.
 *
 * Reuse: a writer may be held up anywhere. So the place of a text that was
 * closed may serve something else only when mmv_settled() says so
 * (mmv_quiet.h).
 */
#ifndef MMV_TEXT_H
#define MMV_TEXT_H

#define MMV_SLOTS	4u
struct mmv_text {
	u64 handle;
	u64 word;		/* place of the readers' word */
	u64 origin;
	u64 bytes;		/* of one slot */
	u64 state;
	u64 shown;		/* number of the writing that readers see */
	u64 turned;		/* tick of that, 0: never */
	u64 busy;		/* somebody is at it */
};

/* Opened anew, what readers see is what was written last. */
static void mmv_text_init(struct mmv_text *text, u64 slots, u64 bytes, u64 word, u64 origin)
{
	u64 seen = MMV_LOAD(*(u64 *)(mmv_pool.base + word)) + origin;

	MMV_STORE(text->word, word);
	MMV_STORE(text->origin, origin);
	MMV_STORE(text->bytes, bytes);
	MMV_STORE(text->state, 0);
	if (seen == slots || seen == slots + bytes)
		mmv_load_text(seen, bytes, (char *)mmv_pool.base + slots + 2 * bytes, bytes);
}

/* Can there be a text? All are of one size, each at a multiple of it. */
static int mmv_text_fits(u64 slots, u64 bytes, u64 word, u64 origin)
{
	u64 size = MMV_SLOTS * bytes, others = MMV_LOAD(mmv_pool.text_bytes);

	if (bytes > MMV_PAGE || size < MMV_TEXT_LEAST || slots == 0 || slots % size || origin > slots)
		return 0;
	if (others && others != size)
		return 0;
	return mmv_at(slots, size, MMV_CELL_BYTES) && mmv_at(word, 8, 8);
}

/* The handle of a text: the one it has, or a new one; 0 if there cannot be one,
 * or while another CPU opens the same. Who has put MMV_OPENING, which is no
 * handle, where the handle will be is alone with the rest.
 */
#define MMV_OPENING	2u
static u64 mmv_text_open(u64 slots, u64 bytes, u64 word, u64 origin)
{
	struct mmv_text *text;
	u64 handle;

	if (!mmv_text_fits(slots, bytes, word, origin))
		return 0;
	MMV_STORE(mmv_pool.text_bytes, MMV_SLOTS * bytes);
	text = (struct mmv_text *)&mmv_pool.handles[slots / MMV_CELL_BYTES];
	handle = MMV_LOAD(text->handle);
	if (handle)
		return handle == MMV_OPENING ? 0 : handle;
	if (!MMV_SWAP64(&text->handle, 0, MMV_OPENING))
		return 0;
	mmv_text_init(text, slots, bytes, word, origin);
	handle = mmv_handle_of(slots, MMV_KIND_TEXT);
	return MMV_SWAP64(&text->handle, MMV_OPENING, handle) ? handle : 0;	/* (E) */
}

/* The text behind a handle, and a copy of where it is. Opening stores that
 * before the handle (E); closing, which may happen any time, clears the handle
 * first (D): with the handle there before (F) and after (G), the copy is good.
 */
static inline struct mmv_text *mmv_text_of(u64 handle, struct mmv_text *copy)
{
	struct mmv_text *text;

	if (!mmv_is(handle, MMV_KIND_TEXT))
		return NULL;
	text = (struct mmv_text *)&mmv_pool.handles[mmv_handle_cell(handle)];
	if (MMV_LOAD_ACQUIRE(text->handle) != handle)		/* (F) */
		return NULL;
	copy->word = MMV_LOAD_ACQUIRE(text->word);
	copy->origin = MMV_LOAD_ACQUIRE(text->origin);
	copy->bytes = MMV_LOAD_ACQUIRE(text->bytes);
	return MMV_LOAD(text->handle) == handle ? text : NULL;	/* (G) */
}

static inline u64 mmv_text_slots(u64 handle)
{
	return (u64)mmv_handle_cell(handle) * MMV_CELL_BYTES;
}

/* What was written last, into `size` bytes; the number of the writing, or -1.
 * Reads again when the slot may have been written meanwhile: by the second
 * writing begun since, or by the first when one was under way already. Gives
 * up after a thousand tries, in each of which somebody else got on.
 */
static s64 mmv_copy_text(struct mmv_text *text, const struct mmv_text *is, u64 slots, char *to, u64 size)
{
	u64 before, slot, begun;
	int tries;

	for (tries = 0; tries < 1000; tries++) {
		before = MMV_LOAD_ACQUIRE(text->state);
		slot = 2 + ((before >> 1 ^ before) & 1);
		mmv_load_text(slots + slot * is->bytes, is->bytes, to, size);
		MMV_READ_BARRIER();
		begun = (MMV_LOAD(text->state) >> 2) - (before >> 2);
		if (begun + (before & 1) <= 1)
			return (before >> 2) - (before & 1);
	}
	return -1;
}

static inline int mmv_text_waits(struct mmv_text *text)
{
	return MMV_LOAD(text->shown) != MMV_LOAD(text->state) >> 2;
}

/* The clock is read after the time it is compared with: who was held up with an
 * older reading would find a text that was turned since due at once.
 */
static inline int mmv_too_early(struct mmv_text *text)
{
	u64 turned = MMV_LOAD_ACQUIRE(text->turned);

	return turned && mmv_tick() - turned < MMV_QUIET;
}

/* Copies what was written last into the slot that readers do not see, and
 * turns the word to it. Readers keep to the slot they had until that very moment,
 * so the time it stays as it is begins with it: the clock is read afterwards.
 */
static void mmv_turn_text(struct mmv_text *text, const struct mmv_text *is, u64 handle)
{
	u64 *word = (u64 *)(mmv_pool.base + is->word);
	u64 slots = mmv_text_slots(handle), spare = slots, tick;
	s64 number;

	if (MMV_LOAD(*word) + is->origin == slots)
		spare = slots + is->bytes;
	number = mmv_copy_text(text, is, slots, (char *)mmv_pool.base + spare, is->bytes);
	if (number < 0 || MMV_LOAD(text->handle) != handle)
		return;
	MMV_STORE_RELEASE(*word, spare - is->origin);
	tick = mmv_tick();
	MMV_STORE(text->turned, tick ? tick : 1);
	MMV_STORE(text->shown, number);
}

/* Shows readers what was written last, unless it is too early or somebody else
 * is at it.
 */
static void mmv_show_text(struct mmv_text *text, const struct mmv_text *is, u64 handle)
{
	if (mmv_too_early(text) || !mmv_text_waits(text))
		return;
	if (MMV_EXCHANGE64(&text->busy, 1))
		return;
	if (!mmv_too_early(text))
		mmv_turn_text(text, is, handle);
	MMV_STORE_RELEASE(text->busy, 0);
}

/* Shows what was written in these bytes of the pool before anybody can read
 * there. Looks at all of them: for the start of a file only.
 */
static void mmv_show_texts(u64 offset, u64 bytes)
{
	u64 i, handle, step = MMV_LOAD(mmv_pool.text_bytes);
	struct mmv_text *text, is;

	if (!step || !mmv_at(offset, bytes, 1))
		return;
	for (i = (offset + step - 1) / step * step; i + step <= offset + bytes; i += step) {
		handle = MMV_LOAD(mmv_pool.handles[i / MMV_CELL_BYTES]);
		text = handle ? mmv_text_of(handle, &is) : NULL;
		if (!text)
			continue;
		MMV_STORE(text->turned, 0);
		mmv_show_text(text, &is, handle);
	}
}

#include "mmv_waiting.h"

/* How much of a longer text is kept: up to where a UTF-8 character begins. */
static u64 mmv_text_cut(const char *from, u64 bytes)
{
	u64 n = bytes - 1;

	while (n > 0 && ((unsigned char)from[n] & 0xc0) == 0x80)
		n--;
	return n ? n : bytes - 1;
}

/* Puts '?' for each byte of a text that is of no UTF-8 character, and for each
 * control character: clients drop such texts or show them differently.
 */
static void mmv_mend(unsigned char *text)
{
	int mended = 0;
	u32 n;

	while (*text) {
		n = mmv_character(text);
		if (n == 0) {
			MMV_STORE(*text, '?');
			mended = 1;
			n = 1;
		}
		text += n;
	}
	if (mended)
		MMV_ADD64(&mmv_pool.mended, 1);
}

/* Into a slot that belongs to this writer. */
static void mmv_write_slot(unsigned char *to, const char *from, u64 bytes)
{
	u64 n = strnlen(from, bytes);

	if (unlikely(n == bytes)) {
		n = mmv_text_cut(from, bytes);
		MMV_ADD64(&mmv_pool.cut, 1);
	}
	MMV_COPY_IN(to, from, n);
	MMV_STORE(to[n], '\0');
	mmv_mend(to);
}

static int mmv_set_text(u64 handle, const char *from)
{
	struct mmv_text *text, is;
	u64 old, mine, slots;

	text = mmv_text_of(handle, &is);
	if (!text)
		return mmv_refuse();
	do {
		old = MMV_LOAD_ACQUIRE(text->state);
		if (old & 1)
			return 1;
		mine = ((old >> 2) + 1) << 2 | (~old & 2) | 1;
	} while (!MMV_SWAP64(&text->state, old, mine));
	/* Closing clears the state as well, after the handle (D): the slot may
	 * be that of a writer who had it before.
	 */
	if (unlikely(MMV_LOAD(text->handle) != handle))
		return mmv_refuse();

	slots = mmv_text_slots(handle);
	mmv_write_slot(mmv_pool.base + slots + (2 + (mine >> 1 & 1)) * is.bytes, from, is.bytes);
	MMV_STORE_RELEASE(text->state, mine & ~1ULL);
	mmv_show_text(text, &is, handle);
	if (mmv_text_waits(text))
		mmv_wait_to_show(slots / (MMV_SLOTS * is.bytes));
	return 1;
}

static int mmv_get_text(u64 handle, char *to, u64 size)
{
	struct mmv_text *text, is;

	text = mmv_text_of(handle, &is);
	if (!text || size == 0)
		return mmv_refuse();
	return mmv_copy_text(text, &is, mmv_text_slots(handle), to, size) >= 0;
}

#endif /* MMV_TEXT_H */
