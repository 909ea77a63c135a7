/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * mmvcopy FILE - writes a published file to stdout. It maps the file, as
 * pmdammv does, because a published file need not support read().
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>

int main(int argc, char **argv)
{
	struct stat st;
	void *map;
	int fd;

	if (argc != 2) {
		fprintf(stderr, "usage: mmvcopy FILE\n");
		return 2;
	}
	fd = open(argv[1], O_RDONLY);
	if (fd < 0 || fstat(fd, &st) != 0) {
		perror(argv[1]);
		return 1;
	}
	map = mmap(NULL, st.st_size, PROT_READ, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED) {
		perror(argv[1]);
		return 1;
	}
	if (fwrite(map, 1, st.st_size, stdout) != (size_t)st.st_size || fflush(stdout) != 0) {
		perror("write");
		return 1;
	}
	return 0;
}
