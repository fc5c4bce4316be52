// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// facade/ep_connect_calls.h: endpoints: connecting, disconnecting, resetting.
#pragma once

#include "facade/address.h"
#include "facade/answer.h"
#include "facade/locked.h"
#include "facade/table.h"

namespace datum {

inline constexpr std::uint32_t kEveryQos =
    DAT_QOS_HIGH_THROUGHPUT | DAT_QOS_LOW_LATENCY | DAT_QOS_ECONOMY | DAT_QOS_PREMIUM;

// What the call asks for is not supported. But a wrong EVD or state is reported first (decision 2).
inline Status lacking(const Endpoint& ep) {
  if (!ep.connect_evd()) return {Type::InvalidHandle, Detail::HandleEvdConn};
  if (ep.state() != EpState::Unconnected) return invalid_state(ep.state());
  name_cause("qos or connect_flags", "asked for", "DAT_QOS_BEST_EFFORT and no flag");
  return {Type::ModelNotSupported};
}

template <class V>
[[gnu::always_inline]] inline DAT_RETURN
ep_connect(DAT_EP_HANDLE ep_handle, DAT_IA_ADDRESS_PTR remote_address, DAT_CONN_QUAL qualifier,
           DAT_TIMEOUT timeout, DAT_COUNT data_size, const DAT_PVOID data, DAT_QOS qos,
           DAT_CONNECT_FLAGS flags) {
  const Locked<ObjectKind::Endpoint> ep(ep_handle);
  if (!ep) return invalid_handle<V>(Detail::HandleEp);
  if (remote_address == nullptr) return invalid_argument<V>(Detail::Arg2);
  if (timeout == 0) return invalid_argument<V>(Detail::Arg4, timeout);
  if (const Status s = check_private_data(data_size, data, ep.adapter().limits().max_private_data,
                                          Detail::Arg5, Detail::Arg6);
      !s.ok())
    return encode<V>(s);
  if ((static_cast<std::uint32_t>(qos) & ~kEveryQos) != 0)
    return invalid_argument<V>(Detail::Arg7, qos);
  if ((flags & ~DAT_CONNECT_MULTIPATH_FLAG) != 0) return invalid_argument<V>(Detail::Arg8, flags);
  const Result<Address> address = parse_address(*remote_address);
  if (!address) return encode<V>(address.error());
  if (qos != DAT_QOS_BEST_EFFORT || flags != DAT_CONNECT_DEFAULT_FLAG)
    return encode<V>(lacking(*ep));
  return encode<V>(ep->connect(*address, qualifier, timeout, private_data(data_size, data)));
}

template <class V>
[[gnu::always_inline]] inline DAT_RETURN
ep_dup_connect(DAT_EP_HANDLE ep_handle, DAT_EP_HANDLE dup_handle, DAT_TIMEOUT timeout,
               DAT_COUNT data_size, const DAT_PVOID data, DAT_QOS qos) {
  const Locked<ObjectKind::Endpoint> ep(ep_handle);
  if (!ep) return invalid_handle<V>(Detail::HandleEp);
  const Endpoint* original = ep.find<ObjectKind::Endpoint>(dup_handle);
  if (original == nullptr) {
    note_bad_handle(dup_handle, ObjectKind::Endpoint);
    name_cause("dup_ep_handle");
    return invalid_handle<V>(Detail::HandleEp);
  }
  if (timeout == 0) return invalid_argument<V>(Detail::Arg3, timeout);
  if (const Status s = check_private_data(data_size, data, ep.adapter().limits().max_private_data,
                                          Detail::Arg4, Detail::Arg5);
      !s.ok())
    return encode<V>(s);
  if ((static_cast<std::uint32_t>(qos) & ~kEveryQos) != 0)
    return invalid_argument<V>(Detail::Arg6, qos);
  if (qos != DAT_QOS_BEST_EFFORT) return encode<V>(lacking(*ep));
  return encode<V>(ep->dup_connect(*original, timeout, private_data(data_size, data)));
}

template <class V>
[[gnu::always_inline]] inline DAT_RETURN ep_disconnect(DAT_EP_HANDLE ep_handle,
                                                       DAT_CLOSE_FLAGS flags) {
  const Locked<ObjectKind::Endpoint> ep(ep_handle);
  if (!ep) return invalid_handle<V>(Detail::HandleEp);
  if (flags != DAT_CLOSE_ABRUPT_FLAG && flags != DAT_CLOSE_GRACEFUL_FLAG)
    return invalid_argument<V>(Detail::Arg2, flags);
  return encode<V>(ep->disconnect(flags == DAT_CLOSE_GRACEFUL_FLAG));
}

template <class V>
[[gnu::always_inline]] inline DAT_RETURN ep_reset(DAT_EP_HANDLE ep_handle) {
  const Locked<ObjectKind::Endpoint> ep(ep_handle);
  if (!ep) return invalid_handle<V>(Detail::HandleEp);
  return encode<V>(ep->reset());
}

template <class V>
void enter_ep_connect_calls(typename V::Table& table) {
  table.ep_connect_func = &Shield<V, &ep_connect<V>, &calls::kEpConnect>::call;
  table.ep_dup_connect_func = &Shield<V, &ep_dup_connect<V>, &calls::kEpDupConnect>::call;
  table.ep_disconnect_func = &Shield<V, &ep_disconnect<V>, &calls::kEpDisconnect>::call;
  table.ep_reset_func = &Shield<V, &ep_reset<V>, &calls::kEpReset>::call;
}

} // namespace datum
