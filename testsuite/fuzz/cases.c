/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * cases COUNT METRIC... - for the tests badinput_*.exp: has the running script
 * try its cases 1 to COUNT, one after the other, and looks at what is published
 * after each. A number written to its procfs file "case" is a case, 0 makes it
 * forget what it declared, -1 makes it show the file; reading tells the number
 * and what came of it: "NUMBER STATE OUTCOME", or "NUMBER again". What is judged:
 *
 *   the strict checker has no complaint;
 *   a refused call changed no byte but the generation, compared with the same
 *   state's first case, which does nothing; words that differ in its second
 *   one, which does nothing either, hold times;
 *   the good metrics read as they did then, through the PMDA.
 *
 * One line for each case, "case N: sound" or what is wrong.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <pcp/pmapi.h>
#include "judge.h"

enum { FROM = 8, TO = 24 };			/* the generations */

struct reference { char *bytes, *values; long size; int seen; };
static struct reference reference[256];		/* by state */

/* The one file of the session that shows something; it appears a moment after
 * it is published.
 */
static int find_shown(const char *shown)
{
	int found = -1;

	for (int tries = 0; found < 0 && tries < 10000; tries++) {
		char path[400];

		if (tries)
			usleep(1000);
		found = -1;
		for (int n = 0; n < 64; n++) {
			snprintf(path, sizeof(path), "%s/%d", shown, n);
			if (judge_shows(path))
				found = found == -1 ? n : -2;
		}
	}
	return found;
}

static char *bytes_of(const char *path, long *size)
{
	size_t bytes;
	char *copy, *map = judge_map(path, &bytes);

	if (!map)
		return NULL;
	copy = malloc(bytes);
	memcpy(copy, map, bytes);
	munmap(map, bytes);
	*size = bytes;
	return copy;
}

/* All values of the metrics, as text. */
static char *values_of(char **metrics, int n)
{
	pmID ids[64];
	pmDesc desc;
	pmResult *result;
	char *text = calloc(1, 65536), *at = text, *value;
	int rc = pmLookupName(n, (const char **)metrics, ids);

	if (rc != n || (rc = pmFetch(n, ids, &result)) < 0) {
		sprintf(text, "look-up: %d of %d", rc, n);
		return text;
	}
	for (int i = 0; i < n; i++) {
		pmValueSet *set = result->vset[i];

		at += sprintf(at, "%s %d", metrics[i], set->numval);
		for (int k = 0; k < set->numval && at < text + 60000; k++) {
			pmAtomValue a;

			if (pmLookupDesc(ids[i], &desc) < 0 ||
			    pmExtractValue(set->valfmt, &set->vlist[k], desc.type, &a, desc.type) < 0)
				continue;
			value = pmAtomStr(&a, desc.type) ? (char *)pmAtomStr(&a, desc.type) : "?";
			at += snprintf(at, 400, " %d=%s", set->vlist[k].inst, value);
			if (desc.type == PM_TYPE_STRING)
				free(a.cp);
		}
		at += sprintf(at, "\n");
	}
	pmFreeResult(result);
	return text;
}

/* Makes words that differ look alike from now on. */
static void take_out(const struct reference *is, struct reference *was)
{
	was->seen = 1;
	for (long i = 0; i + 8 <= is->size && i + 8 <= was->size; i += 8)
		if (memcmp(is->bytes + i, was->bytes + i, 8))
			memcpy(was->bytes + i, "a time..", 8);
}

static void differs(const struct reference *is, const struct reference *was)
{
	long i;

	if (is->size != was->size)
		printf(" size %ld, was %ld;", is->size, was->size);
	for (i = 0; i < is->size && i < was->size; i++)
		if ((i < FROM || i >= TO) && is->bytes[i] != was->bytes[i] &&
		    memcmp(was->bytes + (i & ~7L), "a time..", 8)) {
			printf(" byte %ld changed;", i);
			return;
		}
}

/* Is this the answer to that number, and final? What comes after the number. */
static const char *answer_to(const char *answer, int number)
{
	int said, n = 0;

	if (sscanf(answer, "%d %n", &said, &n) != 1 || said != number || !strcmp(answer + n, "again"))
		return NULL;
	return answer + n;
}

/* Writes a number to the script's file and reads the answer. SystemTap skips a
 * handler that cannot have its locks, and the memory of what is forgotten rests
 * while another CPU is in a handler: it may be stopped there for as long as the
 * host likes. So the number is written until there is an answer to it; the one
 * before was always another one.
 */
static int ask(const char *procfs, int number, char *answer, size_t bytes)
{
	char text[16], line[256];
	const char *said;
	int fd, k, tries, n = snprintf(text, sizeof(text), "%d", number);

	for (tries = 0; tries < 30000; tries++) {
		fd = open(procfs, O_WRONLY);
		if (fd < 0 || write(fd, text, n) != n)
			return 0;
		close(fd);
		fd = open(procfs, O_RDONLY);
		k = read(fd, line, sizeof(line) - 1);
		close(fd);
		line[k < 0 ? 0 : k] = '\0';
		said = answer_to(line, number);
		if (said) {
			snprintf(answer, bytes, "%s", said);
			return 1;
		}
		usleep(2000);
	}
	return 0;
}

/* Has the script try a case and show its file; the answer is that of the case. */
static int try_case(const char *procfs, int number, char *answer, size_t bytes)
{
	char other[256];

	if (!ask(procfs, 0, other, sizeof(other)) || !ask(procfs, number, answer, bytes))
		return 0;
	if (answer[0] == 'n' && !ask(procfs, 0, other, sizeof(other)))
		return 0;
	return ask(procfs, -1, other, sizeof(other));
}

int main(int argc, char **argv)
{
	char procfs[300], shown[300], path[400], line[256], state, outcome[32], name[64];
	const char *dir = getenv("PCP_TMP_DIR"), *pmda = getenv("FUZZ_PMDA");
	int count = argc > 1 ? atoi(argv[1]) : 0, number, rc = 0;

	if (count < 1 || argc < 3 || !dir || !pmda)
		return 2;
	judge_find("/proc/systemtap", "stap_", procfs, sizeof(procfs) - 8);
	judge_find("/proc", "mmv_stap_", shown, sizeof(shown));
	strcat(procfs, "/case");
	judge_open(pmda);
	for (int n = 1; n <= count; n++) {
		struct reference is = { NULL, NULL, 0, 0 };
		struct timespec t[2];
		int k;

		if (!try_case(procfs, n, line, sizeof(line))) {
			printf("case %d: the script does not answer\n", n);
			return 2;
		}
		number = find_shown(shown);
		if (sscanf(line, "%c %31s", &state, outcome) != 2 || number < 0) {
			printf("case %d: '%s', %s shown\n", n, line, number == -1 ? "nothing" : "several files");
			rc = 1;
			continue;
		}
		snprintf(path, sizeof(path), "%s/%d", shown, number);
		snprintf(name, sizeof(name), "%s/mmv/bad", dir);
		unlink(name);
		if (symlink(path, name))
			perror(name);
		clock_gettime(CLOCK_REALTIME, &t[0]);
		t[1] = t[0];
		snprintf(name, sizeof(name), "%s/mmv", dir);
		utimensat(AT_FDCWD, name, t, 0);
		is.bytes = bytes_of(path, &is.size);
		is.values = values_of(argv + 2, argc - 2);
		printf("case %d:", n);
		k = judge_bytes(path);
		if (k)
			printf(" %d complaints of the strict checker;", k);
		if (!reference[(int)state].bytes) {
			reference[(int)state] = is;
			if (strstr(is.values, "look-up"))
				printf(" %s;", is.values);
		} else {
			if (!reference[(int)state].seen)
				take_out(&is, &reference[(int)state]);
			else if (!strcmp(outcome, "refused"))
				differs(&is, &reference[(int)state]);
			if (strcmp(is.values, reference[(int)state].values))
				printf(" good metrics read %s;", is.values);
			free(is.bytes);
			free(is.values);
		}
		printf(" sound\n");
	}
	printf("== values\n%s", reference['s'].values);
	return rc;
}
