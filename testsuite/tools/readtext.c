/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * readtext FILE SECONDS READS: reads the only string value of an MMV file as
 * pmdammv does, as fast as it can, until both are over, and tells how many
 * reads were empty or mixed. One that took longer than a text keeps still (a
 * quarter of a second; it was preempted) is only counted. Texts are one letter, as often as the letter
 * says: a 1, b 10, c 19, ... (values_texts.exp).
 */
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>

static int64_t clock_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

int main(int argc, char **argv)
{
	const unsigned char *file = MAP_FAILED;
	const volatile uint64_t *extra = NULL;
	unsigned long long reads = 0, empty = 0, mixed = 0, changes = 0, late = 0, want;
	struct stat st;
	uint64_t last = 0;
	time_t end;
	int fd;

	if (argc != 4 || (fd = open(argv[1], O_RDONLY)) < 0 || fstat(fd, &st) < 0 ||
	    (file = mmap(NULL, st.st_size, PROT_READ, MAP_SHARED, fd, 0)) == MAP_FAILED) {
		perror("readtext");
		return 2;
	}
	for (uint32_t i = 0; i < *(uint32_t *)(file + 24); i++) {
		const unsigned char *toc = file + 40 + 16 * i, *value;

		for (uint32_t k = 0; *(uint32_t *)toc == 4 && k < *(uint32_t *)(toc + 4); k++) {
			value = file + *(uint64_t *)(toc + 8) + 32 * k;
			if (*(int64_t *)(value + 8) > 0)
				extra = (const volatile uint64_t *)(value + 8);
		}
	}
	if (!extra)
		return 2;
	want = strtoull(argv[3], NULL, 10);
	for (end = time(NULL) + atoi(argv[2]); reads < want || time(NULL) < end; ) {
		for (int round = 0; round < 1000; round++, reads++) {
			int64_t began = clock_ms();
			uint64_t at = *extra;
			char s[256];
			size_t n;

			memccpy(s, file + at, 0, sizeof(s));
			if (clock_ms() - began > 240) {
				late++;
				continue;
			}
			n = strnlen(s, sizeof(s));
			changes += at != last;
			last = at;
			if (n == 0)
				empty++;
			else if (s[0] < 'a' || s[0] > 'z' || n != 1u + (s[0] - 'a') * 9 || strspn(s, (char[]){ s[0], 0 }) != n)
				mixed++;
		}
	}
	printf("reads %llu changes %llu empty %llu mixed %llu late %llu\n", reads, changes, empty, mixed, late);
	return 0;
}
