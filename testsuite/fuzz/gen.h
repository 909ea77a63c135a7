/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * Random calls from a seed.
 */
#ifndef FUZZ_GEN_H
#define FUZZ_GEN_H

#include "model.h"

void gen_seed(uint64_t seed);
unsigned gen_below(unsigned n);
int gen_declarations(long long reg, struct fuzz_call *to, int most);	/* for a file, mostly valid */
int gen_updates(struct fuzz_call *to, int most);
void gen_registry(struct fuzz_call *c);

#endif
