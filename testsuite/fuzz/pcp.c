/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * The mmv PMDA in this process.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <pcp/pmapi.h>
#include "judge.h"

static void must(int rc, const char *what)
{
	if (rc >= 0)
		return;
	printf("fuzz: %s: %s\n", what, pmErrStr(rc));
	exit(2);
}

void judge_open(const char *pmda)
{
	char spec[4096], ns[] = "/tmp/fuzz.ns.XXXXXX", *why;
	FILE *f = fdopen(mkstemp(ns), "w");

	fprintf(f, "root {\n    mmv\t70:*:*\n}\n");
	fclose(f);
	snprintf(spec, sizeof(spec), "add,70,%s,mmv_init", pmda);
	if ((why = pmSpecLocalPMDA("clear")) || (why = pmSpecLocalPMDA(spec))) {
		printf("fuzz: %s\n", why);
		exit(2);
	}
	must(pmLoadNameSpace(ns), "name space");
	must(pmNewContext(PM_CONTEXT_LOCAL, NULL), "local context");
	unlink(ns);
}
