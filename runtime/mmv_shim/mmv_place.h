/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Where a handler runs. Publishing queues work, and a timer or a probe on the
 * work queue itself may run under the very lock that takes; so it is done only
 * where the kernel calls us with none of its locks held:
 *
 *	begin, end, error	the process that starts or ends the session
 *	timer.ms, timer.s ...	a timer of the kernel's, locks of the timers free
 *	procfs			the process that reads or writes the file
 *
 * Everything else may be anywhere: tracepoints and kprobes under any lock,
 * timer.profile and perf in an NMI.
 */
#ifndef MMV_PLACE_H
#define MMV_PLACE_H

enum mmv_place {
	MMV_PLACE_OTHER = 0,
	MMV_PLACE_BEGIN,
	MMV_PLACE_TIMER,
	MMV_PLACE_PROCFS,
};

/* Of CONTEXT->probe_type; the same names from SystemTap 4.8 to 5.6. */
static enum mmv_place mmv_place_kind(enum stp_probe_type type)
{
	switch (type) {
	case stp_probe_type_been:
		return MMV_PLACE_BEGIN;
	case stp_probe_type_timer:
	case stp_probe_type_hrtimer:
		return MMV_PLACE_TIMER;
	case stp_probe_type_procfs:
		return MMV_PLACE_PROCFS;
	default:
		return MMV_PLACE_OTHER;
	}
}

/* What to call the present probe in messages. */
#define mmv_probe_name(context)	((context)->probe_point ? (context)->probe_point : "unknown")

#endif /* MMV_PLACE_H */
