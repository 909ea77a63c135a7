/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * calls CPU NUMBER: makes that many getppid calls on one CPU and tells so; 0
 * for as many as it can until it is stopped. What probes count in tests.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	unsigned long long n, i;
	cpu_set_t cpus;

	if (argc != 3)
		return 2;
	CPU_ZERO(&cpus);
	CPU_SET(atoi(argv[1]), &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus) < 0) {
		perror("calls");
		return 2;
	}
	n = strtoull(argv[2], NULL, 10);
	for (i = 0; n == 0 || i < n; i++)
		syscall(SYS_getppid);
	printf("calls %llu\n", i);
	return 0;
}
