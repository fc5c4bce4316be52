/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * <dat/udat_config.h>: the API version that a program is compiled for.
 * Lives here: the three values that the dat_ia_open() macro hands to the registry.
 * Not here:   anything that depends on the platform.
 */
#ifndef _UDAT_CONFIG_H_
#define _UDAT_CONFIG_H_

#define DAT_VERSION_MAJOR 1
#define DAT_VERSION_MINOR 2

/*
 * Define DAT_THREADSAFE as DAT_TRUE before the first DAT header to ask the registry for an
 * entry marked "threadsafe".
 */
#ifndef DAT_THREADSAFE
#define DAT_THREADSAFE DAT_FALSE
#endif

#endif /* _UDAT_CONFIG_H_ */
