/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The strict checker as functions.
 */
#define main mmvcheck_main
#include "../tools/mmvcheck.c"
#undef main
#include "judge.h"

int judge_bytes(const char *path)
{
	tails = 1;
	faults = 0;
	check(path);
	return faults;
}

int judge_is_json(const char *text)
{
	const char *end = json(text, 0);

	return end && !*end;
}
