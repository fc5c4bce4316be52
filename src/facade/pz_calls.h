// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// facade/pz_calls.h: protection zones.
#pragma once

#include "facade/answer.h"
#include "facade/locked.h"
#include "facade/table.h"

namespace datum {

template <class V>
[[gnu::always_inline]] inline DAT_RETURN pz_create(DAT_IA_HANDLE ia_handle,
                                                   DAT_PZ_HANDLE* pz_handle) {
  const Locked<ObjectKind::InterfaceAdapter> ia(ia_handle);
  if (!ia) return invalid_handle<V>(Detail::HandleIa);
  if (pz_handle == nullptr) return invalid_argument<V>(Detail::Arg2);
  const Result<ProtectionZone*> zone = ia->create_zone();
  if (!zone) return encode<V>(zone.error());
  *pz_handle = (*zone)->token();
  return DAT_SUCCESS;
}

template <class V>
[[gnu::always_inline]] inline DAT_RETURN pz_query(DAT_PZ_HANDLE pz_handle, DAT_PZ_PARAM_MASK mask,
                                                  DAT_PZ_PARAM* param) {
  Locked<ObjectKind::ProtectionZone> zone(pz_handle);
  if (!zone) return invalid_handle<V>(Detail::HandlePz);
  if (const Status s = check_query(mask, DAT_PZ_FIELD_ALL, param); !s.ok()) return encode<V>(s);
  const Token ia = zone.adapter().token();
  zone.release();
  param->ia_handle = V::consumer_ia(ia);
  return DAT_SUCCESS;
}

template <class V>
[[gnu::always_inline]] inline DAT_RETURN pz_free(DAT_PZ_HANDLE pz_handle) {
  const Locked<ObjectKind::ProtectionZone> zone(pz_handle);
  if (!zone) return invalid_handle<V>(Detail::HandlePz);
  return encode<V>(zone.adapter().free(*zone));
}

template <class V>
void enter_pz_calls(typename V::Table& table) {
  table.pz_create_func = &Shield<V, &pz_create<V>, &calls::kPzCreate>::call;
  table.pz_query_func = &Shield<V, &pz_query<V>, &calls::kPzQuery>::call;
  table.pz_free_func = &Shield<V, &pz_free<V>, &calls::kPzFree>::call;
}

} // namespace datum
