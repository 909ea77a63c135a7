/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * mmvblock FILE: reads a file into a page that nobody ever fills (userfaultfd),
 * so a read that copies anything never ends. Prints how it ended if it did.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	long bytes = sysconf(_SC_PAGESIZE);
	int faults = syscall(SYS_userfaultfd, O_CLOEXEC), fd;
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register range = { .mode = UFFDIO_REGISTER_MODE_MISSING };
	void *page = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (argc != 2 || page == MAP_FAILED)
		return 2;
	range.range.start = (unsigned long)page;
	range.range.len = bytes;
	if (faults < 0 || ioctl(faults, UFFDIO_API, &api) || ioctl(faults, UFFDIO_REGISTER, &range)) {
		perror("userfaultfd");
		return 2;
	}
	fd = open(argv[1], O_RDONLY);
	if (fd < 0) {
		perror(argv[1]);
		return 2;
	}
	printf("reads\n");
	fflush(stdout);
	printf("read: %s\n", read(fd, page, bytes) < 0 ? strerror(errno) : "done");
	return 0;
}
