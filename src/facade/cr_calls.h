// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// facade/cr_calls.h: connection requests.
#pragma once

#include "facade/address.h"
#include "facade/answer.h"
#include "facade/locked.h"
#include "facade/table.h"

namespace datum {

using LockedCr = Locked<ObjectKind::ConnectionRequest>;

template <class V>
[[gnu::always_inline]] inline DAT_RETURN cr_query(DAT_CR_HANDLE cr_handle, DAT_CR_PARAM_MASK mask,
                                                  DAT_CR_PARAM* param) {
  const LockedCr cr(cr_handle);
  if (!cr) return invalid_handle<V>(Detail::HandleCr);
  if (const Status s = check_query(mask, DAT_CR_FIELD_ALL, param); !s.ok()) return encode<V>(s);
  const PrivateData data = cr->private_data();
  param->remote_ia_address_ptr = to_sockaddr(cr->remote_address());
  param->remote_port_qual = cr->remote_port();
  param->private_data_size = static_cast<DAT_COUNT>(data.size());
  param->private_data =
      data.empty() ? nullptr : static_cast<void*>(const_cast<std::byte*>(data.data()));
  param->local_ep_handle = token_of(cr->endpoint());
  return DAT_SUCCESS;
}

template <class V>
[[gnu::always_inline]] inline DAT_RETURN cr_accept(DAT_CR_HANDLE cr_handle, DAT_EP_HANDLE ep_handle,
                                                   DAT_COUNT data_size, const DAT_PVOID data) {
  const LockedCr cr(cr_handle);
  if (!cr) return invalid_handle<V>(Detail::HandleCr);
  Endpoint* ep = cr.find<ObjectKind::Endpoint>(ep_handle);
  const bool has_own = cr->endpoint() != nullptr;
  const bool bad = ep == nullptr && ep_handle != DAT_HANDLE_NULL;
  if (bad) return invalid_handle<V>(Detail::HandleEp, ep_handle, ObjectKind::Endpoint);
  if (has_own == (ep != nullptr)) {
    name_cause("ep_handle", has_own ? "an EP" : "null",
               has_own ? "null, since the request brought its EP" : "an EP");
    return invalid_handle<V>(Detail::HandleEp);
  }
  if (const Status s = check_private_data(data_size, data, cr.adapter().limits().max_private_data,
                                          Detail::Arg3, Detail::Arg4);
      !s.ok())
    return encode<V>(s);
  const Status accepted = cr->accept(ep, private_data(data_size, data));
  if (accepted.ok()) cr.adapter().consume(*cr);
  return encode<V>(accepted);
}

template <class V>
[[gnu::always_inline]] inline DAT_RETURN reject(DAT_CR_HANDLE cr_handle, DAT_COUNT data_size,
                                                const DAT_PVOID data) {
  const LockedCr cr(cr_handle);
  if (!cr) return invalid_handle<V>(Detail::HandleCr);
  if (const Status s = check_private_data(data_size, data, cr.adapter().limits().max_private_data,
                                          Detail::Arg2, Detail::Arg3);
      !s.ok())
    return encode<V>(s);
  cr->reject(private_data(data_size, data));
  cr.adapter().consume(*cr);
  return DAT_SUCCESS;
}

template <class V>
[[gnu::always_inline]] inline DAT_RETURN cr_handoff(DAT_CR_HANDLE cr_handle,
                                                    DAT_CONN_QUAL handoff) {
  const LockedCr cr(cr_handle);
  if (!cr) return invalid_handle<V>(Detail::HandleCr);
  const Status handed_off = cr->handoff(handoff);
  if (handed_off.ok()) cr.adapter().consume(*cr);
  return encode<V>(handed_off);
}

template <class V>
void enter_cr_calls(typename V::Table& table) {
  table.cr_query_func = &Shield<V, &cr_query<V>, &calls::kCrQuery>::call;
  table.cr_accept_func = &Shield<V, &cr_accept<V>, &calls::kCrAccept>::call;
  table.cr_reject_func = &Shield<V, &V::cr_reject, &calls::kCrReject>::call;
  table.cr_handoff_func = &Shield<V, &cr_handoff<V>, &calls::kCrHandoff>::call;
}

} // namespace datum
