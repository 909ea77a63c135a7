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
 *
 * And what is said to a script about its handles.
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

/* The error of an update that was refused, with its probe. Out of the way: the
 * callers are hot. A macro for what needs the context, which the translator
 * defines later than this.
 */
static MMV_SLOW void mmv_say_handle(char *text, const char *who, const char *kinds, long long handle, const char *probe)
{
	snprintf(text, MAXSTRINGLEN, "%s: %lld is not the handle of %s%s [probe %s]", who, handle, kinds,
		 handle ? "" : "; was it declared before this probe ran?", probe);
}
#define MMV_NO_HANDLE(who, kinds) do { \
	mmv_say_handle(CONTEXT->error_buffer, who, kinds, STAP_ARG_h, mmv_probe_name(CONTEXT)); \
	CONTEXT->last_error = CONTEXT->error_buffer; \
} while (0)

#endif /* MMV_PLACE_H */
