// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// facade/rmr_calls.h: remote memory regions: windows on LMRs.
#pragma once

#include "facade/answer.h"
#include "facade/locked.h"
#include "facade/table.h"

namespace datum {

using LockedRmr = Locked<ObjectKind::MemoryWindow>;

template <class V>
DAT_RETURN rmr_create(DAT_PZ_HANDLE pz_handle, DAT_RMR_HANDLE* rmr_handle) {
  const Locked<ObjectKind::ProtectionZone> zone(pz_handle);
  if (!zone) return invalid_handle<V>(Detail::HandlePz);
  if (rmr_handle == nullptr) return invalid_argument<V>(Detail::Arg2);
  const Result<MemoryWindow*> window = zone.adapter().create_window(*zone);
  if (!window) return encode<V>(window.error());
  *rmr_handle = (*window)->token();
  return DAT_SUCCESS;
}

template <class V>
DAT_RETURN rmr_query(DAT_RMR_HANDLE rmr_handle, DAT_RMR_PARAM_MASK mask, DAT_RMR_PARAM* param) {
  LockedRmr rmr(rmr_handle);
  if (!rmr) return invalid_handle<V>(Detail::HandleRmr);
  if (const Status s = check_query(mask, DAT_RMR_FIELD_ALL, param); !s.ok()) return encode<V>(s);
  const MemoryWindow::Binding& binding = rmr->binding();
  param->pz_handle = rmr->zone().token();
  param->lmr_triplet = V::to_triplet(binding.range);
  param->mem_priv = static_cast<DAT_MEM_PRIV_FLAGS>(binding.access);
  param->rmr_context = binding.stag;
  const Token ia = rmr.adapter().token();
  rmr.release();
  param->ia_handle = V::consumer_ia(ia);
  return DAT_SUCCESS;
}

template <class V>
DAT_RETURN rmr_bind(DAT_RMR_HANDLE rmr_handle, const DAT_LMR_TRIPLET* lmr_triplet,
                    DAT_MEM_PRIV_FLAGS privileges, DAT_EP_HANDLE ep_handle, DAT_RMR_COOKIE cookie,
                    DAT_COMPLETION_FLAGS flags, DAT_RMR_CONTEXT* rmr_context) {
  const LockedRmr rmr(rmr_handle);
  if (!rmr) return invalid_handle<V>(Detail::HandleRmr);
  Endpoint* ep = rmr.find<ObjectKind::Endpoint>(ep_handle);
  if (ep == nullptr) return invalid_handle<V>(Detail::HandleEp);
  if (lmr_triplet == nullptr) return invalid_argument<V>(Detail::Arg2);
  // Only the remote rights mean anything; "all" is named as legal, too (dat_rmr_bind).
  const Access access = privileges;
  if (access != kAllAccess && (access & ~(kRemoteRead | kRemoteWrite)) != 0)
    return invalid_argument<V>(Detail::Arg3);
  Stag stag = 0;
  const Status posted =
      ep->post_bind(*rmr, V::local(lmr_triplet, 1).front(), access, bits(cookie), flags, stag);
  if (posted.ok() && rmr_context != nullptr) *rmr_context = stag;
  return encode<V>(posted);
}

template <class V>
DAT_RETURN rmr_free(DAT_RMR_HANDLE rmr_handle) {
  const LockedRmr rmr(rmr_handle);
  if (!rmr) return invalid_handle<V>(Detail::HandleRmr);
  return encode<V>(rmr.adapter().free(*rmr));
}

template <class V>
void enter_rmr_calls(typename V::Table& table) {
  table.rmr_create_func = &Shield<V, &rmr_create<V>>::call;
  table.rmr_query_func = &Shield<V, &rmr_query<V>>::call;
  table.rmr_bind_func = &Shield<V, &rmr_bind<V>>::call;
  table.rmr_free_func = &Shield<V, &rmr_free<V>>::call;
}

} // namespace datum
