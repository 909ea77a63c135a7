/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * An event file as a session makes it, in user space: the shim's rings on its
 * user-space back end, where a thread stands for a CPU. The places follow the
 * tapset's own layout (mmv_event_layout.stpm, as pmda/layout.h).
 */
#ifndef MAKER_H
#define MAKER_H

#ifndef STP_MMV_POOL
#define STP_MMV_POOL (4u << 20)
#endif
#include "../../runtime/mmv_shim/mmv_shim_user.h"
#include "../../runtime/mmv_shim/mmv_ring.h"
#include "../../pmda/layout.h"

static u64 maker_next;			/* free place in the file */
static u64 maker_types;

static void put_word(u64 at, u64 word)
{
	MMV_STORE(*(u64 *)(mmv_pool.base + at), word);
}

static void put_text(u64 at, u64 bytes, const char *text)
{
	if (!mmv_store_text(at, bytes, text))
		abort();
}

/* Begins a file of this name in the pool. */
static void make_begin(const char *name)
{
	maker_types = 0;
	maker_next = MMV_EV_PAGE * (1 + MMV_EV_MAX_TYPES);
	put_word(MMV_EV_HDR_MAGIC, MMV_EV_MAGIC);
	put_word(MMV_EV_HDR_BYTES, mmv_pool.bytes);
	put_word(MMV_EV_HDR_OFFSET, mmv_wall_clock() - mmv_clock());
	put_word(MMV_EV_HDR_PID, getpid());
	put_word(MMV_EV_HDR_CPUS, mmv_cpu_ids());
	put_text(MMV_EV_HDR_FILE, MMV_EV_NAME_BYTES, name);
	put_text(MMV_EV_HDR_MODULE, MMV_EV_NAME_BYTES, "none");
}

/* A record of n arguments. */
static inline int mmv_ring_put(u64 event, u32 low, u32 n, const u64 *args)
{
	u64 all[8] = { 0 };

	if (n)
		memcpy(all, args, n * sizeof(*all));
	return mmv_ring_put8(event, low, n, all[0], all[1], all[2], all[3], all[4], all[5], all[6], all[7]);
}

struct make_param {
	const char *name;
	u64 type, units, room;
};

/* Adds an event; its handle. */
static u64 make_type(const char *name, const struct make_param *p, u64 n, u64 slots)
{
	u64 page = MMV_EV_PAGE * (1 + maker_types), k, handle = mmv_ring_new();
	u64 bytes = MMV_EV_SLOT_WORDS + 8 * n;

	put_text(page + MMV_EV_TYPE_NAME, MMV_EV_NAME_BYTES, name);
	put_word(page + MMV_EV_TYPE_NUMBER, maker_types);
	put_word(page + MMV_EV_TYPE_PARAMS, n);
	for (k = 0; k < n; k++) {
		u64 at = page + MMV_EV_PARAM + k * MMV_EV_PARAM_BYTES;

		put_text(at + MMV_EV_PARAM_NAME, MMV_EV_NAME_BYTES, p[k].name);
		put_word(at + MMV_EV_PARAM_TYPE, p[k].type);
		put_word(at + MMV_EV_PARAM_SEM, 3);
		put_word(at + MMV_EV_PARAM_UNITS, p[k].units);
		put_word(at + MMV_EV_PARAM_AT, p[k].room ? bytes : 0);
		put_word(at + MMV_EV_PARAM_ROOM, p[k].room);
		if (!mmv_ring_arg(handle, k, p[k].room ? bytes : 0, p[k].room))
			abort();
		bytes += (p[k].room + 7) & ~7ULL;
	}
	put_word(page + MMV_EV_TYPE_SLOT, bytes);
	put_word(page + MMV_EV_TYPE_SLOTS, slots);
	put_word(page + MMV_EV_TYPE_CONTROL, maker_next);
	put_word(page + MMV_EV_TYPE_RING, maker_next + mmv_cpu_ids() * MMV_EV_LINE);
	if (!mmv_ring_place(handle, maker_next, maker_next + mmv_cpu_ids() * MMV_EV_LINE, bytes, slots))
		abort();
	maker_next += mmv_cpu_ids() * (MMV_EV_LINE + slots * bytes);
	maker_types++;
	mmv_ring_want(maker_types - 1, 1);
	return handle;
}

/* Completes the file. */
static void make_end(void)
{
	put_word(MMV_EV_HDR_TYPES, maker_types);
	if (!mmv_ring_stages(maker_next))
		abort();
	MMV_STORE_RELEASE(*(u64 *)(mmv_pool.base + MMV_EV_HDR_GENERATION), mmv_wall_clock());
}

#endif /* MAKER_H */
