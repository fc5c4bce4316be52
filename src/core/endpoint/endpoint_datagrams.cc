// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core/endpoint/endpoint_datagrams.cc: an endpoint of datagrams: it has peers instead of a
// connection, its Sends end as they are posted, and what finds no Recv is dropped
// (docs/design/ud.md).
#include "core/adapter/interface_adapter.h"
#include "core/datagrams/datagram_mark.h"
#include "core/endpoint/endpoint.h"
#include "core/endpoint/endpoint_checks.h"
#include "core/port/copy.h"

namespace datum {

Status Endpoint::check_datagrams_open() const {
  return state_ == EpState::Unconnected || state_ == EpState::Datagrams ? kOk
                                                                        : invalid_state(state_);
}

Status Endpoint::connect_datagrams(const Address& address, ConnQual qualifier,
                                   std::uint32_t timeout_us, PrivateData data) {
  if (const Status s = check_datagrams_open(); !s.ok()) return s;
  if (!zone_) return {Type::InvalidState, Detail::EpNotReady};
  if (const Status s = datagrams_->connect(address, qualifier, timeout_us, data); !s.ok()) return s;
  on(EpEvent::Opened);
  ++tally_.connects;
  ++adapter().tally().datagram_requests_sent;
  return kOk;
}

void Endpoint::accept_datagrams(IncomingConnection& incoming, PrivateData data) {
  datagrams_->accept(incoming, data);
  on(EpEvent::Opened);
}

bool Endpoint::report_datagrams(EventKind kind, const DatagramPeer& peer) {
  count_connection(kind);
  if (!connect_evd_) return false;
  const PrivateData data = peer.private_data();
  Event event;
  event.kind = kind;
  event.object = token();
  event.cookie = peer.address();
  event.value = peer.number();
  event.data = data.empty() ? nullptr : data.data();
  event.size = static_cast<std::uint32_t>(data.size());
  if (!connect_evd_.push(event, connection_)) return false;
  // Recvs posted before may exceed the hard one, which ends what has just been reported.
  if (kind == EventKind::DatagramsResolved || kind == EventKind::DatagramsResolvedPassive)
    check_watermarks();
  return true;
}

Status Endpoint::post_datagram(std::span<const LocalTriplet> local, DatagramAddress to,
                               std::uint32_t number, std::uint64_t cookie, CompletionFlags flags) {
  if (!datagrams_) return {Type::InvalidHandle, Detail::HandleEp};
  constexpr CompletionFlags kAllowed = kSuppress | kSolicitedWait | kUnsignalled | kBarrierFence;
  if (!check_flags(flags, kAllowed, attributes_.request_completion_flags).ok())
    return {Type::InvalidParameter, Detail::Arg7};
  WorkRequest work;
  if (const Status s =
          check_local(local, attributes_.max_request_iov, kLocalRead, kMaxDatagram, work.length);
      !s.ok())
    return s;
  DatagramPeer* peer = adapter().datagram_addresses().find(to);
  if (peer != nullptr && !peer->has_room()) {
    adapter().progress().poll();
    peer = adapter().datagram_addresses().find(to);
  }
  if (state_ != EpState::Datagrams && state_ != EpState::Disconnected) return invalid_state(state_);
  const bool known = peer != nullptr && peer->addressable() && peer->number() == number &&
                     peer->owner().endpoint().zone() == zone();
  if (!known && state_ == EpState::Datagrams) return {Type::InvalidParameter, Detail::Arg5};
  if (requests_.full()) return {Type::InsufficientResources, Detail::ResourceMemory};
  work.opcode = Opcode::Send;
  work.solicited = (flags & kSolicitedWait) != 0;
  work.local = local;
  Request& request = requests_.push({cookie, work.length, flags, Opcode::Datagram});
  tally_.posted[Opcode::Datagram].add(work.length);
  if (state_ == EpState::Disconnected) {
    flush_requests();
    return kOk;
  }
  if (!peer->send(work)) datagrams_->count_lost();
  request.ended = true;
  requests_.mark_started();
  retire_requests();
  return kOk;
}

void Endpoint::place_datagram(const std::byte* payload, std::uint64_t length, bool solicited) {
  const std::uint64_t needed = kDatagramOffset + length;
  const ReceiveQueue& recvs = srq_ ? srq_->queue() : recvs_;
  // A Recv that is too short stays for another one. One that fails may end the endpoint, which
  // flushes its own Recvs and leaves those of an SRQ.
  while (state_ == EpState::Datagrams && !recvs.empty() && recvs.front().capacity >= needed) {
    std::span<const LocalTriplet> into;
    std::uint64_t capacity = 0;
    if (take_receive(into, capacity) != TakeResult::Taken) continue;
    scatter(into, kDatagramOffset, payload, length);
    complete_receive(needed, solicited);
    return;
  }
  datagrams_->count_dropped();
}

} // namespace datum
