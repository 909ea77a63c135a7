/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What was removed is gone: can a handler still be under way that has looked a
 * handle up before it was closed?
 *
 * A handler looks a handle up and stores a moment later; in between anything
 * may hold it up. So a place may serve something else only when every handler
 * that was under way when its handles were closed has ended. Nobody waits for
 * that; who wants to use a place again asks.
 *
 *	remover				CPU that runs handlers
 *	close the handles		busy = 1, a full barrier
 *	(J) mmv_removal()		look a handle up, store
 *	...				busy = 0
 *	(K) mmv_settled(stamp)
 *
 * J is a full barrier between the closing and K's look at busy: a handler whose
 * busy K does not see finds the handle closed. Each CPU keeps the newest stamp
 * since which it was seen without a handler, so CPUs that are rarely quiet need
 * not be so all at once. The CPU that asks counts as quiet: handlers do not nest.
 */
#ifndef MMV_QUIET_H
#define MMV_QUIET_H

struct mmv_quiet {
	u64 since;			/* quiet since this stamp was given out */
	u64 seen;			/* as `since`, but the tick is not over yet */
	u64 tick;
};

static u64 mmv_stamps;			/* given out so far */

/* A stamp for what was closed before. */
static u64 mmv_removal(void)
{
	u64 old;

	do
		old = MMV_LOAD(mmv_stamps);
	while (!MMV_SWAP64(&mmv_stamps, old, old + 1));
	return old + 1;
}

/* The newest stamp; to be read before busy is. */
static u64 mmv_newest_stamp(void)
{
	u64 newest = MMV_LOAD(mmv_stamps);

	MMV_FULL_BARRIER();
	return newest;
}

/* A CPU without a handler, seen after `newest` was read. The runtime ends a
 * handler with a plain store to busy. Where the processor reorders stores, the
 * handler's last one may come after it; so there it counts one tick later.
 */
static void mmv_note_quiet(struct mmv_quiet *quiet, u64 newest)
{
	u64 tick = mmv_tick();

	if (MMV_STORES_IN_ORDER) {
		MMV_STORE(quiet->since, newest);
		return;
	}
	if (MMV_LOAD(quiet->tick) != tick)
		MMV_STORE(quiet->since, MMV_LOAD(quiet->seen));
	if (MMV_LOAD(quiet->seen) == MMV_LOAD(quiet->since)) {
		MMV_STORE(quiet->tick, tick);
		MMV_STORE(quiet->seen, newest);
	}
}

/* Has every handler ended on that CPU that was under way at this stamp? */
static int mmv_cpu_settled(struct mmv_quiet *quiet, u64 stamp, u64 newest, int busy)
{
	if (MMV_LOAD(quiet->since) >= stamp)
		return 1;
	if (!busy)
		mmv_note_quiet(quiet, newest);
	return MMV_LOAD(quiet->since) >= stamp;
}

#endif /* MMV_QUIET_H */
