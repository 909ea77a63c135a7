/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The back end for user space: memory shared with a file, C11 atomics. The
 * tests run the shim's operations through it, under the sanitizers; a script
 * in a process (the dyninst runtime) needs the same.
 *
 * A thread stands for a CPU here: it has the number it was given first come
 * first served, up to MMV_THREADS.
 */
#ifndef MMV_SHIM_USER_H
#define MMV_SHIM_USER_H

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

typedef uint64_t u64;
typedef int64_t s64;
typedef uint32_t u32;
typedef int32_t s32;

#define CONFIG_64BIT	1
#define MAXSTRINGLEN	512
#include "mmv_options.h"

#ifndef noinline
#define noinline	__attribute__((noinline))
#endif
#ifndef __cold
#define __cold		__attribute__((cold))
#endif
#define likely(x)	__builtin_expect(!!(x), 1)
#define unlikely(x)	__builtin_expect(!!(x), 0)

#define MMV_STORE(place, value)		__atomic_store_n(&(place), value, __ATOMIC_RELAXED)
#define MMV_LOAD(place)			__atomic_load_n(&(place), __ATOMIC_RELAXED)
#define MMV_PEEK(place)			MMV_LOAD(place)
#define MMV_STORE_RELEASE(place, v)	__atomic_store_n(&(place), v, __ATOMIC_RELEASE)
#define MMV_LOAD_ACQUIRE(place)		__atomic_load_n(&(place), __ATOMIC_ACQUIRE)
#define MMV_ADD64(place, n)	((void)__atomic_fetch_add((u64 *)(place), (u64)(n), __ATOMIC_RELAXED))
#define MMV_ADD32(place, n)	((void)__atomic_fetch_add((u32 *)(place), (u32)(n), __ATOMIC_RELAXED))
#define MMV_ADD_OWN(place, n)	MMV_STORE(*(u64 *)(place), MMV_LOAD(*(u64 *)(place)) + (n))
#define MMV_EXCHANGE64(place, v)	((s64)__atomic_exchange_n(place, v, __ATOMIC_ACQ_REL))
#define MMV_SWAP64(place, old, new) \
	({ u64 mmv_old = (old); \
	   __atomic_compare_exchange_n(place, &mmv_old, new, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE); })
/* mmv_leave() below ends a handler with a store that releases all others. */
#define MMV_STORES_IN_ORDER	1
#define MMV_SLOW	noinline __cold
#define MMV_BIG_ENDIAN	(__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)
#define MMV_PAGE	((u64)sysconf(_SC_PAGESIZE))

/* A text's slot may be read while it is written, which its reader then
 * notices; the thread sanitizer must see that as meant.
 */
#ifdef __SANITIZE_THREAD__
#define MMV_READ_BARRIER()		((void)0)	/* a fence is unknown to it */
#define MMV_FULL_BARRIER()		((void)0)
#define MMV_COPY_IN(to, from, n) do { \
	u64 mmv_i, mmv_n = (n); \
	for (mmv_i = 0; mmv_i < mmv_n; mmv_i++) \
		MMV_STORE((to)[mmv_i], (unsigned char)(from)[mmv_i]); \
} while (0)
#define MMV_COPY_OUT(to, from, n) do { \
	u64 mmv_i, mmv_n = (n); \
	char mmv_c = 1; \
	for (mmv_i = 0; mmv_i < mmv_n && mmv_c; mmv_i++) { \
		mmv_c = MMV_LOAD((from)[mmv_i]); \
		MMV_STORE((to)[mmv_i], mmv_c); \
	} \
	if (mmv_c) \
		MMV_STORE((to)[mmv_i], 0); \
} while (0)
#else
#define MMV_READ_BARRIER()		__atomic_thread_fence(__ATOMIC_ACQUIRE)
#define MMV_FULL_BARRIER()		__atomic_thread_fence(__ATOMIC_SEQ_CST)
#define MMV_COPY_IN(to, from, n)	memcpy(to, from, n)
#define MMV_COPY_OUT(to, from, n) do { \
	u64 mmv_n = strnlen(from, n); \
	memcpy(to, from, mmv_n); \
	(to)[mmv_n] = '\0'; \
} while (0)
#endif

#ifndef MMV_THREADS
#define MMV_THREADS	16u
#endif
static u32 mmv_threads;
static __thread u32 mmv_thread = ~0u;

static inline u32 mmv_cpu(void)
{
	if (unlikely(mmv_thread == ~0u))
		mmv_thread = __atomic_fetch_add(&mmv_threads, 1, __ATOMIC_RELAXED);
	if (mmv_thread >= MMV_THREADS)
		abort();
	return mmv_thread;
}
#define mmv_cpu_ids()		MMV_THREADS
#define mmv_cpu_possible(cpu)	1
#define MMV_DIVIDE(a, b)	((a) / (b))		/* unsigned */
#define MMV_BITS(n)		((n) ? 64 - __builtin_clzll(n) : 0)

static inline u64 mmv_read_clock(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (u64)t.tv_sec * 1000000000u + t.tv_nsec;
}
/* A test may have clocks of its own. */
#ifndef mmv_clock
#define mmv_clock()		mmv_read_clock(CLOCK_MONOTONIC)
#define mmv_wall_clock()	mmv_read_clock(CLOCK_REALTIME)
#define mmv_tick()		(mmv_read_clock(CLOCK_MONOTONIC_COARSE) / 1000000)
#endif
#ifndef MMV_QUIET
#define MMV_QUIET		250u	/* ms */
#endif

#include "mmv_shim.h"

static __thread struct mmv_open mmv_open_here;
#define mmv_open()		(&mmv_open_here)

#define mmv_base_here()		(mmv_pool.base + mmv_cpu() * MMV_LINE_BYTES)

#include "mmv_ops.h"
#include "mmv_run.h"
#include "mmv_quiet.h"

/* What the runtime does around a handler, for threads that play one. */
static struct mmv_quiet mmv_quiet_of[MMV_THREADS];
static u32 mmv_busy[MMV_THREADS];

static inline void mmv_enter(void)
{
	__atomic_exchange_n(&mmv_busy[mmv_cpu()], 1, __ATOMIC_SEQ_CST);
}

static inline void mmv_leave(void)
{
	MMV_STORE_RELEASE(mmv_busy[mmv_cpu()], 0);
}

static int mmv_settled(u64 stamp)
{
	u64 newest = mmv_newest_stamp();
	int settled = 1;
	u32 cpu;

	for (cpu = 0; cpu < mmv_cpu_ids(); cpu++) {
		int busy = cpu != mmv_cpu() && MMV_LOAD_ACQUIRE(mmv_busy[cpu]);

		if (!mmv_cpu_settled(&mmv_quiet_of[cpu], stamp, newest, busy))
			settled = 0;
	}
	return settled;
}

/* Brings the pool up, on the file of this name, which is made, or on memory of
 * its own when that is NULL.
 */
static int mmv_pool_up(const char *name)
{
	int fd = name ? open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0644) : -1;
	u64 bytes = (STP_MMV_POOL + MMV_PAGE - 1) & ~(u64)(MMV_PAGE - 1);
	void *base;

	if (name && (fd < 0 || ftruncate(fd, bytes) < 0))
		goto fail;
	base = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		    MAP_SHARED | (name ? 0 : MAP_ANONYMOUS), fd, 0);
	if (base == MAP_FAILED)
		goto fail;
	mmv_pool.handles = calloc(bytes / MMV_CELL_BYTES + bytes / MMV_TEXT_LEAST, sizeof(u64));
	if (!mmv_pool.handles) {
		munmap(base, bytes);
		goto fail;
	}
	if (fd >= 0)
		close(fd);
	mmv_pool.base = base;
	mmv_pool.bytes = bytes;
	mmv_pool.cells = bytes / MMV_CELL_BYTES;
	mmv_pool.next = mmv_pool.handles + mmv_pool.cells;
	mmv_pool.began = mmv_clock();
	mmv_pool.nonce = (u32)mmv_pool.began;
	mmv_pool.handles[0] = 1;		/* so that 0 is no handle */
	return 1;
fail:
	if (fd >= 0) {
		close(fd);
		unlink(name);
	}
	return 0;
}

static void mmv_pool_down(void)
{
	munmap(mmv_pool.base, mmv_pool.bytes);
	free(mmv_pool.handles);
	mmv_pool.base = NULL;
	mmv_pool.handles = NULL;
	mmv_pool.bytes = mmv_pool.cells = 0;
}

#endif /* MMV_SHIM_USER_H */
