/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * fuzz FILES SEED [-t POOL] [-c EVERY DIR] [-v] - the driver, started as the
 * target of run.stp. Declares, publishes, updates and changes so many files, has
 * each call and each published state judged, and captures every EVERYth state in
 * DIR. -t: the pool is small, so many bytes, "no room" may come at any time; -v:
 * counts by call, twice: each call. Prints what was done and what was wrong;
 * exit status 1 if anything was.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "gen.h"
#include "judge.h"

enum { BATCH = 64, LIVE = 2 };

static struct fuzz_call call[BATCH];
static int wire;
static char shown[300], links[256];		/* /proc/mmv_MODULE, $PCP_TMP_DIR/mmv */
static int verbose;
static unsigned long outcomes[HOW_MANY_REFUSED + 1][2];	/* by call: accepted, refused */
static unsigned long calls, refusals, states, captured, files, findings;
static long every;
static const char *capture;
static uint64_t seed;

static void quoted(const char *s)
{
	putchar('"');
	for (; *s; s++)
		if (*s == '"' || *s == '\\')
			printf("\\%c", *s);
		else if (*s < ' ' || *s == 0x7f)
			printf("\\x%02x", (unsigned char)*s);
		else
			putchar(*s);
	putchar('"');
}

static void show(const struct fuzz_call *c)
{
	printf("  %s(", model_call_name(c->code));
	for (int i = 0; i < 4; i++)
		if (*c->s[i] || i == 0) {
			quoted(c->s[i]);
			printf(" ");
		}
	for (int i = 0; i < 6; i++)
		printf("%s%lld", i ? ", " : "", c->n[i]);
	printf(")\n");
}

static void finding(const char *what)
{
	printf("FINDING %lu, seed %llu, file %lu: %s\n", ++findings, (unsigned long long)seed, files, what);
}

enum { SCRIPT, BYTES, READERS, PARTS };
static double spent[PARTS];

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

/* Writes "ADDRESS COUNT" of the calls that are left; how many are done then. */
static int ask(int done, int n)
{
	char text[64];
	int k = snprintf(text, sizeof(text), "%llx %d", (unsigned long long)(uintptr_t)(call + done), n - done);

	if (write(wire, text, k) != k) {
		perror("fuzz: the script does not answer");
		exit(2);
	}
	while (done < n && call[done].outcome != FUZZ_NOT_RUN)
		done++;
	return done;
}

/* Asks again when the script could not reach the calls for a moment. */
static void run(int n)
{
	double from = now();
	int done = 0, tries;

	for (int i = 0; i < n; i++)
		call[i].outcome = FUZZ_NOT_RUN;
	for (tries = 0; done < n && tries < 100; tries++) {
		if (tries)
			usleep(1000);
		done = ask(done, n);
	}
	spent[SCRIPT] += now() - from;
}

/* After a finding script and model may differ: begin anew. */
static void resync(void)
{
	for (int r = 1; r <= FILES; r++) {
		char name[400];

		snprintf(name, sizeof(name), "%s/%s", links, file[r].name);
		if (file[r].used)
			unlink(name);
		memset(call, 0, 3 * sizeof(*call));
		call[0].code = STOP;
		call[1].code = RESET;
		call[0].n[0] = call[1].n[0] = r;
		run(2);
		file[r].live = 0;
		call[1].outcome = FUZZ_ACCEPTED;
		if (file[r].used)
			model_judge(&call[1]);
	}
}

static int judged(int n)			/* how many calls were as they should be */
{
	for (int i = 0; i < n; i++) {
		const char *wrong = model_judge(&call[i]);

		calls++;
		refusals += call[i].outcome == FUZZ_REFUSED;
		outcomes[call[i].code][call[i].outcome == FUZZ_REFUSED]++;
		if (verbose > 1) {
			show(&call[i]);
			printf("    file %lu: %s %lld %s\n", files, call[i].outcome == FUZZ_REFUSED ? "refused" : "accepted",
			       call[i].result, call[i].outcome == FUZZ_REFUSED ? call[i].text : "");
		}
		if (wrong) {
			finding(wrong);
			show(&call[i]);
			resync();
			return i;
		}
	}
	return n;
}

static int do_calls(int n)
{
	run(n);
	return judged(n) == n;
}

static int do_one(int code, long long reg)
{
	memset(call, 0, sizeof(*call));
	call->code = code;
	call->n[0] = reg;
	return do_calls(1);
}

static int number[FILES + 1];			/* of what is shown, by registry; -1: nothing */

static void path_of(long long reg, char *to, size_t size) { snprintf(to, size, "%s/%d", shown, number[reg]); }

/* The file that shows something and belongs to no other registry, of so far. */
static int find_now(long long reg)
{
	char path[400];

	number[reg] = -1;
	for (int n = 0; n < 64; n++) {
		int r;

		for (r = 1; r <= FILES && !(file[r].live && number[r] == n); r++)
			;
		snprintf(path, sizeof(path), "%s/%d", shown, n);
		if (r > FILES && judge_shows(path)) {
			if (number[reg] >= 0)
				return 0;
			number[reg] = n;
		}
	}
	return number[reg] >= 0;
}

/* It appears a moment after it is published. */
static int find_shown(long long reg)
{
	for (int tries = 0; tries < 10000; tries++, usleep(1000))
		if (find_now(reg))
			return 1;
	return 0;
}

/* A copy with holes; the owner becomes a process that lives for ever. */
static void capture_state(const char *path, const char *name)
{
	static const char zero[4096];
	char to[512], *map;
	int out, owner = 1;
	size_t size, at, n;

	map = judge_map(path, &size);
	if (!map) {
		perror(path);
		return;
	}
	snprintf(to, sizeof(to), "%s/%lu.%s", capture, states, name);
	out = open(to, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	for (at = 0; at < size; at += n) {
		n = size - at < sizeof(zero) ? size - at : sizeof(zero);
		if (memcmp(map + at, zero, n) != 0 && pwrite(out, map + at, n, at) != (ssize_t)n)
			perror(to);
	}
	if (pwrite(out, &owner, 4, 32) != 4 || ftruncate(out, size) != 0)
		perror(to);
	munmap(map, size);
	close(out);
	captured++;
}

/* The PMDA looks at the directory's time, which older kernels stamp with the
 * last timer tick: two changes within one would be one.
 */
static void touch_links(void)
{
	struct timespec t[2];

	clock_gettime(CLOCK_REALTIME, &t[0]);
	t[1] = t[0];
	utimensat(AT_FDCWD, links, t, 0);
}

/* Ends all batches, so that readers see what has been said. */
static int show_all(void)
{
	for (int r = 1; r <= FILES; r++)
		if (file[r].live && file[r].held && !do_one(COMMIT, r))
			return 0;
	return 1;
}

/* Its bytes, all names and values, and what else readers see of this file. */
static int judge_state(long long reg, int whole)
{
	char path[320];
	int bytes, readers;
	double from;

	if (!show_all())
		return 0;
	path_of(reg, path, sizeof(path));
	from = now();
	bytes = judge_bytes(path);
	spent[BYTES] += now() - from;
	from = now();
	readers = judge_readers(whole);
	spent[READERS] += now() - from;
	if (capture && states % every == 0)
		capture_state(path, file[reg].name);
	states++;
	if (!bytes && !readers)
		return 1;
	if (capture)
		capture_state(path, file[reg].name);
	finding(bytes ? "the strict checker complains" : "readers see something else");
	resync();
	return 0;
}

/* What the tapset adds by itself may find no room left, and says nothing. */
static int ask_for_health(long long reg)
{
	static const char *const names[] = { "health.skipped", "health.errors", "health.refused", "health.cut" };

	for (int k = 0; tight && k < 4; k++) {
		memset(call, 0, sizeof(*call));
		call->code = LOOKUP;
		call->n[0] = reg;
		strcpy(call->s[0], names[k]);
		run(1);
		if (call->outcome == FUZZ_REFUSED && strstr(call->text, "no metric '"))
			model_no_health(&file[reg], names[k]);
		if (judged(1) != 1)
			return 0;
	}
	return 1;
}

static int publish(long long reg)
{
	char path[400], name[400];

	if (!file[reg].cluster && !do_one(CLUSTER, reg))
		return 0;
	if (!do_one(START, reg) || !ask_for_health(reg))
		return 0;
	if (!find_shown(reg)) {
		finding("started, but not exactly one file more has a size");
		resync();
		return 0;
	}
	path_of(reg, path, sizeof(path));
	snprintf(name, sizeof(name), "%s/%s", links, file[reg].name);
	if (symlink(path, name)) {
		perror(name);
		exit(2);
	}
	touch_links();
	return judge_state(reg, gen_below(8) ? reg : -1);
}

static int withdraw(long long reg)
{
	char path[320], name[400];

	snprintf(name, sizeof(name), "%s/%s", links, file[reg].name);
	if (!do_one(STOP, reg))
		return 0;
	path_of(reg, path, sizeof(path));
	if (judge_shows(path)) {
		finding("stopped, but its file shows something");
		resync();
		return 0;
	}
	unlink(name);
	touch_links();
	if (gen_below(8) == 0 && show_all() && judge_readers(0)) {
		finding("readers do not agree that it is stopped");
		resync();
		return 0;
	}
	return 1;
}

/* One file's life up to its end, or nearly: some are left for later. */
static void one_file(void)
{
	long long reg = 0;
	int n;

	files++;
	gen_registry(call);
	n = do_calls(1);
	if (!n || call->outcome != FUZZ_ACCEPTED)
		return;
	reg = call->result;
	/* Small rounds: the next one knows what the last one declared. */
	for (int rounds = 2 + gen_below(8); rounds; rounds--)
		if (!do_calls(gen_declarations(reg, call, gen_below(16) ? 6 : BATCH)))
			return;
	if (file[reg].used && file[reg].metrics && !file[reg].live) {
		if (!do_calls(gen_updates(call, 12)) || !do_calls(gen_updates(call, 12)) || !publish(reg))
			return;
	}
	while (file[reg].live && gen_below(4))
		if (!do_calls(gen_below(2) ? gen_updates(call, 12) : gen_declarations(reg, call, 6)) ||
		    (file[reg].live && !judge_state(reg, gen_below(3) ? FILES + 1 : reg)))
			return;
	for (;;) {			/* those that are too many go */
		int used[FILES], k = 0;

		for (int r = 1; r <= FILES; r++)
			if (file[r].used)
				used[k++] = r;
		if (k <= LIVE && (k == 0 || gen_below(2)))
			return;
		reg = used[gen_below(k)];
		if (file[reg].live && !withdraw(reg))
			return;
		if (gen_below(8) == 0 && file[reg].metrics && (!publish(reg) || !withdraw(reg)))
			return;
		if (!do_one(RESET, reg))
			return;
	}
}

int main(int argc, char **argv)
{
	char procfs[300], path[320];
	const char *tmp = getenv("PCP_TMP_DIR"), *pmda = getenv("FUZZ_PMDA");
	unsigned long want;
	time_t from = time(NULL);
	cpu_set_t first;
	int i;

	if (argc < 3 || !tmp || !pmda) {
		fprintf(stderr, "usage: PCP_TMP_DIR=... FUZZ_PMDA=... fuzz FILES SEED [-t POOL] [-c EVERY DIR] [-v]\n");
		return 2;
	}
	want = strtoul(argv[1], NULL, 10);
	seed = strtoull(argv[2], NULL, 10);
	for (i = 3; i < argc; i++)
		if (!strcmp(argv[i], "-t") && i + 1 < argc)
			tight = atol(argv[++i]);
		else if (!strcmp(argv[i], "-v"))
			verbose++;
		else if (!strcmp(argv[i], "-c") && i + 2 < argc) {
			every = atol(argv[++i]);
			capture = argv[++i];
		}
	setvbuf(stdout, NULL, _IOLBF, 0);
	cpus = sysconf(_SC_NPROCESSORS_CONF);
	CPU_ZERO(&first);
	CPU_SET(0, &first);
	sched_setaffinity(0, sizeof(first), &first);
	mlockall(MCL_CURRENT);			/* the script reads us without page faults */
	judge_find("/proc/systemtap", "stap_", procfs, sizeof(procfs));
	judge_find("/proc", "mmv_stap_", shown, sizeof(shown));
	snprintf(path, sizeof(path), "%s/fuzz", procfs);
	wire = open(path, O_WRONLY);
	if (wire < 0) {
		perror(path);
		return 2;
	}
	snprintf(links, sizeof(links), "%s/mmv", tmp);
	judge_open(pmda);
	gen_seed(seed);
	while (files < want && findings < 20)
		one_file();
	printf("fuzz: seed %llu, %lu files, %lu calls, %lu refused, %lu states judged, %lu captured, %ld s, %lu findings\n",
	       (unsigned long long)seed, files, calls, refusals, states, captured, (long)(time(NULL) - from), findings);
	printf("fuzz: of these in the script %.1f s, in the strict checker %.1f s, in the PMDA %.1f s\n",
	       spent[SCRIPT], spent[BYTES], spent[READERS]);
	for (i = 1; verbose && i <= HOW_MANY_REFUSED; i++)
		if (outcomes[i][0] + outcomes[i][1])
			printf("fuzz: %-30s %8lu accepted %8lu refused\n", model_call_name(i), outcomes[i][0], outcomes[i][1]);
	return findings != 0;
}
