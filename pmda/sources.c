/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Which event files there are. Sessions show them as /proc/mmv_MODULE/NUMBER;
 * programs may put files NAME.events into a directory. A look into a directory
 * is the same for both: whatever is not an event file is passed over.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "stap.h"

const char *sources_directory;
uint64_t sources_refused;
char sources_refusal[512];

static struct evfile *files[MAX_FILES];
static unsigned count;
static int changed;

uint64_t sources_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

unsigned sources_count(void)
{
	return count;
}

struct evfile *sources_file(unsigned i)
{
	return files[i];
}

void sources_release(struct evfile *f)
{
	f->users--;
	if (f->users == 0)
		evfile_close(f);
}

/* Counts and logs a refusal, the same one once: directories are looked into
 * every second.
 */
static void refuse(const char *path, const char *why)
{
	static char said[16][sizeof(sources_refusal)];
	static unsigned next;
	char *text = sources_refusal;
	unsigned i;

	snprintf(text, sizeof(sources_refusal), "%.200s: %.250s", path, why);
	for (i = 0; i < sizeof(said) / sizeof(*said); i++)
		if (!strcmp(text, said[i]))
			return;
	memcpy(said[next++ % (sizeof(said) / sizeof(*said))], text, sizeof(sources_refusal));
	sources_refused++;
	pmNotifyErr(LOG_WARNING, "%s", text);
}

void sources_corrupt(struct evfile *f)
{
	if (f->corrupt)
		return;
	f->corrupt = 1;
	f->over = 1;
	changed = 1;
	refuse(f->path, "its rings are corrupt or cannot be read any more; it is not read again");
}

/* Is this file known and alive? A corrupt one is not tried again. */
static int is_known(const char *path)
{
	unsigned i;

	for (i = 0; i < count; i++)
		if (!strcmp(files[i]->path, path) && (!files[i]->over || files[i]->corrupt))
			return 1;
	return 0;
}

static int find_name(const char *name)
{
	unsigned i;

	for (i = 0; i < count; i++)
		if (!strcmp(files[i]->name, name))
			return i;
	return -1;
}

/* Adds a file, or puts it where its predecessor of that name was. */
static void add(struct evfile *f)
{
	int i = find_name(f->name);
	char why[200];

	if (i >= 0 && !files[i]->over) {
		snprintf(why, sizeof(why), "'%s' is the name of %.100s already", f->name, files[i]->path);
		refuse(f->path, why);
		evfile_close(f);
		return;
	}
	if (i < 0 && count == MAX_FILES) {
		refuse(f->path, "there are too many event files");
		evfile_close(f);
		return;
	}
	f->users = 1;
	changed = 1;
	if (i >= 0) {
		sources_release(files[i]);
		files[i] = f;
		return;
	}
	files[count++] = f;
}

static void try(const char *path)
{
	char why[400];
	struct evfile *f;

	if (is_known(path))
		return;
	f = evfile_open(path, why, sizeof(why));
	if (f)
		add(f);
	else if (why[0])
		refuse(path, why);
}

static int is_number(const char *name)
{
	return name[0] && name[strspn(name, "0123456789")] == '\0';
}

static int is_event_name(const char *name)
{
	size_t n = strlen(name);

	return n > 7 && !strcmp(name + n - 7, ".events");
}

/* Tries the files of a directory that have such a name. */
static void look_into(const char *directory, int (*is_it)(const char *))
{
	DIR *dir = opendir(directory);
	char path[PATH_MAX];
	struct dirent *entry;

	if (!dir)
		return;
	while ((entry = readdir(dir)) != NULL) {
		if (!is_it(entry->d_name))
			continue;
		if (snprintf(path, sizeof(path), "%s/%s", directory, entry->d_name) < (int)sizeof(path))
			try(path);
	}
	closedir(dir);
}

/* The kernel lists processes behind everything else. */
static void look_into_proc(void)
{
	DIR *dir = opendir("/proc");
	char path[PATH_MAX];
	struct dirent *entry;

	if (!dir)
		return;
	while ((entry = readdir(dir)) != NULL && !is_number(entry->d_name)) {
		if (strncmp(entry->d_name, "mmv_", 4))
			continue;
		if (snprintf(path, sizeof(path), "/proc/%s", entry->d_name) < (int)sizeof(path))
			look_into(path, is_number);
	}
	closedir(dir);
}

/* A file that is over stays until its clients have read what it has left. */
static void drop_over(void)
{
	unsigned i = 0;

	while (i < count) {
		evfile_look(files[i]);
		if (!files[i]->over || (!files[i]->corrupt && clients_wait_for(files[i]))) {
			i++;
			continue;
		}
		if (files[i]->corrupt && access(files[i]->path, F_OK) == 0) {
			i++;		/* remembered, so that it is not tried again */
			continue;
		}
		sources_release(files[i]);
		files[i] = files[--count];
		changed = 1;
	}
}

int sources_scan(void)
{
	static uint64_t last;
	uint64_t now = sources_now();
	int was;

	if (last && now - last < 1000000000)
		return 0;
	last = now;
	drop_over();
	look_into_proc();
	if (sources_directory)
		look_into(sources_directory, is_event_name);
	was = changed;
	changed = 0;
	return was;
}

/* Which of a file's events somebody has registered for. */
static uint32_t wanted_of(const struct evfile *f)
{
	uint32_t mask = 0;
	unsigned t;

	for (t = 0; t < f->types; t++) {
		struct event *one = names_event(f->type[t].cluster);

		if (one && one->f == f && clients_count(one))
			mask |= 1u << f->type[t].number;
	}
	return mask;
}

/* The producer forgets what it is told after some seconds, so this is said
 * again and again, and nobody need say that nothing is wanted.
 */
static void tell(const struct evfile *f, uint32_t mask)
{
	char path[sizeof("/proc/systemtap//mmv_events") + MMV_EV_NAME_BYTES], text[20];
	int fd, n;

	/* The module's name is letters, digits and _ (evcheck.c). */
	snprintf(path, sizeof(path), "/proc/systemtap/%s/mmv_events", f->module);
	fd = open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC);
	if (fd < 0) {
		refuse(path, strerror(errno));
		return;
	}
	n = snprintf(text, sizeof(text), "%x\n", mask);
	if (write(fd, text, n) != n)
		refuse(path, strerror(errno));
	close(fd);
}

void sources_tell(void)
{
	static uint64_t last;
	static unsigned changes;
	uint64_t now = sources_now();
	unsigned i;

	if (changes == clients_changes && now - last < 2000000000)
		return;
	last = now;
	changes = clients_changes;
	for (i = 0; i < count; i++) {
		uint32_t mask = files[i]->over ? 0 : wanted_of(files[i]);

		if (mask && files[i]->control && files[i]->memory)
			tell(files[i], mask);
	}
}
