// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// facade/ep_transfer_calls.h: endpoints: posting. Hot path: these calls take one lock, and allocate
// or copy nothing.
#pragma once

#include "facade/answer.h"
#include "facade/locked.h"
#include "facade/table.h"

namespace datum {

// Checks arguments 2 and 3 of every post: how many segments, and where they are (decision 212).
inline Status check_iov(std::int32_t count, const void* iov) {
  if (count < 0) [[unlikely]] {
    note_value(count);
    return {Type::InvalidParameter, Detail::Arg2};
  }
  if (count > 0 && iov == nullptr) return {Type::InvalidParameter, Detail::Arg3};
  return kOk;
}

template <class V>
typename V::Segments segments(const Object& object, const DAT_LMR_TRIPLET* iov, DAT_COUNT count) {
  return V::local(object.adapter().regions(), iov, static_cast<std::size_t>(count));
}

template <class V>
[[gnu::always_inline]] inline DAT_RETURN ep_post_send(DAT_EP_HANDLE ep_handle, DAT_COUNT count,
                                                      DAT_LMR_TRIPLET* iov, DAT_DTO_COOKIE cookie,
                                                      DAT_COMPLETION_FLAGS flags) {
  const Locked<ObjectKind::Endpoint> ep(ep_handle);
  if (!ep) return invalid_handle<V>(Detail::HandleEp);
  if (const Status s = check_iov(count, iov); !s.ok()) return encode<V>(s);
  return encode<V>(ep->post_send(segments<V>(*ep, iov, count), bits(cookie), flags));
}

template <class V>
[[gnu::always_inline]] inline DAT_RETURN ep_post_recv(DAT_EP_HANDLE ep_handle, DAT_COUNT count,
                                                      DAT_LMR_TRIPLET* iov, DAT_DTO_COOKIE cookie,
                                                      DAT_COMPLETION_FLAGS flags) {
  const Locked<ObjectKind::Endpoint> ep(ep_handle);
  if (!ep) return invalid_handle<V>(Detail::HandleEp);
  if (const Status s = check_iov(count, iov); !s.ok()) return encode<V>(s);
  return encode<V>(ep->post_recv(segments<V>(*ep, iov, count), bits(cookie), flags));
}

// A function of its own: each function that it calls then has only this caller, and is inlined.
template <class V>
[[gnu::noinline]] DATUM_NO_CANARY DAT_RETURN post_rdma(Opcode opcode, DAT_EP_HANDLE ep_handle,
                                                       DAT_COUNT count, DAT_LMR_TRIPLET* iov,
                                                       DAT_DTO_COOKIE cookie,
                                                       const DAT_RMR_TRIPLET* remote,
                                                       DAT_COMPLETION_FLAGS flags) {
  const Locked<ObjectKind::Endpoint> ep(ep_handle);
  if (!ep) return invalid_handle<V>(Detail::HandleEp);
  if (const Status s = check_iov(count, iov); !s.ok()) return encode<V>(s);
  if (remote == nullptr) return invalid_argument<V>(Detail::Arg5);
  return encode<V>(
      ep->post_rdma(opcode, segments<V>(*ep, iov, count), bits(cookie), V::remote(*remote), flags));
}

template <class V>
[[gnu::always_inline]] inline DAT_RETURN
ep_post_rdma_read(DAT_EP_HANDLE ep_handle, DAT_COUNT count, DAT_LMR_TRIPLET* iov,
                  DAT_DTO_COOKIE cookie, const DAT_RMR_TRIPLET* remote,
                  DAT_COMPLETION_FLAGS flags) {
  return post_rdma<V>(Opcode::RdmaRead, ep_handle, count, iov, cookie, remote, flags);
}

template <class V>
[[gnu::always_inline]] inline DAT_RETURN
ep_post_rdma_write(DAT_EP_HANDLE ep_handle, DAT_COUNT count, DAT_LMR_TRIPLET* iov,
                   DAT_DTO_COOKIE cookie, const DAT_RMR_TRIPLET* remote,
                   DAT_COMPLETION_FLAGS flags) {
  return post_rdma<V>(Opcode::RdmaWrite, ep_handle, count, iov, cookie, remote, flags);
}

template <class V>
[[gnu::always_inline]] inline DAT_RETURN srq_post_recv(DAT_SRQ_HANDLE srq_handle, DAT_COUNT count,
                                                       DAT_LMR_TRIPLET* iov,
                                                       DAT_DTO_COOKIE cookie) {
  const Locked<ObjectKind::SharedReceiveQueue> srq(srq_handle);
  if (!srq) return invalid_handle<V>(Detail::HandleSrq);
  if (const Status s = check_iov(count, iov); !s.ok()) return encode<V>(s);
  return encode<V>(srq->post(segments<V>(*srq, iov, count), bits(cookie)));
}

template <class V>
void enter_ep_transfer_calls(typename V::Table& table) {
  table.ep_post_send_func = &HotShield<V, &ep_post_send<V>, &calls::kEpPostSend>::call;
  table.ep_post_recv_func = &HotShield<V, &ep_post_recv<V>, &calls::kEpPostRecv>::call;
  table.ep_post_rdma_read_func =
      &HotShield<V, &ep_post_rdma_read<V>, &calls::kEpPostRdmaRead>::call;
  table.ep_post_rdma_write_func =
      &HotShield<V, &ep_post_rdma_write<V>, &calls::kEpPostRdmaWrite>::call;
  table.srq_post_recv_func = &Shield<V, &srq_post_recv<V>, &calls::kSrqPostRecv>::call;
}

} // namespace datum
