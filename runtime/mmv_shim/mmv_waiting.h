/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The texts that wait to be shown (mmv_text.h). mmv_pool.next has a word for
 * each place that a text can have: 0 when it is not on the list, else the next
 * one, MMV_LAST at the end. It is beside the pool, where closing and reuse of the
 * place do not reach it. Pushing is one compare and swap; the list is taken whole,
 * so nobody can meet an entry that comes back meanwhile. A writer that finds its
 * text on the list (H) has written before it is taken off (I), which orders like a
 * barrier, and is then looked at: no text is forgotten.
 */
#ifndef MMV_WAITING_H
#define MMV_WAITING_H

#define MMV_LAST	(~0ULL)

static void mmv_wait_to_show(u64 place)
{
	u64 *next = &mmv_pool.next[place];
	u64 first;

	MMV_FULL_BARRIER();			/* what was written, then (H) */
	if (!MMV_SWAP64(next, 0, MMV_LAST))	/* (H) */
		return;				/* on the list already */
	do {
		first = MMV_LOAD(mmv_pool.waiting);
		MMV_STORE(*next, first ? first : MMV_LAST);
	} while (!MMV_SWAP64(&mmv_pool.waiting, first, place + 1));
}

/* Shows one text that was on the list, or puts it there again. */
static void mmv_show_place(u64 place, u64 step)
{
	u64 handle = MMV_LOAD(mmv_pool.handles[place * step / MMV_CELL_BYTES]);
	struct mmv_text *text, is;

	text = handle ? mmv_text_of(handle, &is) : NULL;
	if (!text)
		return;				/* closed since */
	mmv_show_text(text, &is, handle);
	if (mmv_text_waits(text))
		mmv_wait_to_show(place);
}

/* Shows what waits and is due. Its work is what waits, not what there is. */
static void mmv_show_waiting(void)
{
	u64 i = MMV_EXCHANGE64(&mmv_pool.waiting, 0);
	u64 step = MMV_LOAD(mmv_pool.text_bytes), next;

	while (i != 0 && i != MMV_LAST) {
		next = MMV_EXCHANGE64(&mmv_pool.next[i - 1], 0);	/* (I) */
		mmv_show_place(i - 1, step);
		i = next;
	}
}

#endif /* MMV_WAITING_H */
