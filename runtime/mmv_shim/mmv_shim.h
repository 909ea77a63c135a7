/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The raw memory under the MMV tapset: a pool of bytes, numbered files that
 * show page ranges of it to other processes, and bounds-checked access.
 *
 * Lives here: the primitives, as the script side sees them. Not here: what
 * the bytes mean. No offset, record, name or type of the MMV format is known
 * to this directory; the test for every line is whether it would still be
 * right if the format were another one.
 *
 * Script passes offsets, never addresses. mmv_at() is the only door to memory.
 *
 * Cells. A cell is an aligned place of MMV_CELL_BYTES in the pool whose first
 * words a handler updates. Opening one yields a handle:
 *
 *	bits  0..27	cell index (pool offset / MMV_CELL_BYTES)
 *	bits 28..31	class, the kind's upper four bits
 *	bits 32..39	kind, chosen by the script (enum mmv_kind)
 *	bits 40..62	nonce of this opening, never 0
 *
 * and stores it in a table beside the pool, one word a cell. A handle is valid
 * as long as the table holds it: an update costs one bound and one compare, a
 * closed cell refuses its old handles, and no small integer passes for one.
 * Handles of another class are out of bounds for an operation, so that the
 * bound tells the class as well.
 *
 * Some kinds are more than one cell; the handle is that of the first:
 *	MMV_KIND_CPU	one a possible CPU id, MMV_LINE_BYTES apart
 *	MMV_KIND_TIMER	two, a time and a count
 *	MMV_KIND_TEXT	four slots, and a word elsewhere that says which counts
 *			(mmv_text.h)
 *	MMV_KIND_RUN	any number, elsewhere (mmv_run.h); also _HISTOGRAM
 *
 * Ordering. The only ordering a reader in another process depends on:
 *
 *	writer						reader
 *	store every record
 *	(A) mmv_store64_release(generation)		(B) load generation
 *							load records
 *
 * A pairs with B: who sees the generation sees the records. Updates of cells
 * are single aligned stores or atomic read-modify-writes; a reader sees the
 * old value or the new one.
 *
 * Who may run beside whom (X: the caller keeps them apart, -: free)
 *
 *			pool up/down	open/close	store	cell op	load
 *	pool up/down	     X		    X		  X	   X	  X
 *	open/close			    X		  -	   -	  -
 *	store, same place				  X	   X	  -
 *	cell op, same cell					   -	  -
 *
 * The runtime brings pools up before any probe and down after the last one;
 * declarations and changes come from begin and timer probes. What is closed is
 * used for something else when mmv_settled() says so (mmv_quiet.h).
 */
#ifndef MMV_SHIM_H
#define MMV_SHIM_H

#define MMV_CELL_BYTES	32u
#define MMV_NO_VALUE	(-1)		/* a handle that is never one, and meant so */
#define MMV_LINE_BYTES	64u		/* what CPUs must not share */
#define MMV_FILES	16u		/* files per pool */
#define MMV_TEXT_LEAST	1024u		/* bytes of all slots of a text */

enum mmv_kind {				/* what may be done with a cell */
	MMV_KIND_NONE = 0,
	MMV_KIND_S64 = 0x01, MMV_KIND_U64 = 0x02,	/* class 0 is the fast one */
	MMV_KIND_S32 = 0x11, MMV_KIND_U32 = 0x12,
	MMV_KIND_FLOAT = 0x21, MMV_KIND_DOUBLE = 0x22,
	MMV_KIND_TEXT = 0x31,
	MMV_KIND_SPAN = 0x41,
	MMV_KIND_TIMER = 0x51,
	MMV_KIND_CPU = 0x61,
	MMV_KIND_RUN = 0x71,
	MMV_KIND_HISTOGRAM = 0x81,
};
#define MMV_CLASS(kind)	((u32)(kind) >> 4 << 28)	/* as in a handle */
#define MMV_CELLS_MAX	(1u << 28)

static struct {
	unsigned char *base;
	u64 bytes;
	u64 *handles;			/* one for each cell, 0 when closed */
	u64 cells;
	u64 nonce;
	u64 refused;			/* updates refused so far */
	u64 cut;			/* texts cut to fit */
	u64 mended;			/* texts with bytes that are no text */
	u64 text_bytes;			/* of a text's slots, 0: no text so far */
	u64 *next;			/* the list of waiting texts (mmv_text.h) */
	u64 waiting;			/* its first one, plus 1; 0: none */
	u64 began;			/* when the pool came up, by mmv_clock() */
} mmv_pool;

/* Intervals a CPU has begun and not ended, the last MMV_OPEN of them. */
#define MMV_OPEN	16u
struct mmv_open {
	u32 count;
	u64 handle[MMV_OPEN];
	s64 began[MMV_OPEN];
};

/* The address of `bytes` bytes at `offset`, or NULL. */
static inline void *mmv_at(u64 offset, u64 bytes, u64 align)
{
	if (bytes > mmv_pool.bytes || offset > mmv_pool.bytes - bytes)
		return NULL;		/* subtracting: a sum could wrap */
	if (offset & (align - 1))
		return NULL;
	return mmv_pool.base + offset;
}

static inline void *mmv_cell_at(u32 cell)
{
	return mmv_pool.base + (u64)cell * MMV_CELL_BYTES;
}

static inline unsigned mmv_handle_kind(u64 handle)
{
	return (handle >> 32) & 0xff;
}

static inline u32 mmv_handle_cell(u64 handle)
{
	return (u32)handle & (MMV_CELLS_MAX - 1);
}

/* Is this the handle of an open cell of this kind's class? */
static inline int mmv_is(u64 handle, unsigned kind)
{
	u64 i = (u32)handle ^ MMV_CLASS(kind);	/* u64 saves an extension */

	return likely(i < mmv_pool.cells) && likely(MMV_PEEK(mmv_pool.handles[i]) == handle);
}

/* The bytes that a cell of this kind covers; 0 when it is no kind. */
static u64 mmv_kind_bytes(u64 kind)
{
	switch (kind) {
	case MMV_KIND_S64: case MMV_KIND_U64: case MMV_KIND_S32: case MMV_KIND_U32:
	case MMV_KIND_FLOAT: case MMV_KIND_DOUBLE: case MMV_KIND_SPAN:
	case MMV_KIND_RUN: case MMV_KIND_HISTOGRAM:
		return MMV_CELL_BYTES;
	case MMV_KIND_TEXT:	return sizeof(u64);	/* mmv_text_open checks more */
	case MMV_KIND_TIMER:	return 2 * MMV_CELL_BYTES;
	case MMV_KIND_CPU:	return (u64)mmv_cpu_ids() * MMV_LINE_BYTES;
	default:		return 0;
	}
}

/* A nonce that no opening had for long, never 0. */
static u64 mmv_nonce(void)
{
	u64 old, next;

	do {
		old = MMV_LOAD(mmv_pool.nonce);
		next = (u32)old * 1664525u + 1013904223u;
	} while (!MMV_SWAP64(&mmv_pool.nonce, old, next));
	return (next & 0x7fffff) | 1;
}

static u64 mmv_handle_of(u64 offset, u64 kind)
{
	return offset / MMV_CELL_BYTES | MMV_CLASS(kind) | kind << 32 | mmv_nonce() << 40;
}

/* The handle of the cell at offset: the one it has, of whatever kind, or a new
 * one; 0 if there is no such cell. Two CPUs that open it at once get the same.
 */
static u64 mmv_cell_open(u64 offset, u64 kind)
{
	u64 handle, bytes = mmv_kind_bytes(kind), *place;

	if (bytes == 0 || offset == 0 || !mmv_at(offset, bytes, MMV_CELL_BYTES))
		return 0;
	place = &mmv_pool.handles[offset / MMV_CELL_BYTES];
	handle = MMV_LOAD(*place);
	if (handle)
		return handle;
	handle = mmv_handle_of(offset, kind);
	return MMV_SWAP64(place, 0, handle) ? handle : MMV_LOAD(*place);
}

/* Every handle into these bytes is void from now on; who looked one up before
 * may still store there (mmv_quiet.h). The first cell of all is none, lest 0 be a
 * handle.
 */
static int mmv_cells_close(u64 offset, u64 bytes)
{
	u64 i;

	if (!mmv_at(offset, bytes, 1))
		return 0;
	for (i = offset / MMV_CELL_BYTES; i < (offset + bytes) / MMV_CELL_BYTES; i++)
		if (i != 0)
			MMV_STORE_RELEASE(mmv_pool.handles[i], 0);	/* in order: (D) */
	return 1;
}

/* Text in a field of `bytes` bytes, NUL-terminated, the rest zeroed; 0 and
 * nothing stored when it does not fit.
 */
static int mmv_store_text(u64 offset, u64 bytes, const char *text)
{
	unsigned char *to = mmv_at(offset, bytes, 1);
	u64 n = strlen(text);

	if (!to || n >= bytes)
		return 0;
	memcpy(to, text, n);
	memset(to + n, 0, bytes - n);
	return 1;
}

/* Text of a field into a buffer of `size` bytes; stops at the field's end. */
static int mmv_load_text(u64 offset, u64 bytes, char *text, u64 size)
{
	const char *from = mmv_at(offset, bytes, 1);

	if (!from)
		return 0;
	MMV_COPY_OUT(text, from, bytes > size - 1 ? size - 1 : bytes);
	return 1;
}

/* One word in `count` places, `stride` bytes apart, in this order; 0 and
 * nothing stored when one of them is outside. Each store releases the one
 * before it: C, for readers that look on.
 */
static int mmv_store_run(u64 offset, u64 value, u64 count, u64 stride)
{
	u64 i;

	if (count == 0)
		return 1;
	if (count > mmv_pool.bytes / 8 || stride % 8 || stride > mmv_pool.bytes / count ||
	    !mmv_at(offset, (count - 1) * stride + 8, 8))
		return 0;
	for (i = 0; i < count; i++)
		MMV_STORE_RELEASE(*(u64 *)(mmv_pool.base + offset + i * stride), value);
	return 1;
}

/* `n` runs, four words each at `list`: offset, value, count, stride; then
 * `value` goes to the words at `first` and `last`, one right after the other.
 * A run outside of the pool is left out: nothing can fail on the way. 0 when
 * list, first or last are outside.
 *
 *	writer				reader
 *	(C) the runs			load first, last: equal?
 *	(C) first = value		load what it describes
 *	(A) last = value
 *
 * No word says that the runs are about to be stored. Readers underway come
 * upon them anyway, so each of them must find nothing wrong in between; and who
 * finds the two words different takes the file for gone: pmcd dies when a
 * metric it has just found gone is there again before its fetch is over
 * (pmdaFetch, libpcp_pmda up to 7.2). So they differ for as short as can be.
 */
static int mmv_store_runs(u64 list, u64 n, u64 first, u64 last, u64 value)
{
	u64 *to = mmv_at(first, 8, 8), *end = mmv_at(last, 8, 8), *run, i;

	if (n > mmv_pool.bytes / 32)
		return 0;
	run = mmv_at(list, n * 32, 8);
	if (!to || !end || !run)
		return 0;
	for (i = 0; i < n; i++, run += 4)
		mmv_store_run(run[0], run[1], run[2], run[3]);
	MMV_STORE_RELEASE(*to, value);
	MMV_STORE_RELEASE(*end, value);
	return 1;
}

#endif /* MMV_SHIM_H */
