// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core/datagrams/datagram_addresses.h: the address handles of an adapter: numbers that are never
// used twice.
// Threads:    the adapter's lock.
#pragma once

#include <cstddef>
#include <unordered_map>

#include "core/endpoint/datagram_peers.h"

namespace datum {

class DatagramPeer;

class DatagramAddresses {
 public:
  DatagramAddress add(DatagramPeer& peer) {
    by_address_.emplace(last_ + 1, &peer);
    return ++last_;
  }
  void remove(DatagramAddress address) { by_address_.erase(address); }
  // nullptr: the handle was freed, or never issued.
  DatagramPeer* find(DatagramAddress address) const {
    const auto found = by_address_.find(address);
    return found == by_address_.end() ? nullptr : found->second;
  }
  bool was_given(DatagramAddress address) const { return address != 0 && address <= last_; }
  std::size_t count() const { return by_address_.size(); }

 private:
  std::unordered_map<DatagramAddress, DatagramPeer*> by_address_;
  DatagramAddress last_ = 0;
};

} // namespace datum
