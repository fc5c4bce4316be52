// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// facade/rsp_calls.h: reserved service points.
#pragma once

#include "facade/answer.h"
#include "facade/ep_parts.h"
#include "facade/locked.h"
#include "facade/table.h"

namespace datum {

template <class V>
[[gnu::always_inline]] inline DAT_RETURN
rsp_create(DAT_IA_HANDLE ia_handle, DAT_CONN_QUAL qualifier, DAT_EP_HANDLE ep_handle,
           DAT_EVD_HANDLE evd_handle, DAT_RSP_HANDLE* rsp_handle) {
  const Locked<ObjectKind::InterfaceAdapter> ia(ia_handle);
  if (!ia) return invalid_handle<V>(Detail::HandleIa);
  // If the consumer passes no EP, the provider makes an EP when the request arrives (decision 19).
  Endpoint* ep = ia.find<ObjectKind::Endpoint>(ep_handle);
  if (ep == nullptr && ep_handle != DAT_HANDLE_NULL)
    return invalid_handle<V>(Detail::HandleEp, ep_handle, ObjectKind::Endpoint);
  EvdFinder find(ia);
  EventDispatcher* evd = find.required(evd_handle, kEvdCr, Detail::HandleEvdCr);
  if (evd == nullptr) return encode<V>(find.status());
  if (rsp_handle == nullptr) return invalid_argument<V>(Detail::Arg5);
  if (qualifier == 0) return invalid_argument<V>(Detail::Arg2, qualifier);
  const Result<ServicePoint*> rsp = ia->create_rsp(qualifier, ep, *evd);
  if (!rsp) return encode<V>(rsp.error());
  *rsp_handle = (*rsp)->token();
  return DAT_SUCCESS;
}

template <class V>
[[gnu::always_inline]] inline DAT_RETURN rsp_query(DAT_RSP_HANDLE rsp_handle,
                                                   DAT_RSP_PARAM_MASK mask, DAT_RSP_PARAM* param) {
  Locked<ObjectKind::ReservedServicePoint> rsp(rsp_handle);
  if (!rsp) return invalid_handle<V>(Detail::HandleRsp);
  if (const Status s = check_query(mask, DAT_RSP_FIELD_ALL, param); !s.ok()) return encode<V>(s);
  param->conn_qual = rsp->qualifier();
  param->evd_handle = token_of(rsp->evd());
  param->ep_handle = token_of(rsp->endpoint());
  const Token ia = rsp.adapter().token();
  rsp.release();
  param->ia_handle = V::consumer_ia(ia);
  return DAT_SUCCESS;
}

template <class V>
[[gnu::always_inline]] inline DAT_RETURN rsp_free(DAT_RSP_HANDLE rsp_handle) {
  const Locked<ObjectKind::ReservedServicePoint> rsp(rsp_handle);
  if (!rsp) return invalid_handle<V>(Detail::HandleRsp);
  return encode<V>(rsp.adapter().free(*rsp));
}

template <class V>
void enter_rsp_calls(typename V::Table& table) {
  table.rsp_create_func = &Shield<V, &rsp_create<V>, &calls::kRspCreate>::call;
  table.rsp_query_func = &Shield<V, &rsp_query<V>, &calls::kRspQuery>::call;
  table.rsp_free_func = &Shield<V, &rsp_free<V>, &calls::kRspFree>::call;
}

} // namespace datum
