// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "core/datagrams/datagram_departures.h"

#include <memory>

#include "core/adapter/interface_adapter.h"

namespace datum {

bool DatagramDepartures::take(DatagramPeer& peer) {
  if (ended_ || !peer.depart(adapter_.progress().now() + kMost)) return false;
  peer.unlink();
  going_.push_back(peer);
  return true;
}

void DatagramDepartures::on_spent(DatagramPeer& peer) {
  peer.unlink();
  spent_.push_back(peer);
  adapter_.put_off();
  if (going_.empty()) adapter_.progress().signal(all_gone_);
}

void DatagramDepartures::wait() {
  const Instant deadline = adapter_.progress().now() + kMost;
  while (!going_.empty() && adapter_.progress().now() < deadline) {
    all_gone_.signalled = false;
    adapter_.progress().wait(all_gone_, deadline);
  }
}

void DatagramDepartures::end() {
  ended_ = true;
  going_.for_each([](DatagramPeer& peer) { peer.close(CloseMode::Disconnect); });
}

void DatagramDepartures::sweep() {
  while (DatagramPeer* peer = spent_.pop_front()) {
    const std::unique_ptr<DatagramPeer> doomed(peer);
    adapter_.count_datagram_peer(-1);
  }
}

} // namespace datum
