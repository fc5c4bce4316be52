// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core/datagrams/datagrams.h: what an endpoint of datagrams has and a connected one has not: its
// peers. Lives here: who owns them and for how long. Not here:   what a peer does
// (datagram_peer.h), Recvs and completions (endpoint_datagrams.cc). Threads:    the adapter's lock.
#pragma once

#include <cstdint>

#include "base/intrusive_list.h"
#include "base/status.h"
#include "core/datagrams/datagram_peer.h"
#include "core/port/types.h"

namespace datum {

class Endpoint;
class InterfaceAdapter;

class Datagrams {
 public:
  Datagrams(Endpoint& endpoint, std::uint32_t number) : endpoint_(endpoint), number_(number) {}
  ~Datagrams();
  Datagrams(const Datagrams&) = delete;
  Datagrams& operator=(const Datagrams&) = delete;

  Endpoint& endpoint() const { return endpoint_; }
  InterfaceAdapter& adapter() const;
  // What peers and their consumers call the endpoint.
  std::uint32_t number() const { return number_; }

  Status connect(const Address& address, ConnQual qualifier, std::uint32_t timeout_us,
                 PrivateData data);
  // There is room for one more, and accept() comes next.
  Status make_room();
  void accept(IncomingConnection& incoming, PrivateData data);
  // Nothing can be sent to it any more.
  Status free_address(DatagramAddress address);
  // What its event said is not needed any more.
  Status free_connection(DatagramAddress address);
  void close_all(CloseMode mode);
  // Nothing of it is on the call stack.
  void sweep();

  // One that arrived found no Recv to hold it.
  void count_dropped();
  // So many that were to be sent found no room on the way, or nobody there.
  void count_lost(std::size_t count = 1);

  // From peers.
  void on_failed(DatagramPeer& peer);
  void on_spent(DatagramPeer& peer);

 private:
  using Peers = IntrusiveList<DatagramPeer, DatagramPeerTag>;
  DatagramPeer& add(DatagramPeer::Role role, const Address& remote);
  void destroy(DatagramPeer& peer);
  DatagramPeer* find(DatagramAddress address) const;

  Endpoint& endpoint_;
  const std::uint32_t number_;
  Peers peers_;
  Peers failed_; // the oldest first
  Peers spent_;
  std::int32_t failed_count_ = 0;
  std::uint64_t dropped_ = 0;
  std::uint64_t lost_ = 0;
};

} // namespace datum
