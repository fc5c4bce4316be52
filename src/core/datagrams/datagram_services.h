// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core/datagrams/datagram_services.h: what the endpoints of datagrams of an open IA share: address
// handles, the bound of peers, and the peers that outlive their endpoint.
// Threads:    the adapter's lock.
#pragma once

#include <cstdint>

#include "base/status.h"
#include "core/datagrams/datagram_addresses.h"
#include "core/datagrams/datagram_departures.h"
#include "core/object/adapter_context.h"

namespace datum {

class DatagramServices {
 public:
  explicit DatagramServices(AdapterContext& adapter) : adapter_(adapter) {}

  AdapterContext& adapter() const { return adapter_; }
  DatagramAddresses& addresses() { return addresses_; }
  DatagramDepartures& departures() { return departures_; }
  // The number by which peers and their consumers name an endpoint: 24 bits, like the number of a
  // queue pair, and not 0. Other processes of the host may use the same numbers.
  std::uint32_t next_number() {
    return static_cast<std::uint32_t>(adapter_.random().next() % 0xffffffU) + 1;
  }
  // Makes room for one more peer, and for retiring its channel.
  Status make_room_for_peer();
  void count_peer(std::int32_t change) {
    peers_ += change;
    adapter_.count_channel_owner(change);
  }
  std::int32_t peers() const { return peers_; }

 private:
  AdapterContext& adapter_;
  DatagramAddresses addresses_;
  DatagramDepartures departures_{*this};
  std::int32_t peers_ = 0;
};

} // namespace datum
