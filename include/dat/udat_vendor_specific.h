/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * <dat/udat_vendor_specific.h>: a place for one vendor's attributes at user level.
 * Lives here: nothing at present. Named attributes (DAT_NAMED_ATTR) carry what our provider adds.
 */
#ifndef _UDAT_VENDOR_SPECIFIC_H_
#define _UDAT_VENDOR_SPECIFIC_H_

#include <dat/dat_vendor_specific.h>

#endif /* _UDAT_VENDOR_SPECIFIC_H_ */
