/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * mmvcheck [-t] FILE... - judges MMV files, strictly.
 *
 * Written from mmv(5) and from what pmdammv accepts, ignores or dies of; it
 * shares nothing with the tapset that writes such files. One line for each
 * violation (-t: also bytes behind the end of a label, where libpcp_mmv leaves
 * what its heap held), beginning with the file and the rule's name; exit status 0 when
 * every file is clean, 1 when not, 2 when a file cannot be read.
 */
#include <ctype.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "json.h"

enum { HEADER = 40, TOC = 16, INDOM = 32, VALUE = 32, STRING = 256, LABEL = 256 };
enum { INDOMS = 1, INSTANCES, METRICS, VALUES, STRINGS, LABELS, SECTIONS };

static const unsigned char *file;
static uint64_t size;
static const char *name;
static int faults, version, tails;

struct section { uint64_t at; uint32_t count; };
static struct section sec[SECTIONS];		/* the one of each kind ... */
static struct section inst[4096];		/* ... but instances, which may be many */
static int ninst;

static void __attribute__((format(printf, 2, 3))) bad(const char *rule, const char *fmt, ...)
{
	va_list ap;

	if (faults++ > 50)
		return;
	printf("%s: %s: ", name, rule);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
}

static uint32_t u32(uint64_t at) { uint32_t v; memcpy(&v, file + at, 4); return v; }
static uint64_t u64(uint64_t at) { uint64_t v; memcpy(&v, file + at, 8); return v; }
static int inside(uint64_t at, uint64_t bytes) { return bytes <= size && at <= size - bytes; }
static unsigned instance_bytes(void) { return version == 1 ? 80 : 24; }
static unsigned metric_bytes(void) { return version == 1 ? 104 : 48; }

/* A NUL-terminated text in a field, nothing but zeros behind it; behind a
 * value's there may be the rest of an earlier one.
 */
static int text_ok(const char *rule, uint64_t at, unsigned bytes, const char *what)
{
	const unsigned char *s = file + at, *end = memchr(s, 0, bytes);
	unsigned i;

	if (!end) {
		bad(rule, "%s at %llu has no NUL in %u bytes", what, (unsigned long long)at, bytes);
		return 0;
	}
	if (!strcmp(rule, "string"))
		return 1;
	for (i = end - s; i < bytes && (tails || strcmp(rule, "label")); i++)
		if (s[i]) {
			bad("tail", "%s at %llu has bytes behind its NUL", what, (unsigned long long)at);
			return 1;
		}
	return 1;
}

/* A string section entry, by offset: inside a STRINGS section, on its grid. */
static const char *string_at(const char *rule, uint64_t at, const char *what, int may_be_none)
{
	if (at == 0) {
		if (!may_be_none)
			bad(rule, "%s has no text", what);
		return NULL;
	}
	if (!inside(at, STRING)) {
		bad(rule, "%s at %llu is outside the file", what, (unsigned long long)at);
		return NULL;
	}
	if (at < sec[STRINGS].at || (at - sec[STRINGS].at) % STRING ||
	    (at - sec[STRINGS].at) / STRING >= sec[STRINGS].count) {
		bad(rule, "%s at %llu is no entry of the strings section", what, (unsigned long long)at);
		return NULL;
	}
	return text_ok(rule, at, STRING, what) ? (const char *)file + at : NULL;
}

static int utf8_ok(const char *s)
{
	const unsigned char *p = (const unsigned char *)s;

	while (*p) {
		int more = *p < 0x80 ? 0 : *p >= 0xc2 && *p < 0xe0 ? 1 : *p >= 0xe0 && *p < 0xf0 ? 2 :
			   *p >= 0xf0 && *p < 0xf5 ? 3 : -1;
		if (more < 0)
			return 0;
		for (p++; more; more--, p++)
			if ((*p & 0xc0) != 0x80)
				return 0;
	}
	return 1;
}

static void check_help(uint64_t at, const char *what)
{
	const char *s = string_at("help", at, what, 1);

	if (s && !*s)
		bad("help", "%s is an empty text instead of none", what);
	if (s && !utf8_ok(s))
		bad("help", "%s is not UTF-8", what);
}

static int metric_name_ok(const char *s)
{
	if (!isalpha((unsigned char)*s))
		return 0;
	for (; *s; s++) {
		if (*s == '.' && !isalpha((unsigned char)s[1]))
			return 0;
		if (*s != '.' && *s != '_' && !isalnum((unsigned char)*s))
			return 0;
	}
	return 1;
}

static const char *metric_name(uint64_t at)
{
	if (version == 1)
		return memchr(file + at, 0, 64) ? (const char *)file + at : "";
	return inside(u64(at), STRING) && memchr(file + u64(at), 0, STRING) ? (const char *)file + u64(at) : "";
}

static const char *instance_name(uint64_t at)
{
	if (version == 1)
		return memchr(file + at + 16, 0, 64) ? (const char *)file + at + 16 : "";
	return inside(u64(at + 16), STRING) && memchr(file + u64(at + 16), 0, STRING) ?
		(const char *)file + u64(at + 16) : "";
}

static uint64_t metric_fields(uint64_t at) { return at + (version == 1 ? 64 : 8); }	/* item on */

static int check_header(void)
{
	if (size < HEADER + 2 * TOC) {
		bad("size", "%llu bytes hold no header and TOC", (unsigned long long)size);
		return 0;
	}
	if (memcmp(file, "MMV", 4)) {
		bad("magic", "not \"MMV\"");
		return 0;
	}
	version = u32(4);
	if (version < 1 || version > 3) {
		bad("version", "%d is not 1, 2 or 3", version);
		return 0;
	}
	if (!u64(8))
		bad("generation", "generation 1 is 0");
	if (u64(8) != u64(16))
		bad("generation", "in flux: %llx, %llx", (unsigned long long)u64(8), (unsigned long long)u64(16));
	if (u32(28) & ~7u)
		bad("flags", "unknown flags %#x", u32(28));
	if ((u32(28) & 2) && (int32_t)u32(32) <= 0)
		bad("process", "flag PROCESS with process %d", (int32_t)u32(32));
	if (u32(36) > 4095)
		bad("cluster", "%u out of range 0..4095", u32(36));
	return 1;
}

static int check_toc(void)
{
	static const unsigned bytes[SECTIONS] = { 0, INDOM, 0, 0, VALUE, STRING, LABEL };
	uint32_t n = u32(24), i, j;
	struct { uint64_t from, to; } area[4200];

	if (n < 2 || n > 4100 || !inside(HEADER, (uint64_t)n * TOC)) {
		bad("toc", "%u entries", n);
		return 0;
	}
	area[0].from = 0;
	area[0].to = HEADER + (uint64_t)n * TOC;
	for (i = 0; i < n; i++) {
		uint32_t type = u32(HEADER + i * TOC), count = u32(HEADER + i * TOC + 4);
		uint64_t at = u64(HEADER + i * TOC + 8), one;

		area[i + 1].from = area[i + 1].to = 0;
		if (type < INDOMS || type > LABELS) {
			bad("toc", "entry %u has unknown type %u", i, type);
			return 0;
		}
		one = type == INSTANCES ? instance_bytes() : type == METRICS ? metric_bytes() : bytes[type];
		if (!inside(at, count * one)) {
			bad("section", "entry %u of type %u: %u entries at %llu end outside the file",
			    i, type, count, (unsigned long long)at);
			return 0;
		}
		if (at % 8)
			bad("alignment", "entry %u of type %u at %llu", i, type, (unsigned long long)at);
		if (type == INSTANCES && ninst < 4096)
			inst[ninst++] = (struct section){ at, count };
		else if (sec[type].at) {
			bad("toc", "second section of type %u", type);
			return 0;
		} else
			sec[type] = (struct section){ at, count };
		if (count == 0 && type != METRICS && type != VALUES && type != INSTANCES)
			bad("toc", "empty section of type %u", type);
		area[i + 1].from = at;
		area[i + 1].to = at + count * one;
		for (j = 0; j <= i; j++)
			if (area[j].from < area[i + 1].to && area[i + 1].from < area[j].to)
				bad("overlap", "entry %u of type %u runs into %s %u", i, type,
				    j ? "entry" : "the header,", j ? j - 1 : 0);
	}
	if (!sec[METRICS].at || !sec[VALUES].at) {
		bad("toc", "no %s section", sec[METRICS].at ? "values" : "metrics");
		return 0;
	}
	if (sec[LABELS].at && version != 3)
		bad("labels", "in a version %d file", version);
	if (sec[METRICS].count > 1023)
		bad("metrics", "%u, at most 1023", sec[METRICS].count);
	if (sec[LABELS].count > 255)
		bad("labels", "%u, at most 255", sec[LABELS].count);
	return 1;
}

/* Is there an instance entry at this place? */
static int is_instance(uint64_t at)
{
	int i;

	for (i = 0; i < ninst; i++)
		if (at >= inst[i].at && (at - inst[i].at) % instance_bytes() == 0 &&
		    (at - inst[i].at) / instance_bytes() < inst[i].count)
			return 1;
	return 0;
}

static uint64_t indom_of(uint32_t serial)	/* its entry, or 0 */
{
	uint32_t i;

	for (i = 0; i < sec[INDOMS].count; i++)
		if (u32(sec[INDOMS].at + i * INDOM) == serial)
			return sec[INDOMS].at + i * INDOM;
	return 0;
}

static void check_instance(uint64_t at, uint64_t indom, uint64_t first, uint32_t k)
{
	const char *s;
	uint32_t j;

	if (u64(at) != indom)
		bad("instance", "entry at %llu names another indom", (unsigned long long)at);
	if (u32(at + 8))
		bad("padding", "instance at %llu", (unsigned long long)at);
	if ((int32_t)u32(at + 12) < 0)
		bad("instance", "id %d is negative", (int32_t)u32(at + 12));
	if (version == 1 ? !text_ok("instance", at + 16, 64, "instance name") :
			   !string_at("instance", u64(at + 16), "instance name", 0))
		return;
	s = instance_name(at);
	if (!*s || !utf8_ok(s) || strpbrk(s, "\n\t\"") || *s == ' ')
		bad("instance", "name '%s'", s);
	for (j = 0; j < k; j++) {
		uint64_t other = first + j * instance_bytes();
		const char *o = instance_name(other);

		if (u32(other + 12) == u32(at + 12))
			bad("instance", "id %u twice in one indom", u32(at + 12));
		if (strcspn(o, " ") == strcspn(s, " ") && !strncmp(o, s, strcspn(s, " ")))
			bad("instance", "names '%s' and '%s' are the same up to the first blank", o, s);
	}
}

static void check_indoms(void)
{
	uint32_t i, j, k, total = 0;
	int n;

	for (i = 0; i < sec[INDOMS].count; i++) {
		uint64_t at = sec[INDOMS].at + i * INDOM, first = u64(at + 8);
		uint32_t serial = u32(at), count = u32(at + 4);

		if (serial < 1 || serial > 2047)
			bad("serial", "%u out of range 1..2047", serial);
		for (j = 0; j < i; j++)
			if (u32(sec[INDOMS].at + j * INDOM) == serial)
				bad("serial", "%u twice", serial);
		check_help(u64(at + 16), "one-line indom help");
		check_help(u64(at + 24), "long indom help");
		if (!inside(first, (uint64_t)count * instance_bytes())) {
			bad("indom", "%u: instances outside the file", serial);
			continue;
		}
		total += count;
		for (k = 0; k < count; k++) {
			if (!is_instance(first + k * instance_bytes()))
				bad("indom", "%u: instance %u is in no instances section", serial, k);
			check_instance(first + k * instance_bytes(), at, first, k);
		}
	}
	for (n = 0; n < ninst; n++)
		total -= inst[n].count;
	if (total)
		bad("instance", "sections and indoms count differently");
}

static void check_units(uint32_t units, const char *s)
{
	if (units & 0xff)
		bad("units", "'%s': low byte of %#x", s, units);
	if ((units >> 16 & 15) > 8 || (units >> 12 & 15) > 5)
		bad("units", "'%s': scale of %#x", s, units);
}

static void check_metrics(void)
{
	uint32_t i, j;

	for (i = 0; i < sec[METRICS].count; i++) {
		uint64_t at = sec[METRICS].at + i * metric_bytes(), f = metric_fields(at);
		uint32_t item = u32(f), sem = u32(f + 8), serial = u32(f + 16);
		int type = u32(f + 4);
		const char *s;

		if (version == 1 ? !text_ok("name", at, 64, "metric name") :
				   !string_at("name", u64(at), "metric name", 0))
			continue;
		s = metric_name(at);
		if (!metric_name_ok(s))
			bad("name", "metric '%s'", s);
		if (item < 1 || item > 1023)
			bad("item", "%u of '%s' out of range 1..1023", item, s);
		if (type != -1 && (type < 0 || (type > 6 && type != 9)))
			bad("type", "%d of '%s'", type, s);
		if (sem != 1 && sem != 3 && sem != 4)
			bad("semantics", "%u of '%s'", sem, s);
		check_units(u32(f + 12), s);
		if (type == 9 && (sem != 1 || u32(f + 12) != 0x01001000))
			bad("elapsed", "'%s' is no counter in microsec", s);
		if (u32(f + 20))
			bad("padding", "metric '%s'", s);
		if (serial != 0 && !indom_of(serial))
			bad("metric", "'%s' has unknown indom %d", s, (int)serial);
		check_help(u64(f + 24), "one-line help");
		check_help(u64(f + 32), "long help");
		for (j = 0; j < sec[METRICS].count; j++) {
			uint64_t other = sec[METRICS].at + j * metric_bytes();
			const char *o = metric_name(other);
			size_t n = strlen(s);

			if (j < i && u32(metric_fields(other)) == item)
				bad("item", "%u of '%s' and '%s'", item, o, s);
			if (j < i && !strcmp(o, s))
				bad("name", "metric '%s' twice", s);
			if (j != i && !strncmp(o, s, n) && o[n] == '.')
				bad("name", "metric '%s' is a prefix of '%s'", s, o);
		}
	}
}

/* A metric in no list, which is nobody's: what values without a metric bear. */
static int is_nobody(uint64_t m)
{
	return inside(m, metric_bytes()) && m % 8 == 0 && u32(metric_fields(m)) == 0 &&
	       (int32_t)u32(metric_fields(m) + 4) == -1;
}

/* What a value says of its instance: 0 singular, -1 none that is in the
 * indom's list and hence asked for, else 1 + the id. Its entry may stand
 * outside the list; if its id is in the list it must be the same as there.
 */
static int64_t value_instance(uint64_t in, uint64_t indom)
{
	uint64_t at;
	int32_t id;
	uint32_t i;

	if (!indom)
		return 0;
	id = u32(in + 12);
	if (version > 1 && !string_at("instance", u64(in + 16), "instance name", 0))
		return -1;
	for (i = 0; i < u32(indom + 4); i++) {
		at = u64(indom + 8) + i * instance_bytes();
		if ((int32_t)u32(at + 12) != id)
			continue;
		if (strcmp(instance_name(at), instance_name(in)))
			bad("value", "instance at %llu, id %d, has another name in the indom's list",
			    (unsigned long long)in, id);
		return 1 + (int64_t)id;
	}
	return -1;
}

/* 0 when nobody asks for this value. */
static int check_value(uint64_t at, uint64_t pair[2])
{
	uint64_t m = u64(at + 16), in = u64(at + 24), f;
	int type;

	pair[0] = pair[1] = 0;
	if (is_nobody(m)) {			/* mmvdump prints its name */
		if (version > 1)
			string_at("name", u64(m), "name of a metric in no list", 0);
		return 0;
	}
	if (m < sec[METRICS].at || (m - sec[METRICS].at) % metric_bytes() ||
	    (m - sec[METRICS].at) / metric_bytes() >= sec[METRICS].count) {
		bad("value", "at %llu belongs to no metric", (unsigned long long)at);
		return 0;
	}
	f = metric_fields(m);
	type = u32(f + 4);
	if (u32(f + 16) == 0) {
		if (in)
			bad("value", "'%s' is singular, its value has an instance", metric_name(m));
	} else if (!inside(in, instance_bytes()) || in % 8 || in < HEADER) {
		bad("value", "of '%s' has no instance entry at %llu", metric_name(m), (unsigned long long)in);
		return 0;
	} else if (u64(in) != indom_of(u32(f + 16))) {
		bad("value", "of '%s' has an instance of another indom", metric_name(m));
		return 0;
	}
	if (type == 6)
		string_at("string", u64(at + 8), "string value", 0);
	else if (type == 9 ? (int64_t)u64(at + 8) > 0 : u64(at + 8) != 0)
		bad("value", "of '%s' has extra %lld", metric_name(m), (long long)u64(at + 8));
	if ((type == 0 || type == 1 || type == 4) && u32(at + 4) &&
	    !((u32(28) & 4) && u32(at + 4) == ~0u))
		bad("value", "of '%s': upper half of a 32-bit value", metric_name(m));
	pair[0] = m;
	pair[1] = value_instance(in, u32(f + 16) ? indom_of(u32(f + 16)) : 0);
	return (int64_t)pair[1] >= 0;
}

static int by_pair(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return x[0] != y[0] ? (x[0] < y[0] ? -1 : 1) : x[1] != y[1] ? (x[1] < y[1] ? -1 : 1) : 0;
}

/* Exactly one value for each metric and instance. */
static void check_values(void)
{
	uint64_t (*pair)[2] = malloc((sec[VALUES].count + 1) * sizeof(*pair));
	uint64_t want = 0;
	uint32_t i, n = 0;

	for (i = 0; i < sec[VALUES].count; i++)
		n += check_value(sec[VALUES].at + (uint64_t)i * VALUE, pair[n]);
	qsort(pair, n, sizeof(*pair), by_pair);
	for (i = 1; i < n; i++)
		if (!by_pair(pair[i - 1], pair[i]))
			bad("value", "two for metric at %llu, instance %lld",
			    (unsigned long long)pair[i][0], (long long)pair[i][1] - 1);
	for (i = 0; i < sec[METRICS].count; i++) {
		uint32_t serial = u32(metric_fields(sec[METRICS].at + i * metric_bytes()) + 16);
		uint64_t d = serial ? indom_of(serial) : 0;

		want += serial == 0 ? 1 : d ? u32(d + 4) : 0;
	}
	if (want != n)
		bad("value", "%u of them, %llu pairs of metric and instance", n,
		    (unsigned long long)want);
	free(pair);
}

static int label_name_ok(const char *s)		/* {"name": */
{
	if (strncmp(s, "{\"", 2) || !isalpha((unsigned char)s[2]))
		return 0;
	for (s += 2; isalnum((unsigned char)*s) || *s == '_'; s++)
		;
	return s[0] == '"' && s[1] == ':';
}

static int known_item(uint32_t item)
{
	uint32_t i;

	for (i = 0; i < sec[METRICS].count; i++)
		if (u32(metric_fields(sec[METRICS].at + i * metric_bytes())) == item)
			return 1;
	return 0;
}

static int known_instance(uint32_t serial, uint32_t id)
{
	uint64_t d = indom_of(serial);
	uint32_t i;

	for (i = 0; d && i < u32(d + 4); i++)
		if (u32(u64(d + 8) + i * instance_bytes() + 12) == id)
			return 1;
	return 0;
}

static void check_labels(void)
{
	static const char *reserved[] = { "hostname", "domainname", "machineid", "userid", "groupid", "agent" };
	uint32_t i, j;

	for (i = 0; i < sec[LABELS].count; i++) {
		uint64_t at = sec[LABELS].at + i * LABEL;
		uint32_t kind = u32(at) & ~0x80u, id = u32(at + 4);
		int32_t internal = u32(at + 8);
		const char *s = (const char *)file + at + 12, *end;

		if (u64(at) == 0)		/* of something that was removed */
			continue;
		if (!text_ok("label", at + 12, 244, "label"))
			continue;
		if (!label_name_ok(s))
			bad("label", "no name in '%s'", s);
		else if (!(end = json(s, 0)) || *end)
			bad("label", "'%s' is not JSON", s);
		for (j = 0; j < sizeof(reserved) / sizeof(*reserved); j++) {
			size_t n = strlen(reserved[j]);

			if (!strncmp(s + 2, reserved[j], n) && s[2 + n] == '"')
				bad("label", "name '%s' belongs to PCP", reserved[j]);
		}
		if (kind != 0x20 && internal != -1)
			bad("label", "'%s' has instance %d", s, internal);
		if (kind == 0x04 ? !indom_of(id) : kind == 0x08 ? id != u32(36) || id == 0 :
		    kind == 0x10 ? !known_item(id) : kind == 0x20 ? !known_instance(id, internal) : 1)
			bad("label", "'%s' of kind %#x belongs to nothing (%u, %d)", s, kind, id, internal);
		for (j = 0; j < i; j++) {
			uint64_t o = sec[LABELS].at + j * LABEL;
			size_t n = strcspn(s, ":");

			if ((u32(o) & ~0x80u) == kind && u32(o + 4) == id && (int32_t)u32(o + 8) == internal &&
			    !strncmp((const char *)file + o + 12, s, n + 1))
				bad("label", "%.*s} twice", (int)n, s);
		}
	}
}

static void check(const char *path)
{
	struct stat st;
	unsigned char *bytes;
	void *map;
	int fd = open(path, O_RDONLY);

	name = path;
	if (fd < 0 || fstat(fd, &st)) {
		perror(path);
		exit(2);
	}
	size = st.st_size;
	bytes = calloc(1, size + 1);
	map = mmap(NULL, size + !size, PROT_READ, MAP_SHARED, fd, 0);
	close(fd);
	if (map == MAP_FAILED) {
		bad("size", "%llu bytes cannot be mapped", (unsigned long long)size);
	} else {
		memcpy(bytes, map, size);
		munmap(map, size + !size);
	}
	file = bytes;
	memset(sec, 0, sizeof(sec));
	ninst = 0;
	if (check_header() && check_toc()) {
		check_indoms();
		check_metrics();
		check_values();
		check_labels();
	}
	free(bytes);
}

int main(int argc, char **argv)
{
	int i;

	if (argc < 2) {
		fprintf(stderr, "usage: mmvcheck [-t] FILE...\n");
		return 2;
	}
	for (i = 1; i < argc; i++)
		if (!strcmp(argv[i], "-t"))
			tails = 1;
		else
			check(argv[i]);
	return faults != 0;
}
