/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/*
 * <dat2/dat_vendor_specific.h>: a place for attributes that only one vendor's adapters know.
 * Lives here: nothing at present; the name exists because programs include it.
 */
#ifndef _DAT_VENDOR_SPECIFIC_H_
#define _DAT_VENDOR_SPECIFIC_H_

#endif /* _DAT_VENDOR_SPECIFIC_H_ */
