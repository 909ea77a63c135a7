/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * replay FILE... - has the PMDA in this process read captured states, one after
 * the other, all there is: names, descriptions, values, instances, help,
 * labels. Whether that is right was judged when they were captured; this is for
 * valgrind. A state's file is NUMBER.NAME and becomes $PCP_TMP_DIR/mmv/NAME.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <fcntl.h>
#include <time.h>
#include <pcp/pmapi.h>
#include "judge.h"

static unsigned long metrics, values, texts, labels;

static void count_labels(int n, pmLabelSet **of)
{
	pmLabelSet *sets = *of;

	if (n <= 0)
		return;
	for (int i = 0; i < n; i++)
		labels += sets[i].nlabels > 0 ? sets[i].nlabels : 0;
	pmFreeLabelSets(sets, n);
}

static void read_metric(const char *name, void *arg)
{
	pmLabelSet *sets = NULL;
	pmResult *result;
	pmDesc desc;
	char *text, **instances;
	int *ids, n;
	pmID id;

	(void)arg;
	if (pmLookupName(1, &name, &id) != 1 || pmLookupDesc(id, &desc) < 0)
		return;
	metrics++;
	if (pmFetch(1, &id, &result) >= 0) {
		for (int i = 0; i < result->vset[0]->numval; i++) {
			pmValueSet *set = result->vset[0];
			pmAtomValue a;

			if (pmExtractValue(set->valfmt, &set->vlist[i], desc.type, &a, desc.type) >= 0) {
				values++;
				if (desc.type == PM_TYPE_STRING)
					free(a.cp);
			}
		}
		pmFreeResult(result);
	}
	for (int kind = 0; kind < 2; kind++)
		if (pmLookupText(id, kind ? PM_TEXT_HELP : PM_TEXT_ONELINE, &text) >= 0) {
			texts += *text != 0;
			free(text);
		}
	count_labels(pmGetClusterLabels(id, &sets), &sets);
	count_labels(pmGetItemLabels(id, &sets), &sets);
	if (desc.indom == PM_INDOM_NULL)
		return;
	n = pmGetInDom(desc.indom, &ids, &instances);
	if (n > 0) {
		free(ids);
		free(instances);
	}
	count_labels(pmGetInDomLabels(desc.indom, &sets), &sets);
	count_labels(pmGetInstancesLabels(desc.indom, &sets), &sets);
}

static void copy(const char *from, const char *to)
{
	static char page[4096];
	int in = open(from, O_RDONLY), out = open(to, O_WRONLY | O_CREAT | O_TRUNC, 0644);
	ssize_t n;

	while ((n = read(in, page, sizeof(page))) > 0)
		if (write(out, page, n) != n)
			perror(to);
	close(in);
	close(out);
}

int main(int argc, char **argv)
{
	const char *dir = getenv("PCP_TMP_DIR"), *pmda = getenv("FUZZ_PMDA");
	char path[512], links[256];
	int i;

	if (!dir || !pmda)
		return 2;
	snprintf(links, sizeof(links), "%s/mmv", dir);
	judge_open(pmda);
	for (i = 1; i < argc; i++) {
		const char *name = strrchr(argv[i], '/');
		struct timespec t[2];

		name = strchr(name ? name : argv[i], '.');
		if (!name)
			continue;
		snprintf(path, sizeof(path), "%s/%s", links, name + 1);
		copy(argv[i], path);
		clock_gettime(CLOCK_REALTIME, &t[0]);
		t[1] = t[0];
		utimensat(AT_FDCWD, links, t, 0);
		pmTraversePMNS_r("mmv", read_metric, NULL);
		unlink(path);
	}
	printf("replay: %d states, %lu metrics, %lu values, %lu texts, %lu labels\n", argc - 1, metrics, values, texts, labels);
	return metrics == 0;
}
