/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The kernel runtime's back end: memory from vmalloc, files in
 * /proc/mmv_MODULE/, brought up and down with the module.
 *
 * Handlers run with preemption off and can neither allocate nor create files.
 * So the pool is allocated at insmod, and publishing asks a work item for the
 * file: one that comes and goes, not one whose size changes, because an inode
 * once looked at keeps its size. A mapping consists of the pool's pages without
 * operations of ours, hence outlives the module.
 *
 * Files are numbered 0 to MMV_NUMBERS - 1; one more, named "link", is always
 * there and shows the spare page at the pool's end. Rights: nobody can change a
 * byte, root neither; a mapping that could ever become writable is refused.
 */
#ifndef MMV_SHIM_LINUX_H
#define MMV_SHIM_LINUX_H

#include <linux/bitops.h>
#include <linux/cpumask.h>
#include <linux/jiffies.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/mm.h>
#include <linux/proc_fs.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/timekeeping.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>
#include <linux/workqueue.h>

#define MMV_STORE(place, value)		WRITE_ONCE(place, value)
#define MMV_LOAD(place)			READ_ONCE(place)
/* Plain, so that it is an operand of the compare; aligned words do not tear. */
#define MMV_PEEK(place)			(place)
#define MMV_STORE_RELEASE(place, v)	smp_store_release(&(place), v)
#define MMV_LOAD_ACQUIRE(place)		smp_load_acquire(&(place))
#define MMV_READ_BARRIER()		smp_rmb()
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

/* More numbers than files, so that one withdrawn is not used again at once and
 * who has it open does not see another file in it.
 */
#define MMV_NUMBERS	(4 * MMV_FILES)
#define MMV_SPARE	PAGE_SIZE	/* of the pool, behind STP_MMV_POOL bytes */

static struct {
	struct proc_dir_entry *dir;
	struct {
		struct proc_dir_entry *entry;	/* the work item's own */
		u64 shown;			/* likewise, its size */
		u64 offset, bytes;		/* what is wanted; 0 bytes: nothing */
	} file[MMV_NUMBERS + 1];
} mmv_proc;

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

/* The file number is the proc entry's private datum. */
#if defined(STAPCONF_PDE_DATA)
#define mmv_pde_number(inode)	((unsigned long)PDE_DATA(inode))
#else
#define mmv_pde_number(inode)	((unsigned long)pde_data(inode))
#endif

static int mmv_proc_open(struct inode *inode, struct file *file)
{
	/* Who looked at a new file before it had a size left it an inode of size
	 * 0, which the kernel keeps; whoever opens it puts that right.
	 */
	i_size_write(inode, smp_load_acquire(&mmv_proc.file[mmv_pde_number(inode)].bytes));
	/* Even root, whom the mode does not stop. */
	return file->f_mode & FMODE_WRITE ? -EACCES : 0;
}

static int mmv_proc_mmap(struct file *file, struct vm_area_struct *vma)
{
	unsigned long n = mmv_pde_number(file_inode(file));
	u64 bytes = smp_load_acquire(&mmv_proc.file[n].bytes);
	u64 skip = (u64)vma->vm_pgoff << PAGE_SHIFT;
	u64 want = vma->vm_end - vma->vm_start;

	if (vma->vm_flags & (VM_WRITE | VM_MAYWRITE))	/* or by mprotect */
		return -EACCES;
	if (want > bytes || skip > bytes - want)
		return -EINVAL;
	return remap_vmalloc_range(vma, mmv_pool.base,
			(mmv_proc.file[n].offset >> PAGE_SHIFT) + vma->vm_pgoff);
}

static ssize_t mmv_proc_read(struct file *file, char __user *to, size_t count,
			     loff_t *pos)
{
	unsigned long n = mmv_pde_number(file_inode(file));
	u64 bytes = smp_load_acquire(&mmv_proc.file[n].bytes);

	return simple_read_from_buffer(to, count, pos,
			mmv_pool.base + mmv_proc.file[n].offset, bytes);
}

#ifdef STAPCONF_PROC_OPS
static const struct proc_ops mmv_proc_ops = {
	.proc_open = mmv_proc_open,
	.proc_read = mmv_proc_read,
	.proc_lseek = default_llseek,
	.proc_mmap = mmv_proc_mmap,
};
#else
static const struct file_operations mmv_proc_ops = {
	.open = mmv_proc_open,
	.read = mmv_proc_read,
	.llseek = default_llseek,
	.mmap = mmv_proc_mmap,
};
#endif

/* Makes the entry of file n what it should be; may sleep. */
static int mmv_proc_follow(unsigned long n)
{
	u64 bytes = smp_load_acquire(&mmv_proc.file[n].bytes);
	char name[8];

	if (bytes == mmv_proc.file[n].shown)
		return 1;
	if (mmv_proc.file[n].entry)
		proc_remove(mmv_proc.file[n].entry);	/* waits for running reads */
	mmv_proc.file[n].entry = NULL;
	mmv_proc.file[n].shown = 0;
	if (bytes == 0)
		return 1;
	snprintf(name, sizeof(name), "%lu", n);
	mmv_proc.file[n].entry = MMV_TRY(proc_create_data(
			n < MMV_NUMBERS ? name : "link", 0444,
			mmv_proc.dir, &mmv_proc_ops, (void *)n), NULL);
	if (!mmv_proc.file[n].entry)
		return 0;
	proc_set_size(mmv_proc.file[n].entry, bytes);
	mmv_proc.file[n].shown = bytes;
	return 1;
}

static void mmv_proc_work(struct work_struct *work)
{
	unsigned long n;

	for (n = 0; n < MMV_NUMBERS; n++)
		if (!mmv_proc_follow(n))
			_stp_warn("mmv: no memory for /proc/mmv_%s/%lu\n",
				  THIS_MODULE->name, n);
}
static DECLARE_WORK(mmv_work, mmv_proc_work);

static void mmv_pool_down(void)
{
	cancel_work_sync(&mmv_work);
	if (mmv_proc.dir)
		proc_remove(mmv_proc.dir);
	mmv_proc.dir = NULL;
	vfree(mmv_pool.handles);
	vfree(mmv_pool.base);			/* mapped pages stay until unmapped */
	mmv_pool.handles = NULL;
	mmv_pool.base = NULL;
	mmv_pool.bytes = 0;
	mmv_pool.cells = 0;
}

static int mmv_pool_up(void)
{
	char name[MODULE_NAME_LEN + 8];
	int cpu;

	BUILD_BUG_ON(STP_MMV_POOL / MMV_CELL_BYTES >= MMV_CELLS_MAX);
	mmv_pool.bytes = PAGE_ALIGN((u64)STP_MMV_POOL) + MMV_SPARE;
	mmv_pool.cells = mmv_pool.bytes / MMV_CELL_BYTES;
	mmv_pool.nonce = (u32)ktime_get_ns();
	mmv_pool.base = MMV_TRY(vmalloc_user(mmv_pool.bytes), NULL);
	mmv_pool.handles = MMV_TRY(vzalloc(mmv_pool.cells * sizeof(u64)), NULL);
	snprintf(name, sizeof(name), "mmv_%s", THIS_MODULE->name);
	if (mmv_pool.base && mmv_pool.handles)
		mmv_proc.dir = MMV_TRY(proc_mkdir(name, NULL), NULL);
	if (!mmv_proc.dir)
		goto fail;
	mmv_pool.handles[0] = 1;		/* so that 0 is no handle */
	for_each_possible_cpu(cpu)
		per_cpu(mmv_base_of, cpu) = mmv_pool.base + cpu * MMV_LINE_BYTES;
	mmv_proc.file[MMV_NUMBERS].offset = mmv_pool.bytes - MMV_SPARE;
	mmv_proc.file[MMV_NUMBERS].bytes = MMV_SPARE;
	if (!mmv_proc_follow(MMV_NUMBERS))
		goto fail;
	return 0;
fail:
	mmv_pool_down();
	return -ENOMEM;
}

/* File n shows these pages of the pool from now on; 0 bytes: nothing, and the
 * offset stays for those who have read the size already. The file itself
 * follows a moment later.
 */
static int mmv_publish(u64 n, u64 offset, u64 bytes)
{
	if (n >= MMV_NUMBERS || !mmv_at(offset, bytes, PAGE_SIZE) ||
	    (bytes & (PAGE_SIZE - 1)))
		return 0;
	if (bytes)
		mmv_proc.file[n].offset = offset;
	smp_store_release(&mmv_proc.file[n].bytes, bytes);
	schedule_work(&mmv_work);
	return 1;
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

	if (rc == 0 && (rc = MMV_TRY(mmv_inner_module_init(), -ENOMEM)) != 0)
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
