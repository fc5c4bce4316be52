// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core/datagrams/datagrams.h: the part of an endpoint of datagrams that a connected EP does not
// have: its peers (docs/design/ud.md). The Sends of such an endpoint end as they are posted, and a
// datagram that finds no Recv is dropped.
// Lives here: which object owns a peer and for how long, what is posted to peers, and what arrives.
// Not here:   one peer (datagram_peer.h), Recvs and completions (core/endpoint).
// Threads:    the adapter's lock.
#pragma once

#include <cstdint>
#include <span>

#include "base/intrusive_list.h"
#include "base/status.h"
#include "core/datagrams/datagram_peer.h"
#include "core/datagrams/datagram_services.h"
#include "core/endpoint/datagram_peers.h"
#include "core/port/types.h"

namespace datum {

class Endpoint;

class Datagrams final : public DatagramPeers {
 public:
  Datagrams(Endpoint& endpoint, DatagramServices& services);
  ~Datagrams() override;
  Datagrams(const Datagrams&) = delete;
  Datagrams& operator=(const Datagrams&) = delete;

  Endpoint& endpoint() const { return endpoint_; }
  DatagramServices& services() const { return services_; }
  // The number by which peers and their consumers name the endpoint.
  std::uint32_t number() const { return number_; }

  // --- DatagramPeers -----------------------------------------------------------------------------
  Status connect(const Address& address, ConnQual qualifier, std::uint32_t timeout_us,
                 PrivateData data) override;
  Status make_room() override;
  void accept(IncomingConnection& incoming, PrivateData data) override;
  Status post(std::span<const LocalTriplet> local, DatagramAddress to, std::uint32_t number,
              std::uint64_t cookie, CompletionFlags flags) override;
  Status free_address(DatagramAddress address) override;
  Status free_connection(DatagramAddress address) override;
  void close_all(CloseMode mode) override;
  void sweep() override;

  // --- from peers --------------------------------------------------------------------------------
  // Puts a datagram into the next Recv that can hold it, or drops it.
  void place(const std::byte* payload, std::uint64_t length, bool solicited);
  // False: the event was lost.
  bool report(EventKind kind, const DatagramPeer& peer);
  // Counts datagrams that found no room on the way, or no peer.
  void count_lost(std::size_t count = 1);
  void on_failed(DatagramPeer& peer);
  void on_spent(DatagramPeer& peer);

 private:
  using Peers = IntrusiveList<DatagramPeer, DatagramPeerTag>;
  // Counts a datagram that found no Recv to hold it.
  void count_dropped();
  Status ask(const Address& address, ConnQual qualifier, std::uint32_t timeout_us,
             PrivateData data);
  DatagramPeer& add(DatagramPeer::Role role, const Address& remote);
  void destroy(DatagramPeer& peer);
  DatagramPeer* find(DatagramAddress address) const;

  Endpoint& endpoint_;
  DatagramServices& services_;
  const std::uint32_t number_;
  Peers peers_;
  Peers failed_; // the oldest first
  Peers spent_;
  std::int32_t failed_count_ = 0;
  std::uint64_t dropped_ = 0;
  std::uint64_t lost_ = 0;
};

} // namespace datum
