/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * A call of a public function and its outcome, in the driver's memory. The
 * numbers of the calls are those of run.stp.
 */
#ifndef FUZZ_WIRE_H
#define FUZZ_WIRE_H

#define FUZZ_TEXT 512

enum fuzz_outcome { FUZZ_NOT_RUN, FUZZ_ACCEPTED, FUZZ_REFUSED };

enum fuzz_code {
	REGISTRY = 1, REGISTRY_EASY, SET_VERSION, ADD_METRIC, ADD_INDOM, ADD_INDOM_ROOM,
	ADD_INSTANCE, REGISTRY_LABEL, INDOM_LABEL, METRIC_LABEL, INSTANCE_LABEL,
	START, STOP, RESET, CLUSTER, UNITS, PARSE_UNITS, LOOKUP,
	FILE_EASY, FILE_FULL, COUNTER, GAUGE, TEXT, TIMER, PERCPU, HEALTH,
	REMOVE_METRIC, METRIC_HELP, INDOM_HELP, BEGIN, COMMIT, ADD_INDOM_FULL,
	REMOVE_INSTANCE, RENAME_INSTANCE, HISTOGRAM, HISTOGRAM_STEPS,
	INC = 40, ADD, SET, GET, SET_RATIO, SET_DOUBLE, GET_DOUBLE, INC_CPU, ADD_CPU,
	SET_STRING, GET_STRING, INTERVAL_START, INTERVAL_END, INTERVAL_END_AT,
	OBSERVE,
	STATS_INC = 60, STATS_ADD, STATS_SET, STATS_SET_STRING, STATS_START, STATS_END,
	INDOM = 70, LOOKUP_INDOM, INSTANCE, INSTANCE_ID, FORGET, RETIRE,
	COUNTER_BY, GAUGE_BY, TEXT_BY, VALUE, HOW_MANY_REFUSED,
};

struct fuzz_call {
	long long code;
	long long n[8];			/* numbers and texts in the order of the arguments */
	long long outcome;
	long long result;
	char s[4][FUZZ_TEXT];
	char text[FUZZ_TEXT];		/* message, or the text returned */
};

#endif
