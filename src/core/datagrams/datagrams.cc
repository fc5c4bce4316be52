// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "core/datagrams/datagrams.h"

#include "base/log.h"
#include "core/adapter/interface_adapter.h"
#include "core/endpoint/endpoint.h"

namespace datum {

Datagrams::~Datagrams() {
  close_all(CloseMode::Disconnect);
  sweep();
  if (dropped_ + lost_ != 0)
    log(LogLevel::Info,
        "endpoint of datagrams {:#x}: {} that arrived found no Recv to hold them, {} that were "
        "sent found no room or nobody there",
        number_, dropped_, lost_);
}

InterfaceAdapter& Datagrams::adapter() const {
  return endpoint_.adapter();
}

void Datagrams::count_dropped() {
  ++dropped_;
  ++adapter().tally().datagrams_dropped;
}

void Datagrams::count_lost(std::size_t count) {
  lost_ += count;
  adapter().tally().datagrams_lost += count;
}

DatagramPeer& Datagrams::add(DatagramPeer::Role role, const Address& remote) {
  auto peer = std::make_unique<DatagramPeer>(*this, role, remote);
  peers_.push_back(*peer);
  adapter().count_datagram_peer(1);
  return *peer.release();
}

void Datagrams::destroy(DatagramPeer& peer) {
  const std::unique_ptr<DatagramPeer> doomed(&peer);
  if (doomed->failed()) --failed_count_;
  doomed->unlink();
  adapter().count_datagram_peer(-1);
}

void Datagrams::sweep() {
  while (DatagramPeer* peer = spent_.front()) destroy(*peer);
  // What an event said stays until as many later ones have been reaped as the EVD can hold.
  constexpr std::int32_t kBeingRead = 16;
  const EventDispatcher* evd = endpoint_.connect_evd().own();
  const std::int32_t most = (evd != nullptr ? evd->qlen() : 0) + kBeingRead;
  while (failed_count_ > most) destroy(*failed_.front());
}

Status Datagrams::make_room() {
  sweep();
  return adapter().make_room_for_datagram_peer();
}

Status Datagrams::connect(const Address& address, ConnQual qualifier, std::uint32_t timeout_us,
                          PrivateData data) {
  if (const Status s = make_room(); !s.ok()) return s;
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
}

DatagramPeer* Datagrams::find(DatagramAddress address) const {
  DatagramPeer* peer = adapter().datagram_addresses().find(address);
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
  if (!adapter().datagram_addresses().was_given(address))
    return {Type::InvalidParameter, Detail::Arg3};
  DatagramPeer* peer = find(address);
  if (peer != nullptr && peer->failed()) destroy(*peer);
  return kOk;
}

void Datagrams::close_all(CloseMode mode) {
  peers_.for_each([&](DatagramPeer& peer) {
    if (mode != CloseMode::Disconnect || !adapter().datagram_departures().take(peer))
      peer.close(mode);
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
  adapter().datagram_addresses().remove(peer.address());
}

} // namespace datum
