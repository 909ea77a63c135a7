/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Judging what is published.
 */
#ifndef FUZZ_JUDGE_H
#define FUZZ_JUDGE_H

#include <stddef.h>

int judge_is_json(const char *text);

void judge_find(const char *in, const char *begins, char *to, size_t size);
void judge_open(const char *dir);		/* the PMDA, reading $PCP_TMP_DIR/mmv */
void *judge_map(const char *path, size_t *size);	/* NULL when it cannot be mapped */
int judge_shows(const char *path);		/* is there something? */
int judge_bytes(const char *path);		/* strict checker; number of faults */
/* Through the PMDA, against the model: all names; then all PMIDs and values, and
 * the rest of this registry's file, or of all (-1), or of none (FILES + 1).
 */
int judge_readers(int whole);

#endif
