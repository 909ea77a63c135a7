/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * libpcp_mmv's operations in loops, for native.c.
 */
#include <pcp/pmapi.h>
#include <pcp/mmv_stats.h>

static mmv_registry_t *registry;
static pmAtomValue *counter, *text;
static void *map;
static char last[16];

void pcp_open(int metrics)
{
	pmUnits none = { 0 };
	char name[16];
	int i;

	registry = mmv_stats_registry("libpcp", 1100, MMV_FLAG_PROCESS);
	for (i = 0; i < metrics; i++) {
		snprintf(name, sizeof(name), "m%d", i);
		mmv_stats_add_metric(registry, name, i + 1, MMV_TYPE_U64, MMV_SEM_COUNTER, none, 0, NULL, NULL);
	}
	snprintf(last, sizeof(last), "m%d", metrics - 1);
	mmv_stats_add_metric(registry, "text", metrics + 1, MMV_TYPE_STRING, MMV_SEM_DISCRETE, none, 0, NULL, NULL);
	map = mmv_stats_start(registry);
	counter = mmv_lookup_value_desc(map, last, NULL);
	text = mmv_lookup_value_desc(map, "text", NULL);
	if (!counter || !text)
		exit(2);
}

void pcp_inc(int n)
{
	while (n-- > 0)
		mmv_inc(map, counter);
}

void pcp_set(int n)
{
	while (n-- > 0)
		mmv_set(map, counter, &n);
}

void pcp_set_string(int n)
{
	while (n-- > 0)
		mmv_set_string(map, text, "a text of middle length, say", 28);
}

void pcp_stats_inc(int n)
{
	while (n-- > 0)
		mmv_stats_inc(map, last, NULL);
}

long long pcp_value(void)
{
	return counter->ll;
}
