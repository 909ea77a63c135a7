/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * mmvcheck: all checks of a file, in the order in which one needs another.
 */
#include <stdlib.h>
#include "mmvcheck.h"

unsigned check_bytes(struct file *f)
{
	if (!check_header(f) || !check_toc(f)) {
		findings_end(f);
		return f->findings;
	}
	f->use = calloc((size_t)f->section[STRINGS].count + 1, 1);
	if (!f->use)
		abort();
	check_indoms(f);
	check_metrics(f);
	check_values(f);
	check_strings(f);
	check_labels(f);
	findings_end(f);
	return f->findings;
}
