/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The kernel runtime's back end: memory from vmalloc, brought up and down with
 * the module, because handlers run with preemption off and cannot allocate; what
 * an atomic, a clock and a CPU is. How it is shown is in mmv_proc.h.
 */
#ifndef MMV_SHIM_LINUX_H
#define MMV_SHIM_LINUX_H

#include <linux/bitops.h>
#include <linux/cpumask.h>
#include <linux/jiffies.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/proc_fs.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/timekeeping.h>
#include <linux/vmalloc.h>
#include <linux/workqueue.h>

#include "mmv_options.h"

#define MMV_STORE(place, value)		WRITE_ONCE(place, value)
#define MMV_LOAD(place)			READ_ONCE(place)
/* Plain, so that it is an operand of the compare; aligned words do not tear. */
#define MMV_PEEK(place)			(place)
#define MMV_STORE_RELEASE(place, v)	smp_store_release(&(place), v)
#define MMV_LOAD_ACQUIRE(place)		smp_load_acquire(&(place))
#define MMV_READ_BARRIER()		smp_rmb()
#define MMV_FULL_BARRIER()		smp_mb()
/* Do other CPUs see the stores of one in the order it makes them? */
#define MMV_STORES_IN_ORDER		(IS_ENABLED(CONFIG_X86) || IS_ENABLED(CONFIG_S390))
#define MMV_ADD64(place, n)		atomic64_add(n, (atomic64_t *)(place))
#define MMV_ADD32(place, n)		atomic_add((int)(n), (atomic_t *)(place))
#define MMV_ADD_OWN(place, n)		(*(u64 *)(place) += (n))	/* nobody else writes */
#define MMV_EXCHANGE64(place, v)	atomic64_xchg((atomic64_t *)(place), v)
#define MMV_SWAP64(place, old, new)	(cmpxchg((place), (old), (new)) == (old))
#define MMV_COPY_IN(to, from, n)	memcpy(to, from, n)
#define MMV_COPY_OUT(to, from, n) do {	/* up to its NUL, which is added */ \
	u64 mmv_n = strnlen(from, n); \
	memcpy(to, from, mmv_n); \
	(to)[mmv_n] = '\0'; \
} while (0)
/* What fails calls these. On x86 they keep all registers, so that what works
 * need not save any for them.
 */
#ifdef CONFIG_X86_64
#define MMV_SLOW	noinline __cold __attribute__((no_caller_saved_registers))
#else
#define MMV_SLOW	noinline __cold
#endif
#define MMV_BIG_ENDIAN			IS_ENABLED(CONFIG_CPU_BIG_ENDIAN)
#define MMV_PAGE			PAGE_SIZE

/* Clocks that may be read in any context, NMI included; nanoseconds. */
#define mmv_clock()			ktime_get_mono_fast_ns()
#define mmv_wall_clock()		ktime_get_real_fast_ns()
#define mmv_tick()			((u64)jiffies)
#define MMV_QUIET			((u64)HZ / 4)
#define mmv_cpu()			((u32)raw_smp_processor_id())
#define mmv_cpu_ids()			((u32)nr_cpu_ids)
#define mmv_cpu_possible(cpu)		cpu_possible(cpu)
#define MMV_DIVIDE(a, b)		div64_u64(a, b)		/* unsigned */
#define MMV_BITS(n)			fls64(n)		/* 0 for 0 */

#include "mmv_shim.h"

/* The intervals that this CPU has begun. */
static DEFINE_PER_CPU(struct mmv_open, mmv_open_here);
#define mmv_open()			this_cpu_ptr(&mmv_open_here)

/* The pool as this CPU's parts of per-CPU cells see it: a line further on than
 * for the CPU before.
 */
static DEFINE_PER_CPU(unsigned char *, mmv_base_of);
#define mmv_base_here()			this_cpu_read(mmv_base_of)

#include "mmv_ops.h"
#include "mmv_run.h"
#include "mmv_quiet.h"

/* Since when each CPU has no handler from before (mmv_quiet.h). */
static DEFINE_PER_CPU(struct mmv_quiet, mmv_quiet_of);

#define MMV_SPARE	PAGE_SIZE	/* of the pool, behind STP_MMV_POOL bytes */

/* For the test that every failure on the way up leaves nothing behind: with
 * -DMMV_FAIL_ALLOC the module's parameter mmv_fail=N fails the Nth step.
 */
#ifdef MMV_FAIL_ALLOC
static int mmv_fail;
module_param(mmv_fail, int, 0);
#define MMV_TRY(step, failed)	(--mmv_fail == 0 ? (failed) : (step))
#else
#define MMV_TRY(step, failed)	(step)
#endif

#include "mmv_place.h"
#include "mmv_missed.h"
#include "mmv_proc.h"

static void mmv_pool_down(void)
{
	void *base = mmv_pool.base;

	mmv_proc_down();
	mmv_watch_none();
	kernel_param_lock(THIS_MODULE);		/* nobody reads a parameter */
	mmv_pool.base = NULL;
	kernel_param_unlock(THIS_MODULE);
	vfree(mmv_pool.handles);
	vfree(base);				/* mapped pages stay until unmapped */
	mmv_pool.handles = NULL;
	mmv_pool.bytes = 0;
	mmv_pool.cells = 0;
}

/* The pool, and beside it a word for each cell and for each text. */
static int mmv_pool_allocate(void)
{
	u64 bytes = PAGE_ALIGN((u64)STP_MMV_POOL) + MMV_SPARE;
	u64 cells = bytes / MMV_CELL_BYTES, texts = bytes / MMV_TEXT_LEAST;

	BUILD_BUG_ON(STP_MMV_POOL / MMV_CELL_BYTES >= MMV_CELLS_MAX);
	mmv_pool.bytes = bytes;
	mmv_pool.cells = cells;
	mmv_pool.base = MMV_TRY(vmalloc_user(bytes), NULL);
	mmv_pool.handles = MMV_TRY(vzalloc((cells + texts) * sizeof(u64)), NULL);
	if (!mmv_pool.base || !mmv_pool.handles)
		return 0;
	mmv_pool.next = mmv_pool.handles + cells;
	mmv_pool.handles[0] = 1;		/* so that 0 is no handle */
	return 1;
}

static int mmv_pool_up(void)
{
	int cpu;

	mmv_pool.began = mmv_clock();
	mmv_pool.nonce = (u32)mmv_pool.began;
	if (!mmv_pool_allocate() || !mmv_proc_up()) {
		mmv_pool_down();
		return -ENOMEM;
	}
	for_each_possible_cpu(cpu)
		per_cpu(mmv_base_of, cpu) = mmv_pool.base + cpu * MMV_LINE_BYTES;
	return 0;
}

/*
 * Coming up before any probe and going down after the last one: the runtime's
 * header declares the module's two hooks and calls them; the translator
 * defines them after this text. We define them here and give the translator's
 * definitions other names. Works unchanged from SystemTap 4.8 to 5.6; the
 * official hooks exist from 5.2 on only, and older versions ignore them
 * silently. A second tapset that does the same fails to compile.
 */
static int mmv_inner_module_init(void);
static void mmv_inner_module_exit(void);

static int systemtap_kernel_module_init(void)
{
	int rc = mmv_pool_up();

	if (rc)
		return rc;
	rc = MMV_TRY(mmv_inner_module_init(), -ENOMEM);
	if (rc)
		mmv_pool_down();
	return rc;
}

static void systemtap_kernel_module_exit(void)
{
	mmv_inner_module_exit();
	mmv_pool_down();
}

#define systemtap_kernel_module_init mmv_inner_module_init
#define systemtap_kernel_module_exit mmv_inner_module_exit

#endif /* MMV_SHIM_LINUX_H */
