/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
 * tests/registry/both/part.h: the parts of a program, one for each DAT version: each opens "datum",
 * closes it, and returns what the open returned. */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif
__attribute__((visibility("default"))) unsigned part_of_dat1(void);
__attribute__((visibility("default"))) unsigned part_of_dat2(void);
#ifdef __cplusplus
}
#endif

#if defined(DAT_PART) && DAT_PART == 1
#define PART part_of_dat1
#else
#define PART part_of_dat2
#endif
