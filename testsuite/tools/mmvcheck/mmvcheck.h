/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * mmvcheck judges MMV files: what the parts of the checker share.
 *
 * The rules come from mmv(5) and from what pmdammv accepts, ignores or dies
 * of. The checker shares nothing with the tapset. There are two sets of rules:
 * what PCP needs from any writer (fault), and what the tapset promises beyond
 * that (unkept). The second set counts with -t only.
 */
#ifndef MMVCHECK_H
#define MMVCHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Sizes of records, see mmv(5). */
enum {
	HEADER_BYTES = 40, TOC_BYTES = 16, INDOM_BYTES = 32, VALUE_BYTES = 32,
	STRING_BYTES = 256, LABEL_BYTES = 256, PAYLOAD_BYTES = 244, NAME1_BYTES = 64,
};

/* Types of sections. */
enum { INDOMS = 1, INSTANCES, METRICS, VALUES, STRINGS, LABELS, SECTIONS };

/* Types of metrics. */
enum { NOSUPPORT = -1, I32, U32, I64, U64, FLOAT, DOUBLE, STRING, ELAPSED = 9 };

/* Flags of the header. */
enum { NOPREFIX = 1, PROCESS = 2, SENTINEL = 4 };

enum {
	MAX_METRICS = 1023, MAX_ITEM = 1023, MAX_LABELS = 255, MAX_CLUSTER = 4095,
	MAX_SERIAL = 2047, MAX_INDOM_CLUSTER = 2047, MAX_TOCS = 4100,
	MAX_FINDINGS = 50,		/* printed for a file; the rest is counted */
};

struct section { uint64_t at; uint32_t count; };

struct header {
	uint32_t version, tocs, flags, cluster;
	int32_t process;
	uint64_t generation1, generation2;
};

/* The bytes are a private copy, so nothing changes while it is judged. */
struct file {
	const char *path;
	const unsigned char *bytes;
	uint64_t size;
	bool ours;				/* -t */
	unsigned findings;
	struct header header;
	struct section section[SECTIONS];	/* the one of each type, but instances */
	struct section instances[MAX_TOCS];
	unsigned instance_sections;
	unsigned char *use;			/* of each string entry, enum use */
};

/* What a string entry is used for. A value changes, so its text is its own. */
enum use { UNUSED = 0, FIXED_TEXT = 1, CHANGING_TEXT = 2 };

/* Records, decoded. A field outside the file reads as 0; texts are NULL when
 * they do not end inside their field.
 */
struct indom { uint64_t at; uint32_t serial, count; uint64_t first, oneline, help; };
struct instance { uint64_t at, indom; uint32_t padding; int32_t id; uint64_t name_at; const char *name; };
struct metric {
	uint64_t at, name_at;
	const char *name;
	uint32_t item, semantics, units, serial, padding;
	int32_t type;
	uint64_t oneline, help;
};
struct value { uint64_t at, bits, metric, instance; int64_t extra; };
struct label { uint64_t at; uint32_t flags, identity; int32_t instance; const char *payload; };

/* file.c */
bool file_open(struct file *f, const char *path);
void file_close(struct file *f);
bool inside(const struct file *f, uint64_t at, uint64_t bytes);
uint32_t u32(const struct file *f, uint64_t at);
uint64_t u64(const struct file *f, uint64_t at);
const char *text_at(const struct file *f, uint64_t at, uint64_t bytes);
void fault(struct file *f, const char *rule, const char *format, ...) __attribute__((format(printf, 3, 4)));
void unkept(struct file *f, const char *rule, const char *format, ...) __attribute__((format(printf, 3, 4)));
void findings_end(struct file *f);

/* records.c */
uint32_t instance_bytes(const struct file *f);
uint32_t metric_bytes(const struct file *f);
struct indom indom_at(const struct file *f, uint64_t at);
struct instance instance_at(const struct file *f, uint64_t at);
struct metric metric_at(const struct file *f, uint64_t at);
struct value value_at(const struct file *f, uint64_t at);
struct label label_at(const struct file *f, uint64_t at);
uint64_t nth_indom(const struct file *f, uint32_t i);
uint64_t nth_metric(const struct file *f, uint32_t i);
bool has_instances(const struct metric *m);
bool find_indom(const struct file *f, uint32_t serial, struct indom *found);
bool find_instance(const struct file *f, const struct indom *d, int32_t id, struct instance *found);
bool is_entry(const struct section *s, uint32_t bytes, uint64_t at);

/* text.c */
bool is_utf8(const char *s);
bool has_control(const char *s, const char *allowed);
bool is_metric_name(const char *s);
const char *string_entry(struct file *f, const char *rule, uint64_t at, const char *what, enum use use);
void check_tail(struct file *f, uint64_t at, uint64_t bytes, const char *what);
void check_help(struct file *f, uint64_t oneline, uint64_t help);
void check_strings(struct file *f);

/* json.c: what follows the JSON value, RFC 8259, that begins there, or NULL. */
const char *json_value(const char *s, int depth);
const char *json_string(const char *s);

/* One function for each kind of record. */
bool check_header(struct file *f);
bool check_toc(struct file *f);
void check_indoms(struct file *f);
void check_metrics(struct file *f);
void check_values(struct file *f);
void check_labels(struct file *f);

/* check.c: judges the file's bytes; how many findings. */
unsigned check_bytes(struct file *f);

#endif
