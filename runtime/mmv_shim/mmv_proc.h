/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * How the kernel runtime shows the pool's pages: numbered files in
 * /proc/mmv_MODULE/ that can be mapped and nothing else, and two parameters of
 * the module, in /sys/module/MODULE/parameters/.
 *
 * Handlers can neither allocate nor create files, so publishing asks a work item
 * for the file: one that comes and goes, not one whose size changes, because an
 * inode once looked at keeps its size. A mapping consists of the pool's pages
 * without operations of ours, hence outlives the module.
 *
 * Rights: nobody can change a byte, root neither; a mapping that could become
 * writable or executable is refused. The removal of a file waits for calls of
 * read(2), and a user may have a buffer whose page faults never end; so reading
 * takes no faults: it copies to memory that is there, or fails. Reading a
 * parameter copies without holding anything of ours (seq_file), so text for
 * programs is there.
 *
 *	mmv_link	the spare page at the pool's end, up to its first NUL
 *	mmv_files	a line for each file shown that has a tag: number, serial, tag
 *
 * What tag and text say is the script's business. `serial` is the number of the
 * change that showed the file. Opening /proc/mmv_MODULE/look for writing says
 * that a program of the session's user looks at all changes so far.
 */
#ifndef MMV_PROC_H
#define MMV_PROC_H

/* More numbers than files, so that one withdrawn is not used again at once and
 * who has it open does not see another file in it.
 */
#define MMV_NUMBERS	(4 * MMV_FILES)
#define MMV_TAG_BYTES	128u

struct mmv_file {
	struct proc_dir_entry *entry;	/* the work item's own */
	u64 shown;			/* likewise, its size */
	u64 offset, bytes;		/* what is wanted; 0 bytes: nothing */
	u64 serial;
	u32 mode, group;
	char tag[MMV_TAG_BYTES];
};

static struct {
	struct proc_dir_entry *dir;
	struct mmv_file file[MMV_NUMBERS];
	atomic64_t changes;		/* of what is wanted or there, so far */
	u64 looked;			/* how many of them a program knows */
} mmv_proc;

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

static int mmv_look_open(struct inode *inode, struct file *file)
{
	if (file->f_mode & FMODE_WRITE)
		WRITE_ONCE(mmv_proc.looked, atomic64_read(&mmv_proc.changes));
	return 0;
}

/* Not executable later either, by mprotect(2). The kernel takes no programs from
 * proc as it is; nothing here depends on that.
 */
static void mmv_never_execute(struct vm_area_struct *vma)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 3, 0)
	vm_flags_clear(vma, VM_MAYEXEC);
#else
	vma->vm_flags &= ~VM_MAYEXEC;
#endif
}

static int mmv_proc_mmap(struct file *file, struct vm_area_struct *vma)
{
	struct mmv_file *shown = &mmv_proc.file[mmv_pde_number(file_inode(file))];
	u64 bytes = smp_load_acquire(&shown->bytes);
	u64 skip = (u64)vma->vm_pgoff << PAGE_SHIFT;
	u64 want = vma->vm_end - vma->vm_start;

	/* VM_MAYWRITE: by mprotect. */
	if (vma->vm_flags & (VM_WRITE | VM_MAYWRITE | VM_EXEC))
		return -EACCES;
	if (want > bytes || skip > bytes - want)
		return -EINVAL;
	mmv_never_execute(vma);
	return remap_vmalloc_range(vma, mmv_pool.base, (shown->offset >> PAGE_SHIFT) + vma->vm_pgoff);
}

static ssize_t mmv_proc_read(struct file *file, char __user *to, size_t count, loff_t *pos)
{
	struct mmv_file *shown = &mmv_proc.file[mmv_pde_number(file_inode(file))];
	u64 bytes = smp_load_acquire(&shown->bytes), n;

	if (*pos < 0 || (u64)*pos >= bytes || count == 0)
		return 0;
	n = min_t(u64, count, bytes - *pos);
	if (!access_ok(to, n))
		return -EFAULT;
	pagefault_disable();
	n -= __copy_to_user_inatomic(to, mmv_pool.base + shown->offset + *pos, n);
	pagefault_enable();
	*pos += n;
	return n ? n : -EFAULT;
}

#ifdef STAPCONF_PROC_OPS
static const struct proc_ops mmv_proc_ops = {
	.proc_open = mmv_proc_open,
	.proc_read = mmv_proc_read,
	.proc_lseek = default_llseek,
	.proc_mmap = mmv_proc_mmap,
};
static const struct proc_ops mmv_look_ops = {
	.proc_open = mmv_look_open,
	.proc_lseek = default_llseek,
};
#else
static const struct file_operations mmv_proc_ops = {
	.open = mmv_proc_open,
	.read = mmv_proc_read,
	.llseek = default_llseek,
	.mmap = mmv_proc_mmap,
};
static const struct file_operations mmv_look_ops = {
	.open = mmv_look_open,
	.llseek = default_llseek,
};
#endif

static void mmv_proc_changed(void)
{
	atomic64_inc(&mmv_proc.changes);
}

static struct proc_dir_entry *mmv_proc_make(unsigned long n, u64 bytes)
{
	struct proc_dir_entry *entry;
	char name[8];

	snprintf(name, sizeof(name), "%lu", n);
	entry = MMV_TRY(proc_create_data(name, mmv_proc.file[n].mode, mmv_proc.dir,
					 &mmv_proc_ops, (void *)n), NULL);
	if (!entry)
		return NULL;
	proc_set_user(entry, GLOBAL_ROOT_UID, KGIDT_INIT(mmv_proc.file[n].group));
	proc_set_size(entry, bytes);
	return entry;
}

/* Makes the entry of file n what it should be; may sleep. */
static int mmv_proc_follow(unsigned long n)
{
	struct mmv_file *file = &mmv_proc.file[n];
	u64 bytes = smp_load_acquire(&file->bytes);

	if (bytes == file->shown)
		return 1;
	if (file->entry)
		proc_remove(file->entry);	/* waits for running calls: open, mmap */
	file->entry = NULL;
	file->shown = 0;
	if (bytes) {
		file->entry = mmv_proc_make(n, bytes);
		if (!file->entry)
			return 0;
		file->shown = bytes;
	}
	mmv_proc_changed();
	return 1;
}

static void mmv_proc_work(struct work_struct *work)
{
	unsigned long n;

	for (n = 0; n < MMV_NUMBERS; n++)
		if (!mmv_proc_follow(n))
			_stp_warn("mmv: no memory for /proc/mmv_%s/%lu\n", THIS_MODULE->name, n);
}
static DECLARE_WORK(mmv_work, mmv_proc_work);

/* May these be the rights of a file? Whoever may, reads; nobody does more. */
static int mmv_rights_fit(u64 mode, u64 group)
{
	return mode != 0 && (mode & ~0444ULL) == 0 && group < (u32)-1;
}

/* File n shows these pages of the pool from now on, to whom mode and group let
 * read; 0 bytes: nothing, and the offset stays for those who have read the size
 * already. The file itself follows a moment later. Only where `place` is one in
 * which work may be queued.
 */
static int mmv_publish(enum mmv_place place, u64 n, u64 offset, u64 bytes, u64 mode, u64 group)
{
	struct mmv_file *file;

	if (place == MMV_PLACE_OTHER || n >= MMV_NUMBERS || !mmv_rights_fit(mode, group))
		return 0;
	if (!mmv_at(offset, bytes, MMV_PAGE) || (bytes & (MMV_PAGE - 1)))
		return 0;
	file = &mmv_proc.file[n];
	if (bytes) {
		file->offset = offset;
		file->mode = mode;
		file->group = group;
	}
	file->serial = atomic64_inc_return(&mmv_proc.changes);
	smp_store_release(&file->bytes, bytes);
	schedule_work(&mmv_work);
	return 1;
}

/* What the line of file n says; to be set while it shows nothing. */
static int mmv_set_tag(u64 n, const char *tag)
{
	if (n >= MMV_NUMBERS || strlen(tag) >= MMV_TAG_BYTES)
		return 0;
	memcpy(mmv_proc.file[n].tag, tag, strlen(tag) + 1);
	return 1;
}

/* The parameters. The kernel holds the module's parameter lock meanwhile, which
 * mmv_proc_down() takes before the pool goes.
 */
static int mmv_link_get(char *to, const struct kernel_param *param)
{
	size_t n;

	if (!mmv_pool.base)
		return 0;
	n = strnlen(mmv_pool.base + mmv_pool.bytes - MMV_SPARE, min_t(size_t, MMV_SPARE, PAGE_SIZE) - 1);
	memcpy(to, mmv_pool.base + mmv_pool.bytes - MMV_SPARE, n);
	return n;
}

static int mmv_files_get(char *to, const struct kernel_param *param)
{
	const struct mmv_file *file;
	unsigned long n;
	int end = 0;

	for (n = 0; n < MMV_NUMBERS && mmv_pool.base; n++) {
		file = &mmv_proc.file[n];
		if (smp_load_acquire(&file->bytes) && file->tag[0])
			end += scnprintf(to + end, PAGE_SIZE - end, "%lu %llu %.*s\n", n,
					 (unsigned long long)file->serial, (int)MMV_TAG_BYTES, file->tag);
	}
	return end;
}

static int mmv_param_set(const char *value, const struct kernel_param *param)
{
	return -EPERM;
}

static const struct kernel_param_ops mmv_link_ops = { .set = mmv_param_set, .get = mmv_link_get };
static const struct kernel_param_ops mmv_files_ops = { .set = mmv_param_set, .get = mmv_files_get };
module_param_cb(mmv_link, &mmv_link_ops, NULL, 0444);
module_param_cb(mmv_files, &mmv_files_ops, NULL, 0444);

static void mmv_proc_down(void)
{
	cancel_work_sync(&mmv_work);
	if (mmv_proc.dir)
		proc_remove(mmv_proc.dir);
	mmv_proc.dir = NULL;
}

static int mmv_proc_up(void)
{
	char name[MODULE_NAME_LEN + 8];
	struct proc_dir_entry *look;

	snprintf(name, sizeof(name), "mmv_%s", THIS_MODULE->name);
	mmv_proc.dir = MMV_TRY(proc_mkdir(name, NULL), NULL);
	if (!mmv_proc.dir)
		return 0;
	look = MMV_TRY(proc_create("look", 0200, mmv_proc.dir, &mmv_look_ops), NULL);
	if (!look)
		return 0;
	proc_set_user(look, current_uid(), current_gid());	/* who runs staprun */
	return 1;
}

#endif /* MMV_PROC_H */
