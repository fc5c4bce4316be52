// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "core/datagrams/datagrams.h"

#include <memory>

#include "base/log.h"
#include "core/endpoint/endpoint.h"
#include "core/port/copy.h"

namespace datum {

Datagrams::Datagrams(Endpoint& endpoint, DatagramServices& services)
    : endpoint_(endpoint), services_(services), number_(services.next_number()) {}

Datagrams::~Datagrams() {
  close_all(CloseMode::Disconnect);
  sweep();
  if (dropped_ + lost_ != 0)
    log(LogLevel::Info,
        "endpoint of datagrams {:#x}: {} that arrived found no Recv to hold them, {} that were "
        "sent found no room or nobody there",
        number_, dropped_, lost_);
}

void Datagrams::count_dropped() {
  ++dropped_;
  ++services_.adapter().tally().datagrams_dropped;
}

void Datagrams::count_lost(std::size_t count) {
  lost_ += count;
  services_.adapter().tally().datagrams_lost += count;
}

DatagramPeer& Datagrams::add(DatagramPeer::Role role, const Address& remote) {
  auto peer = std::make_unique<DatagramPeer>(*this, role, remote);
  peers_.push_back(*peer);
  services_.count_peer(1);
  return *peer.release();
}

void Datagrams::destroy(DatagramPeer& peer) {
  const std::unique_ptr<DatagramPeer> doomed(&peer);
  if (doomed->failed()) --failed_count_;
  doomed->unlink();
  services_.count_peer(-1);
}

void Datagrams::sweep() {
  while (DatagramPeer* peer = spent_.front()) destroy(*peer);
  // Keeps the failed peers whose events may still be in the EVD, and kBeingRead more: the consumer
  // may still be reading the private data of their events.
  constexpr std::int32_t kBeingRead = 16;
  const EventDispatcher* evd = endpoint_.connect_evd().own();
  const std::int32_t most = (evd != nullptr ? evd->qlen() : 0) + kBeingRead;
  while (failed_count_ > most) destroy(*failed_.front());
}

Status Datagrams::make_room() {
  sweep();
  return services_.make_room_for_peer();
}

Status Datagrams::connect(const Address& address, ConnQual qualifier, std::uint32_t timeout_us,
                          PrivateData data) {
  const EpState state = endpoint_.state();
  if (state != EpState::Unconnected && state != EpState::Datagrams) return invalid_state(state);
  if (endpoint_.zone() == nullptr) return {Type::InvalidState, Detail::EpNotReady};
  if (const Status s = make_room(); !s.ok()) return s;
  if (const Status s = ask(address, qualifier, timeout_us, data); !s.ok()) return s;
  endpoint_.connection().open_for_datagrams();
  ++endpoint_.tally().connects;
  ++services_.adapter().tally().datagram_requests_sent;
  return kOk;
}

Status Datagrams::ask(const Address& address, ConnQual qualifier, std::uint32_t timeout_us,
                      PrivateData data) {
  DatagramPeer& peer = add(DatagramPeer::Role::Active, address);
  try {
    const Status status = peer.connect(qualifier, timeout_us, data);
    if (!status.ok()) destroy(peer);
    return status;
  } catch (...) {
    destroy(peer);
    throw;
  }
}

void Datagrams::accept(IncomingConnection& incoming, PrivateData data) {
  DatagramPeer& peer = add(DatagramPeer::Role::Passive, incoming.remote_address());
  try {
    peer.accept(incoming, data);
  } catch (...) {
    destroy(peer);
    throw;
  }
  endpoint_.connection().open_for_datagrams();
}

Status Datagrams::post(std::span<const LocalTriplet> local, DatagramAddress to,
                       std::uint32_t number, std::uint64_t cookie, CompletionFlags flags) {
  WorkRequest work;
  if (const Status s = endpoint_.check_datagram(local, flags, work.length); !s.ok()) return s;
  DatagramPeer* peer = services_.addresses().find(to);
  if (peer != nullptr && !peer->has_room()) {
    services_.adapter().progress().poll();
    peer = services_.addresses().find(to);
  }
  const EpState state = endpoint_.state();
  if (state != EpState::Datagrams && state != EpState::Disconnected) return invalid_state(state);
  const bool known = peer != nullptr && peer->addressable() && peer->number() == number &&
                     peer->owner().endpoint().zone() == endpoint_.zone();
  if (!known && state == EpState::Datagrams) return {Type::InvalidParameter, Detail::Arg5};
  RequestStream& requests = endpoint_.requests();
  if (requests.full()) return {Type::InsufficientResources, Detail::ResourceMemory};
  work.opcode = Opcode::Send;
  work.solicited = (flags & kSolicitedWait) != 0;
  work.local = local;
  const PostedRequest request{cookie, work.length, flags, Opcode::Datagram};
  endpoint_.tally().posted[Opcode::Datagram].add(work.length);
  if (state == EpState::Disconnected) {
    requests.add_flushed(request);
    return kOk;
  }
  if (!peer->send(work)) count_lost();
  requests.add_ended(request);
  return kOk;
}

void Datagrams::place(const std::byte* payload, std::uint64_t length, bool solicited) {
  const std::uint64_t needed = kDatagramOffset + length;
  Inbox& inbox = endpoint_.inbox();
  const ReceiveQueue& recvs = inbox.next();
  // A Recv that is too short stays for a later datagram. A Recv that fails may end the endpoint.
  // The endpoint then flushes its own Recvs and leaves those of an SRQ.
  while (endpoint_.state() == EpState::Datagrams && !recvs.empty() &&
         recvs.front().capacity >= needed) {
    std::span<const LocalTriplet> into;
    std::uint64_t capacity = 0;
    if (inbox.take_receive(into, capacity) != TakeResult::Taken) continue;
    scatter(into, kDatagramOffset, payload, length);
    inbox.complete(needed, solicited);
    return;
  }
  count_dropped();
}

bool Datagrams::report(EventKind kind, const DatagramPeer& peer) {
  const PrivateData data = peer.private_data();
  Event event;
  event.kind = kind;
  event.object = endpoint_.token();
  event.cookie = peer.address();
  event.value = peer.number();
  event.data = data.empty() ? nullptr : data.data();
  event.size = static_cast<std::uint32_t>(data.size());
  if (!endpoint_.connection().reports().report_datagrams(event)) return false;
  // Recvs posted earlier may exceed the hard watermark. Then the endpoint ends right after this
  // event.
  if (kind == EventKind::DatagramsResolved || kind == EventKind::DatagramsResolvedPassive)
    endpoint_.inbox().check_watermarks();
  return true;
}

DatagramPeer* Datagrams::find(DatagramAddress address) const {
  DatagramPeer* peer = services_.addresses().find(address);
  return peer != nullptr && &peer->owner() == this ? peer : nullptr;
}

Status Datagrams::free_address(DatagramAddress address) {
  DatagramPeer* peer = find(address);
  if (peer == nullptr || !peer->addressable()) return {Type::InvalidParameter, Detail::Arg3};
  peer->forget();
  sweep();
  return kOk;
}

Status Datagrams::free_connection(DatagramAddress address) {
  if (!services_.addresses().was_given(address)) return {Type::InvalidParameter, Detail::Arg3};
  DatagramPeer* peer = find(address);
  if (peer != nullptr && peer->failed()) destroy(*peer);
  return kOk;
}

void Datagrams::close_all(CloseMode mode) {
  peers_.for_each([&](DatagramPeer& peer) {
    if (mode != CloseMode::Disconnect || !services_.departures().take(peer)) peer.close(mode);
  });
  while (DatagramPeer* peer = failed_.pop_front()) {
    --failed_count_;
    peer->close(mode);
  }
}

void Datagrams::on_failed(DatagramPeer& peer) {
  peer.unlink();
  failed_.push_back(peer);
  ++failed_count_;
}

void Datagrams::on_spent(DatagramPeer& peer) {
  peer.unlink();
  spent_.push_back(peer);
  services_.addresses().remove(peer.address());
}

} // namespace datum
