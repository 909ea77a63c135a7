/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * mmvcheck: the file's bytes, and what is said about them.
 *
 * No other part of the checker touches the bytes except through the functions
 * here, and each of these checks the bounds.
 */
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "mmvcheck.h"

enum { TRIES = 20 };

static bool same_generation(const unsigned char *a, const unsigned char *b, uint64_t size)
{
	return size < HEADER_BYTES || memcmp(a + 8, b + 8, 16) == 0;
}

/* The copy must not mix two generations of a file that changes meanwhile. */
static unsigned char *copy_of(const unsigned char *map, uint64_t size)
{
	unsigned char *copy = malloc(size);
	int i;

	for (i = 0; copy && i < TRIES; i++) {
		memcpy(copy, map, size);
		if (same_generation(copy, map, size))
			return copy;
		usleep(1000);
	}
	return copy;
}

/* Maps the file as pmdammv does, because a published file need not support
 * read(). A file of 0 bytes cannot be mapped, but it can be judged.
 */
bool file_open(struct file *f, const char *path)
{
	struct stat st;
	void *map;
	int fd = open(path, O_RDONLY);

	memset(f, 0, sizeof(*f));
	f->path = path;
	if (fd < 0)
		return false;
	if (fstat(fd, &st) != 0) {
		close(fd);
		return false;
	}
	f->size = st.st_size;
	if (f->size == 0) {
		close(fd);
		return true;
	}
	map = mmap(NULL, f->size, PROT_READ, MAP_SHARED, fd, 0);
	close(fd);
	if (map == MAP_FAILED)
		return false;
	f->bytes = copy_of(map, f->size);
	munmap(map, f->size);
	return f->bytes != NULL;
}

void file_close(struct file *f)
{
	free((void *)f->bytes);
	free(f->use);
	f->bytes = NULL;
	f->use = NULL;
}

/* The sum at + bytes may wrap, so it is not computed. */
bool inside(const struct file *f, uint64_t at, uint64_t bytes)
{
	return bytes <= f->size && at <= f->size - bytes;
}

uint32_t u32(const struct file *f, uint64_t at)
{
	uint32_t n = 0;

	if (inside(f, at, sizeof(n)))
		memcpy(&n, f->bytes + at, sizeof(n));
	return n;
}

uint64_t u64(const struct file *f, uint64_t at)
{
	uint64_t n = 0;

	if (inside(f, at, sizeof(n)))
		memcpy(&n, f->bytes + at, sizeof(n));
	return n;
}

/* A text that ends inside its field, or NULL. */
const char *text_at(const struct file *f, uint64_t at, uint64_t bytes)
{
	if (!inside(f, at, bytes))
		return NULL;
	if (!memchr(f->bytes + at, 0, bytes))
		return NULL;
	return (const char *)f->bytes + at;
}

static void say(struct file *f, const char *rule, const char *format, va_list args)
{
	f->findings++;
	if (f->findings > MAX_FINDINGS)
		return;
	printf("%s: %s: ", f->path, rule);
	vprintf(format, args);
	putchar('\n');
}

/* PCP needs it otherwise. */
void fault(struct file *f, const char *rule, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say(f, rule, format, args);
	va_end(args);
}

/* PCP does not mind, but the tapset promises it. */
void unkept(struct file *f, const char *rule, const char *format, ...)
{
	va_list args;

	if (!f->ours)
		return;
	va_start(args, format);
	say(f, rule, format, args);
	va_end(args);
}

void findings_end(struct file *f)
{
	if (f->findings > MAX_FINDINGS)
		printf("%s: ... and %u more\n", f->path, f->findings - MAX_FINDINGS);
}
