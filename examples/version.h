// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// version.h: the differences between DAT 1.2 and 2.0 that matter to the examples. dat2(7) lists all
// differences. A program that moves from one version to the other changes lines like these.
#ifndef DATUM_EXAMPLES_VERSION_H
#define DATUM_EXAMPLES_VERSION_H

#include "common.h"

#if DAT_VERSION_MAJOR == 1

static inline DAT_LMR_TRIPLET local_piece(DAT_LMR_CONTEXT context, DAT_VADDR start,
                                          DAT_VLEN length) {
  const DAT_LMR_TRIPLET piece = {context, 0, start, length};
  return piece;
}

static inline DAT_RMR_TRIPLET remote_piece(DAT_RMR_CONTEXT context, DAT_VADDR start,
                                           DAT_VLEN length) {
  const DAT_RMR_TRIPLET piece = {context, 0, start, length};
  return piece;
}

static inline DAT_RETURN create_lmr(DAT_IA_HANDLE ia, DAT_PZ_HANDLE pz, void* memory, DAT_VLEN size,
                                    DAT_MEM_PRIV_FLAGS privileges, DAT_LMR_HANDLE* lmr,
                                    DAT_LMR_CONTEXT* lmr_context, DAT_RMR_CONTEXT* rmr_context) {
  DAT_REGION_DESCRIPTION description;
  description.for_va = memory;
  return dat_lmr_create(ia, DAT_MEM_TYPE_VIRTUAL, description, size, pz, privileges, lmr,
                        lmr_context, rmr_context, NULL, NULL);
}

#else

// In DAT 2.0 a triplet has its members in another order, no padding, and a length of 32 bits.
static inline DAT_LMR_TRIPLET local_piece(DAT_LMR_CONTEXT context, DAT_VADDR start,
                                          DAT_VLEN length) {
  const DAT_LMR_TRIPLET piece = {start, (DAT_SEG_LENGTH)length, context};
  return piece;
}

static inline DAT_RMR_TRIPLET remote_piece(DAT_RMR_CONTEXT context, DAT_VADDR start,
                                           DAT_VLEN length) {
  const DAT_RMR_TRIPLET piece = {start, (DAT_SEG_LENGTH)length, context};
  return piece;
}

// DAT 2.0 has one argument more. It says whether triplets for this memory have our addresses, as in
// DAT 1.2, or addresses that count from 0.
static inline DAT_RETURN create_lmr(DAT_IA_HANDLE ia, DAT_PZ_HANDLE pz, void* memory, DAT_VLEN size,
                                    DAT_MEM_PRIV_FLAGS privileges, DAT_LMR_HANDLE* lmr,
                                    DAT_LMR_CONTEXT* lmr_context, DAT_RMR_CONTEXT* rmr_context) {
  DAT_REGION_DESCRIPTION description;
  description.for_va = memory;
  return dat_lmr_create(ia, DAT_MEM_TYPE_VIRTUAL, description, size, pz, privileges, DAT_VA_TYPE_VA,
                        lmr, lmr_context, rmr_context, NULL, NULL);
}

#endif
#endif
