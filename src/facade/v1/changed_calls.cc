// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// facade/v1/changed_calls.cc: the calls whose arguments only DAT 1.2 has.
#include "facade/v1/traits.h"

#include "facade/cr_calls.h"
#include "facade/lmr_calls.h"
#include "facade/rmr_calls.h"

DAT_RETURN datum::V1::cr_reject(DAT_CR_HANDLE cr) {
  return reject<V1>(cr, 0, nullptr);
}

DAT_RETURN datum::V1::lmr_create(DAT_IA_HANDLE ia, DAT_MEM_TYPE type,
                                 DAT_REGION_DESCRIPTION description, DAT_VLEN length,
                                 DAT_PZ_HANDLE pz, DAT_MEM_PRIV_FLAGS privileges,
                                 DAT_LMR_HANDLE* lmr, DAT_LMR_CONTEXT* lmr_context,
                                 DAT_RMR_CONTEXT* rmr_context, DAT_VLEN* registered_size,
                                 DAT_VADDR* registered_address) {
  return create_lmr<V1>({ia,
                         type,
                         description,
                         length,
                         pz,
                         privileges,
                         lmr,
                         {lmr_context, rmr_context, registered_size, registered_address}},
                        Detail::Arg7);
}

DAT_RETURN datum::V1::rmr_bind(DAT_RMR_HANDLE rmr, const DAT_LMR_TRIPLET* lmr_triplet,
                               DAT_MEM_PRIV_FLAGS privileges, DAT_EP_HANDLE ep,
                               DAT_RMR_COOKIE cookie, DAT_COMPLETION_FLAGS flags,
                               DAT_RMR_CONTEXT* rmr_context) {
  return encode<V1>(bind<V1>({rmr, lmr_triplet, privileges, ep, cookie, flags, rmr_context}));
}
