/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * mapcat FILE [OFFSET BYTES]: what a published file holds, to stdout; - is
 * stdin. Such files are for mmap(2): read(2) copies only to memory that is there,
 * so cat and od may fail.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

int main(int argc, char **argv)
{
	size_t from = argc > 2 ? strtoul(argv[2], NULL, 10) : 0, bytes;
	struct stat st;
	char *map;
	int fd;

	if (argc != 2 && argc != 4)
		return 2;
	fd = strcmp(argv[1], "-") ? open(argv[1], O_RDONLY) : 0;
	if (fd < 0 || fstat(fd, &st) < 0) {
		perror(argv[1]);
		return 1;
	}
	map = mmap(NULL, st.st_size, PROT_READ, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED) {
		perror(argv[1]);
		return 1;
	}
	bytes = argc > 3 ? strtoul(argv[3], NULL, 10) : (size_t)st.st_size;
	if (from > (size_t)st.st_size || bytes > (size_t)st.st_size - from)
		return 1;
	return fwrite(map + from, 1, bytes, stdout) == bytes ? 0 : 1;
}
