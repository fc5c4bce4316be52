// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// facade/rmr_calls.h: remote memory regions: windows on LMRs.
#pragma once

#include "facade/answer.h"
#include "facade/counting.h"
#include "facade/locked.h"
#include "facade/table.h"

namespace datum {

using LockedRmr = Locked<ObjectKind::MemoryWindow>;

template <class V>
[[gnu::always_inline]] inline DAT_RETURN rmr_create(DAT_PZ_HANDLE pz_handle,
                                                    DAT_RMR_HANDLE* rmr_handle) {
  const Locked<ObjectKind::ProtectionZone> zone(pz_handle);
  if (!zone) return invalid_handle<V>(Detail::HandlePz);
  if (rmr_handle == nullptr) return invalid_argument<V>(Detail::Arg2);
  const Result<MemoryWindow*> window = zone.adapter().create_window(*zone);
  if (!window) return encode<V>(window.error());
  *rmr_handle = (*window)->token();
  return DAT_SUCCESS;
}

template <class V>
[[gnu::always_inline]] inline DAT_RETURN rmr_query(DAT_RMR_HANDLE rmr_handle,
                                                   DAT_RMR_PARAM_MASK mask, DAT_RMR_PARAM* param) {
  LockedRmr rmr(rmr_handle);
  if (!rmr) return invalid_handle<V>(Detail::HandleRmr);
  if (const Status s = check_query(mask, DAT_RMR_FIELD_ALL, param); !s.ok()) return encode<V>(s);
  const MemoryWindow::Binding& binding = rmr->binding();
  param->pz_handle = rmr->zone().token();
  param->lmr_triplet = V::to_triplet(binding.range);
  param->mem_priv = static_cast<DAT_MEM_PRIV_FLAGS>(binding.access);
  param->rmr_context = binding.stag;
  V::describe(*rmr, *param);
  const Token ia = rmr.adapter().token();
  rmr.release();
  param->ia_handle = V::consumer_ia(ia);
  return DAT_SUCCESS;
}

// The arguments of dat_rmr_bind that all versions have, in their order.
struct BindArguments {
  DAT_RMR_HANDLE rmr;
  const DAT_LMR_TRIPLET* triplet;
  DAT_MEM_PRIV_FLAGS privileges;
  DAT_EP_HANDLE ep;
  DAT_RMR_COOKIE cookie;
  DAT_COMPLETION_FLAGS flags;
  DAT_RMR_CONTEXT* context;
  DAT_LMR_HANDLE lmr = DAT_HANDLE_NULL; // null: the triplet alone names the LMR
  Counting counting = Counting::FromAddress;
};

// Failures name an argument by its position in DAT 1.2. For `counting`, which DAT 1.2 lacks, they
// use this position.
inline constexpr Detail kCountingPosition = Detail::Arg8;

template <class V>
Status bind(const BindArguments& arguments) {
  const LockedRmr rmr(arguments.rmr);
  if (!rmr) return {Type::InvalidHandle, Detail::HandleRmr};
  const MemoryRegion* lmr = rmr.find<ObjectKind::MemoryRegion>(arguments.lmr);
  if (lmr == nullptr && arguments.lmr != DAT_HANDLE_NULL) {
    note_bad_handle(arguments.lmr, ObjectKind::MemoryRegion);
    return {Type::InvalidHandle, Detail::HandleLmr};
  }
  Endpoint* ep = rmr.find<ObjectKind::Endpoint>(arguments.ep);
  if (ep == nullptr) {
    note_bad_handle(arguments.ep, ObjectKind::Endpoint);
    return {Type::InvalidHandle, Detail::HandleEp};
  }
  if (arguments.triplet == nullptr) {
    note_value(arguments.triplet);
    return {Type::InvalidParameter, Detail::Arg2};
  }
  if (lmr != nullptr && arguments.triplet->segment_length != 0 &&
      lmr->local_stag() != arguments.triplet->lmr_context) {
    note_bits("lmr_triplet.lmr_context", arguments.triplet->lmr_context, "that of lmr_handle", "");
    return {Type::InvalidParameter, Detail::Arg2};
  }
  // Only the remote rights have a meaning for a window. But "all" is legal, too, as the manual says
  // (dat_rmr_bind).
  const Access access = arguments.privileges;
  if (access != kAllAccess && (access & ~(kRemoteRead | kRemoteWrite)) != 0) {
    note_bits("mem_privileges", access, "REMOTE_READ 0x2, REMOTE_WRITE 0x20, both, or all", "");
    return {Type::InvalidParameter, Detail::Arg3};
  }
  if (arguments.counting == Counting::Neither) return {Type::InvalidParameter, kCountingPosition};
  Stag stag = 0;
  const Status posted = ep->post_bind(
      *rmr, V::to_local(rmr.adapter().regions(), *arguments.triplet), access,
      bits(arguments.cookie), arguments.flags, stag, arguments.counting == Counting::FromZero);
  if (posted.ok() && arguments.context != nullptr) *arguments.context = stag;
  return posted;
}

template <class V>
[[gnu::always_inline]] inline DAT_RETURN rmr_free(DAT_RMR_HANDLE rmr_handle) {
  const LockedRmr rmr(rmr_handle);
  if (!rmr) return invalid_handle<V>(Detail::HandleRmr);
  return encode<V>(rmr.adapter().free(*rmr));
}

template <class V>
void enter_rmr_calls(typename V::Table& table) {
  table.rmr_create_func = &Shield<V, &rmr_create<V>, &calls::kRmrCreate>::call;
  table.rmr_query_func = &Shield<V, &rmr_query<V>, &calls::kRmrQuery>::call;
  table.rmr_bind_func = &Shield<V, &V::rmr_bind, &calls::kRmrBind>::call;
  table.rmr_free_func = &Shield<V, &rmr_free<V>, &calls::kRmrFree>::call;
}

} // namespace datum
