/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * mmvcheck [-t] FILE... - judges MMV files, strictly.
 *
 * Prints a line for each violation: the file, the rule's name, what is wrong.
 * With -t the file must also keep what the tapset promises beyond what PCP
 * needs. Exit status 0 when every file is clean, 1 when one is not, 2 when a
 * file cannot be mapped.
 */
#include <stdio.h>
#include <string.h>
#include "mmvcheck.h"

int main(int argc, char **argv)
{
	static struct file f;
	bool ours = false;
	unsigned findings = 0;
	int i;

	if (argc < 2) {
		fprintf(stderr, "usage: mmvcheck [-t] FILE...\n");
		return 2;
	}
	for (i = 1; i < argc; i++) {
		if (strcmp(argv[i], "-t") == 0) {
			ours = true;
			continue;
		}
		if (!file_open(&f, argv[i])) {
			perror(argv[i]);
			return 2;
		}
		f.ours = ours;
		findings += check_bytes(&f);
		file_close(&f);
	}
	return findings != 0;
}
