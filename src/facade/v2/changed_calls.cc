// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// facade/v2/changed_calls.cc: the calls that have other arguments in DAT 2.0 than in DAT 1.2.
#include "facade/v2/traits.h"

#include "facade/cr_calls.h"
#include "facade/lmr_calls.h"
#include "facade/rmr_calls.h"

namespace datum {
namespace {

// The position of an argument of dat_rmr_bind in 2.0, which added two arguments.
Detail position_since_2(Detail in_1) {
  switch (in_1) {
  case Detail::Arg2: return Detail::Arg3; // lmr_triplet
  case Detail::Arg3: return Detail::Arg4; // mem_privileges
  case Detail::Arg5: return Detail::Arg7; // user_cookie
  case Detail::Arg6: return Detail::Arg8; // completion_flags
  case kCountingPosition: return Detail::Arg5;
  default: return in_1;
  }
}

Counting to_counting(DAT_VA_TYPE type) {
  switch (type) {
  case DAT_VA_TYPE_VA: return Counting::FromAddress;
  case DAT_VA_TYPE_ZB: return Counting::FromZero;
  default: return Counting::Neither;
  }
}

} // namespace

DAT_RETURN V2::cr_reject(DAT_CR_HANDLE cr, DAT_COUNT data_size, const DAT_PVOID data) {
  return reject<V2>(cr, data_size, data);
}

DAT_RETURN V2::lmr_create(DAT_IA_HANDLE ia, DAT_MEM_TYPE type, DAT_REGION_DESCRIPTION description,
                          DAT_VLEN length, DAT_PZ_HANDLE pz, DAT_MEM_PRIV_FLAGS privileges,
                          DAT_VA_TYPE va_type, DAT_LMR_HANDLE* lmr, DAT_LMR_CONTEXT* lmr_context,
                          DAT_RMR_CONTEXT* rmr_context, DAT_VLEN* registered_size,
                          DAT_VADDR* registered_address) {
  const DAT_RETURN created =
      create_lmr<V2>({ia,
                      type,
                      description,
                      length,
                      pz,
                      privileges,
                      lmr,
                      {lmr_context, rmr_context, registered_size, registered_address},
                      to_counting(va_type)},
                     Detail::Arg8);
  if (created == invalid_argument<V2>(Detail::Arg7)) note_value(va_type);
  return created;
}

DAT_RETURN V2::rmr_bind(DAT_RMR_HANDLE rmr, DAT_LMR_HANDLE lmr, const DAT_LMR_TRIPLET* lmr_triplet,
                        DAT_MEM_PRIV_FLAGS privileges, DAT_VA_TYPE va_type, DAT_EP_HANDLE ep,
                        DAT_RMR_COOKIE cookie, DAT_COMPLETION_FLAGS flags,
                        DAT_RMR_CONTEXT* rmr_context) {
  const Status bound = bind<V2>(
      {rmr, lmr_triplet, privileges, ep, cookie, flags, rmr_context, lmr, to_counting(va_type)});
  const DAT_RETURN answer = encode<V2>({bound.type(), position_since_2(bound.detail())});
  if (to_counting(va_type) == Counting::Neither && answer == invalid_argument<V2>(Detail::Arg5))
    note_value(va_type);
  return answer;
}

} // namespace datum
