/* SPDX-License-Identifier: GPL-2.0-or-later
 *
 * What can be set with -D when a script is compiled, and what a kernel must be.
 * Whatever cannot work is refused here, while compiling, in plain words. Adding
 * 0 makes an empty option a 0.
 */
#ifndef MMV_OPTIONS_H
#define MMV_OPTIONS_H

#if !defined(CONFIG_64BIT)
#error "mmv: values are 64 bits wide and stored at once: only for 64-bit kernels"
#endif

/* Link commands and tables of units are strings of a script. */
#if MAXSTRINGLEN < 512
#error "mmv: -DMAXSTRINGLEN: at least 512"
#endif

#ifndef STP_MMV_POOL
#define STP_MMV_POOL	(4u << 20)
#endif
#if STP_MMV_POOL + 0 < 65536
#error "mmv: -DSTP_MMV_POOL: a number of bytes, at least 65536"
#elif STP_MMV_POOL + 0 > 4294967296
#error "mmv: -DSTP_MMV_POOL: at most 4294967296 bytes"
#endif

/* Changes of files shown a second, at most. */
#ifndef STP_MMV_RESCANS
#define STP_MMV_RESCANS	10
#endif
#if STP_MMV_RESCANS + 0 < 1 || STP_MMV_RESCANS + 0 > 1000000000
#error "mmv: -DSTP_MMV_RESCANS: 1 to 1000000000 a second"
#endif

/* Between two runs of mmv.export, and how long its handler may read. */
#ifndef STP_MMV_EXPORT_MS
#define STP_MMV_EXPORT_MS	1000
#endif
#ifndef STP_MMV_EXPORT_US
#define STP_MMV_EXPORT_US	300
#endif
#if STP_MMV_EXPORT_MS + 0 < 100 || STP_MMV_EXPORT_MS + 0 > 86400000
#error "mmv: -DSTP_MMV_EXPORT_MS: at least 100 milliseconds, at most 86400000"
#endif
#if STP_MMV_EXPORT_US + 0 < 1 || STP_MMV_EXPORT_US + 0 > 100000
#error "mmv: -DSTP_MMV_EXPORT_US: 1 to 100000 microseconds"
#endif

#endif /* MMV_OPTIONS_H */
