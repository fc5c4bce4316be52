// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core/endpoint/datagram_peers.h: the peers of an endpoint of datagrams, which has no connection
// (an extension of DAT 2.0). The interface only; core/datagrams implements it.
// Threads:    the adapter's lock.
#pragma once

#include <cstdint>
#include <span>

#include "base/status.h"
#include "core/port/transport.h"
#include "core/port/types.h"

namespace datum {

// The consumer's name of a peer to which datagrams can be sent. 0 names no peer.
using DatagramAddress = std::uint64_t;

class DatagramPeers {
 public:
  virtual ~DatagramPeers() = default;
  virtual Status connect(const Address& address, ConnQual qualifier, std::uint32_t timeout_us,
                         PrivateData data) = 0;
  // Makes room for the peer that the next accept() adds.
  virtual Status make_room() = 0;
  virtual void accept(IncomingConnection& incoming, PrivateData data) = 0;
  // `number`: the number of the peer's endpoint, from the address handle.
  virtual Status post(std::span<const LocalTriplet> local, DatagramAddress to, std::uint32_t number,
                      std::uint64_t cookie, CompletionFlags flags) = 0;
  // Nothing can be sent to the address from here on.
  virtual Status free_address(DatagramAddress address) = 0;
  // The private data of the peer's event are no longer needed.
  virtual Status free_connection(DatagramAddress address) = 0;
  virtual void close_all(CloseMode mode) = 0;
  // Destroys peers that are done. No call of theirs is on the stack.
  virtual void sweep() = 0;
};

} // namespace datum
