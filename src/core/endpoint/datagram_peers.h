// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core/endpoint/datagram_peers.h: what an endpoint of datagrams has instead of a connection, by
// extension of DAT 2.0: its peers. The interface only; core/datagrams implements it.
// Threads: the adapter's lock.
#pragma once

#include <cstdint>
#include <span>

#include "base/status.h"
#include "core/port/transport.h"
#include "core/port/types.h"

namespace datum {

// What a consumer calls a peer that datagrams can be sent to. 0 names none.
using DatagramAddress = std::uint64_t;

class DatagramPeers {
 public:
  virtual ~DatagramPeers() = default;
  virtual Status connect(const Address& address, ConnQual qualifier, std::uint32_t timeout_us,
                         PrivateData data) = 0;
  // For one more, which accept() brings next.
  virtual Status make_room() = 0;
  virtual void accept(IncomingConnection& incoming, PrivateData data) = 0;
  // `number`: what the address handle says its endpoint is called.
  virtual Status post(std::span<const LocalTriplet> local, DatagramAddress to, std::uint32_t number,
                      std::uint64_t cookie, CompletionFlags flags) = 0;
  // Nothing can be sent to it any more.
  virtual Status free_address(DatagramAddress address) = 0;
  // What its event said is not needed any more.
  virtual Status free_connection(DatagramAddress address) = 0;
  virtual void close_all(CloseMode mode) = 0;
  // Nothing of it is on the call stack.
  virtual void sweep() = 0;
};

} // namespace datum
