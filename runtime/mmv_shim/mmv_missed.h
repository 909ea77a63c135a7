/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Hits that the kernel missed before any handler of ours could run: a return
 * probe without a free record (maxactive), a kprobe hit inside another one. The
 * kernel counts them in each probe; SystemTap adds these counts to its own only
 * when it takes the probes away. To know them while the script runs, we look on
 * when it registers them: this text comes before the runtime's kprobes.c, whose
 * calls find the names below. The same from SystemTap 4.8 to 5.6.
 *
 * Registering and taking away is done by a process that may sleep; counting, in
 * a handler, only reads. An entry of the list is never freed before the end.
 */
#ifndef MMV_MISSED_H
#define MMV_MISSED_H

#include <linux/kprobes.h>
#include <linux/slab.h>

#ifdef CONFIG_KPROBES

struct mmv_watch {
	struct mmv_watch *next;
	struct kprobe *probe;		/* NULL once it is taken away */
	struct kretprobe *of;		/* or NULL */
};
static struct mmv_watch *mmv_watched;

/* Without memory for it a probe's misses are counted at the end only. */
static void mmv_watch(struct kprobe *probe, struct kretprobe *of)
{
	struct mmv_watch *watch = kmalloc(sizeof(*watch), GFP_KERNEL);
	struct mmv_watch *first;

	if (!watch)
		return;
	watch->probe = probe;
	watch->of = of;
	do {
		first = READ_ONCE(mmv_watched);
		watch->next = first;
	} while (cmpxchg(&mmv_watched, first, watch) != first);
}

static void mmv_unwatch(struct kprobe *probe)
{
	struct mmv_watch *watch;

	for (watch = READ_ONCE(mmv_watched); watch; watch = watch->next)
		if (READ_ONCE(watch->probe) == probe)
			WRITE_ONCE(watch->probe, NULL);
}

static u64 mmv_missed(void)
{
	struct mmv_watch *watch;
	struct kprobe *probe;
	u64 missed = 0;

	for (watch = READ_ONCE(mmv_watched); watch; watch = watch->next) {
		probe = READ_ONCE(watch->probe);
		if (!probe)
			continue;
		missed += READ_ONCE(probe->nmissed);
		if (watch->of)
			missed += READ_ONCE(watch->of->nmissed);
	}
	return missed;
}

static void mmv_watch_none(void)
{
	struct mmv_watch *watch = mmv_watched, *next;

	mmv_watched = NULL;
	for (; watch; watch = next) {
		next = watch->next;
		kfree(watch);
	}
}

static __maybe_unused int mmv_register_kprobe(struct kprobe *probe)
{
	int rc = register_kprobe(probe);

	if (rc == 0)
		mmv_watch(probe, NULL);
	return rc;
}

static __maybe_unused int mmv_register_kretprobe(struct kretprobe *probe)
{
	int rc = register_kretprobe(probe);

	if (rc == 0)
		mmv_watch(&probe->kp, probe);
	return rc;
}

static __maybe_unused void mmv_unregister_kprobe(struct kprobe *probe)
{
	mmv_unwatch(probe);
	unregister_kprobe(probe);
}

static __maybe_unused void mmv_unregister_kretprobe(struct kretprobe *probe)
{
	mmv_unwatch(&probe->kp);
	unregister_kretprobe(probe);
}

static __maybe_unused void mmv_unregister_kprobes(struct kprobe **probes, int n)
{
	int i;

	for (i = 0; i < n; i++)
		mmv_unwatch(probes[i]);
	unregister_kprobes(probes, n);
}

static __maybe_unused void mmv_unregister_kretprobes(struct kretprobe **probes, int n)
{
	int i;

	for (i = 0; i < n; i++)
		mmv_unwatch(&probes[i]->kp);
	unregister_kretprobes(probes, n);
}

#define register_kprobe		mmv_register_kprobe
#define register_kretprobe	mmv_register_kretprobe
#define unregister_kprobe	mmv_unregister_kprobe
#define unregister_kretprobe	mmv_unregister_kretprobe
#define unregister_kprobes	mmv_unregister_kprobes
#define unregister_kretprobes	mmv_unregister_kretprobes

#else
static u64 mmv_missed(void) { return 0; }
static void mmv_watch_none(void) { }
#endif

#endif /* MMV_MISSED_H */
