/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * <dat2/udat_config.h>: the API version that a program is compiled for.
 * Lives here: the three values that the dat_ia_open() macro hands to the registry; extensions.
 * Not here:   anything that depends on the platform.
 */
#ifndef _UDAT_CONFIG_H_
#define _UDAT_CONFIG_H_

#define DAT_VERSION_MAJOR 2
#define DAT_VERSION_MINOR 0

/*
 * Define DAT_THREADSAFE as DAT_TRUE before the first DAT header to ask the registry for an
 * entry marked "threadsafe".
 */
#ifndef DAT_THREADSAFE
#define DAT_THREADSAFE DAT_FALSE
#endif

/*
 * The extension interface, dat_extension_op(), is always declared. The macro exists because
 * programs ask for it.
 */
#ifndef DAT_EXTENSIONS
#define DAT_EXTENSIONS 1
#endif

#endif /* _UDAT_CONFIG_H_ */
