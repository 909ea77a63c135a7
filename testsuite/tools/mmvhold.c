/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * mmvhold FILE: what a reader may do with a published file, one line for each
 * attempt; then holds its mapping until it gets a line on stdin, and tells
 * what the first word of the mapping is then.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *file;
static size_t size, page;

static void try_open(const char *how, int flags)
{
	int fd = open(file, flags);

	printf("open %s: %s\n", how, fd < 0 ? strerror(errno) : "done");
	if (fd >= 0)
		close(fd);
}

static void try_map(const char *how, size_t bytes, int prot, int flags, off_t at)
{
	int fd = open(file, O_RDONLY);
	void *p = mmap(NULL, bytes, prot, flags, fd, at);

	printf("map %s: %s\n", how, p == MAP_FAILED ? strerror(errno) : "done");
	if (p != MAP_FAILED)
		munmap(p, bytes);
	close(fd);
}

static void try_read(void)
{
	char byte;
	int fd = open(file, O_RDONLY);

	printf("read: %s\n", read(fd, &byte, 1) < 0 ? strerror(errno) : "done");
	close(fd);
}

int main(int argc, char **argv)
{
	struct stat st;
	char *map, line[8];
	int fd, mem;

	if (argc != 2 || stat(file = argv[1], &st) != 0)
		return 2;
	size = st.st_size;
	page = sysconf(_SC_PAGESIZE);
	printf("mode %o size %s\n", st.st_mode & 07777, size && size % page == 0 ? "pages" : "odd");
	try_open("for reading", O_RDONLY);
	try_open("for writing", O_WRONLY);
	try_open("for both", O_RDWR);
	try_open("to append", O_WRONLY | O_APPEND);
	printf("truncate: %s\n", truncate(file, 0) ? strerror(errno) : "done");
	chmod(file, 0666);
	try_open("for writing after chmod", O_RDWR);
	chmod(file, 0444);
	try_map("all", size, PROT_READ, MAP_SHARED, 0);
	try_map("the last page", page, PROT_READ, MAP_SHARED, size - page);
	try_map("a byte more", size + 1, PROT_READ, MAP_SHARED, 0);
	try_map("twice as much", 2 * size, PROT_READ, MAP_SHARED, 0);
	try_map("behind the end", page, PROT_READ, MAP_SHARED, size);
	try_map("far behind", page, PROT_READ, MAP_SHARED, (off_t)1 << 50);
	try_map("the end and more", 2 * page, PROT_READ, MAP_SHARED, size - page);
	try_map("writable", size, PROT_READ | PROT_WRITE, MAP_SHARED, 0);
	try_map("private", size, PROT_READ, MAP_PRIVATE, 0);
	try_map("private writable", size, PROT_READ | PROT_WRITE, MAP_PRIVATE, 0);
	try_map("executable", size, PROT_READ | PROT_EXEC, MAP_SHARED, 0);
	try_read();

	fd = open(file, O_RDONLY);
	map = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED)
		return 1;
	printf("protect: %s\n", mprotect(map, size, PROT_READ | PROT_WRITE) ? strerror(errno) : "done");
	printf("protect executable: %s\n", mprotect(map, size, PROT_READ | PROT_EXEC) ? strerror(errno) : "done");
	printf("grow: %s\n", mremap(map, size, 2 * size, MREMAP_MAYMOVE) == MAP_FAILED ? strerror(errno) : "done");
	mem = open("/proc/self/mem", O_RDWR);
	printf("poke: %s\n", pwrite(mem, "X", 1, (off_t)(unsigned long)map) == 1 ? "done" : "refused");
	printf("size then: %s\n", fstat(fd, &st) == 0 && (size_t)st.st_size == size ? "same" : "changed");
	printf("first: %.3s\n", map);
	fflush(stdout);
	if (!fgets(line, sizeof line, stdin))
		return 1;
	printf("later: %.3s generation %s\n", map,
	       memcmp(map + 8, map + 16, 8) ? "broken" : "whole");
	printf("read: %s\n", pread(fd, line, 1, 0) < 0 ? strerror(errno) : "done");
	printf("map again: %s\n", mmap(NULL, page, PROT_READ, MAP_SHARED, fd, 0) == MAP_FAILED ? strerror(errno) : "done");
	return 0;
}
