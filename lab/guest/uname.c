/* SPDX-License-Identifier: GPL-2.0-or-later
 * Preloaded into the stap that compiles in a lab tree: uname(2) names the
 * guest's kernel, so that stap takes it for the running one and goes on to
 * pass 5, where the lab's staprun takes over.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

int uname(struct utsname *u)
{
	const char *release = getenv("LAB_RELEASE");
	int rc = syscall(SYS_uname, u);

	if (rc == 0 && release)
		snprintf(u->release, sizeof(u->release), "%s", release);
	return rc;
}
