/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * produce FILE NAME SLOTS: a producer in user space. Reads commands, a line
 * each, from standard input:
 *
 *	put N		N records on this thread's ring ("CPU 0")
 *	both N		N records on two rings, turn by turn
 *	rate N MS	N records, every so many ms one
 *	say TEXT	prints the text and the records made so far
 *	end		ends the file as a session does; also at the end of input
 *
 * Records have a number from 1 on, an id, a text and a double.
 */
#include <pthread.h>
#include <stdio.h>
#define MMV_THREADS 4u
#include "maker.h"

static u64 event, other, made;

static void put(void)
{
	double real = (double)made / 4;
	char text[300];
	u64 args[4];

	made++;
	snprintf(text, sizeof(text), "%s %llu", made % 10 ? "text" : "a text that is longer than its room", (unsigned long long)made);
	args[0] = made;
	args[1] = made % 7;
	args[2] = mmv_ring_stage(text);
	memcpy(&args[3], &real, 8);
	mmv_ring_put(event, 100 + made % 3, 4, args);
}

/* A second CPU, which does what it is told. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t told = PTHREAD_COND_INITIALIZER;
static u32 turn;
static void *second(void *arg)
{
	mmv_cpu();
	pthread_mutex_lock(&lock);
	for (;;) {
		while (!turn)
			pthread_cond_wait(&told, &lock);
		put();
		turn = 0;
		pthread_cond_broadcast(&told);
	}
	return arg;
}

static void both(u64 n)
{
	while (n-- > 0) {
		put();
		if (n-- == 0)
			break;
		pthread_mutex_lock(&lock);
		turn = 1;
		pthread_cond_broadcast(&told);
		while (turn)
			pthread_cond_wait(&told, &lock);
		pthread_mutex_unlock(&lock);
	}
}

static void rate(u64 n, u64 ms)
{
	while (n-- > 0) {
		put();
		usleep(ms * 1000);
	}
}

static void command(const char *line)
{
	unsigned long long n, ms;
	char text[100];

	if (sscanf(line, "put %llu", &n) == 1)
		while (n-- > 0)
			put();
	else if (sscanf(line, "both %llu", &n) == 1)
		both(n);
	else if (sscanf(line, "rate %llu %llu", &n, &ms) == 2)
		rate(n, ms);
	else if (sscanf(line, "say %99s", text) == 1)
		printf("%s %llu\n", text, (unsigned long long)made);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	static const struct make_param params[] = {
		{ "number", 3, 0x00100000, 0 }, { "id", 1, 0, 0 }, { "text", 6, 0, 24 }, { "real", 5, 0, 0 },
	};
	pthread_t thread;
	char line[200], name[4096];

	snprintf(name, sizeof(name), "%s.new", argv[1]);
	if (argc != 4 || !mmv_pool_up(name))
		return 2;
	mmv_cpu();
	make_begin(argv[2]);
	event = make_type("one", params, 4, strtoull(argv[3], NULL, 10));
	other = make_type("two", params, 0, 16);
	make_end();
	if (rename(name, argv[1]))
		return 2;
	pthread_create(&thread, NULL, second, NULL);
	while (fgets(line, sizeof(line), stdin) && strcmp(line, "end\n")) {
		command(line);
		if (made % 5 == 0)
			mmv_ring_put(other, 1, 0, NULL);
	}
	MMV_STORE_RELEASE(*(u64 *)(mmv_pool.base + MMV_EV_HDR_GENERATION), 0);
	if (argv[1][0] == '/')
		unlink(argv[1]);
	return 0;
}
