// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// facade/psp_calls.h: public service points.
#pragma once

#include "facade/answer.h"
#include "facade/ep_parts.h"
#include "facade/locked.h"
#include "facade/table.h"

namespace datum {

template <class V>
[[gnu::always_inline]] inline DAT_RETURN
create_psp(DAT_IA_HANDLE ia_handle, DAT_CONN_QUAL* qualifier, bool any, DAT_EVD_HANDLE evd_handle,
           DAT_PSP_FLAGS flags, DAT_PSP_HANDLE* psp_handle) {
  const Locked<ObjectKind::InterfaceAdapter> ia(ia_handle);
  if (!ia) return invalid_handle<V>(Detail::HandleIa);
  EvdFinder find(ia);
  EventDispatcher* evd = find.required(evd_handle, kEvdCr, Detail::HandleEvdCr);
  if (evd == nullptr) return encode<V>(find.status());
  if (qualifier == nullptr) return invalid_argument<V>(Detail::Arg2);
  if (psp_handle == nullptr) return invalid_argument<V>(Detail::Arg5);
  if (!any && *qualifier == 0) return invalid_argument<V>(Detail::Arg2, *qualifier);
  if (flags != DAT_PSP_CONSUMER_FLAG && flags != DAT_PSP_PROVIDER_FLAG)
    return invalid_argument<V>(Detail::Arg4, flags);
  const ConnQual wanted = any ? 0 : *qualifier;
  const Result<ServicePoint*> psp =
      ia->create_psp(any ? nullptr : &wanted, *evd, static_cast<ServicePoint::EpSource>(flags));
  if (!psp) return encode<V>(psp.error());
  *qualifier = (*psp)->qualifier();
  *psp_handle = (*psp)->token();
  return DAT_SUCCESS;
}

template <class V>
[[gnu::always_inline]] inline DAT_RETURN
psp_create(DAT_IA_HANDLE ia_handle, DAT_CONN_QUAL qualifier, DAT_EVD_HANDLE evd_handle,
           DAT_PSP_FLAGS flags, DAT_PSP_HANDLE* psp_handle) {
  return create_psp<V>(ia_handle, &qualifier, false, evd_handle, flags, psp_handle);
}

template <class V>
[[gnu::always_inline]] inline DAT_RETURN
psp_create_any(DAT_IA_HANDLE ia_handle, DAT_CONN_QUAL* qualifier, DAT_EVD_HANDLE evd_handle,
               DAT_PSP_FLAGS flags, DAT_PSP_HANDLE* psp_handle) {
  return create_psp<V>(ia_handle, qualifier, true, evd_handle, flags, psp_handle);
}

template <class V>
[[gnu::always_inline]] inline DAT_RETURN psp_query(DAT_PSP_HANDLE psp_handle,
                                                   DAT_PSP_PARAM_MASK mask, DAT_PSP_PARAM* param) {
  Locked<ObjectKind::PublicServicePoint> psp(psp_handle);
  if (!psp) return invalid_handle<V>(Detail::HandlePsp);
  if (const Status s = check_query(mask, DAT_PSP_FIELD_ALL, param); !s.ok()) return encode<V>(s);
  param->conn_qual = psp->qualifier();
  param->evd_handle = token_of(psp->evd());
  param->psp_flags = static_cast<DAT_PSP_FLAGS>(psp->ep_source());
  const Token ia = psp.adapter().token();
  psp.release();
  param->ia_handle = V::consumer_ia(ia);
  return DAT_SUCCESS;
}

template <class V>
[[gnu::always_inline]] inline DAT_RETURN psp_free(DAT_PSP_HANDLE psp_handle) {
  const Locked<ObjectKind::PublicServicePoint> psp(psp_handle);
  if (!psp) return invalid_handle<V>(Detail::HandlePsp);
  return encode<V>(psp.adapter().free(*psp));
}

template <class V>
void enter_psp_calls(typename V::Table& table) {
  table.psp_create_func = &Shield<V, &psp_create<V>, &calls::kPspCreate>::call;
  table.psp_create_any_func = &Shield<V, &psp_create_any<V>, &calls::kPspCreateAny>::call;
  table.psp_query_func = &Shield<V, &psp_query<V>, &calls::kPspQuery>::call;
  table.psp_free_func = &Shield<V, &psp_free<V>, &calls::kPspFree>::call;
}

} // namespace datum
