/* SPDX-License-Identifier: GPL-2.0-or-later
 * See README.
 */
#define STAP 397
