/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * scrape mmv NAME COUNT | scrape text FILE COUNT: what one reading of all
 * values costs the reader and the kernel, in nanoseconds of the clock, which
 * counts instructions in the guest of make bench. Through pmdammv in this
 * process (metrics mmv.NAME.m0 to COUNT - 1), or from a text file, opened and
 * read to its end each time. Checks that COUNT values came.
 */
#include <fcntl.h>
#include <unistd.h>
#include <pcp/pmapi.h>

enum { ROUNDS = 20 };

static long long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static int fetch(int count, pmID *pmid)
{
	pmResult *result;
	int i, values = 0;

	if (pmFetch(count, pmid, &result) < 0)
		return -1;
	for (i = 0; i < result->numpmid; i++)
		values += result->vset[i]->numval == 1;
	pmFreeResult(result);
	return values;
}

static int read_text(const char *file)
{
	static char buffer[1 << 17];
	int fd = open(file, O_RDONLY), lines = 0;
	ssize_t n, i;

	if (fd < 0)
		return -1;
	while ((n = read(fd, buffer, sizeof(buffer))) > 0)
		for (i = 0; i < n; i++)
			lines += buffer[i] == '\n';
	close(fd);
	return lines;
}

int main(int argc, char **argv)
{
	char name[64], spec[256], *names[1023];
	int i, count, got, sts, mmv;
	pmID pmid[1023];
	long long t;

	if (argc != 4 || (count = atoi(argv[3])) < 1 || count > 1023)
		return 2;
	mmv = !strcmp(argv[1], "mmv");
	if (mmv) {
		snprintf(spec, sizeof(spec), "add,70,%s/mmv/pmda_mmv.so,mmv_init", pmGetConfig("PCP_PMDAS_DIR"));
		pmSpecLocalPMDA("clear");
		pmSpecLocalPMDA(spec);
		if ((sts = pmNewContext(PM_CONTEXT_LOCAL, NULL)) < 0)
			goto failed;
		for (i = 0; i < count; i++) {
			snprintf(name, sizeof(name), "mmv.%s.m%d", argv[2], i);
			names[i] = strdup(name);
		}
		if ((sts = pmLookupName(count, (const char **)names, pmid)) != count)
			goto failed;
	}
	for (i = -2, t = 0; i < ROUNDS; i++) {
		if (i == 0)
			t = now();
		got = mmv ? fetch(count, pmid) : read_text(argv[2]);
		if (got < count) {
			fprintf(stderr, "scrape: %d of %d values\n", got, count);
			return 1;
		}
	}
	printf("%lld\n", (now() - t) / ROUNDS);
	return 0;
failed:
	fprintf(stderr, "scrape: %s\n", sts < 0 ? pmErrStr(sts) : "unknown names");
	return 1;
}
