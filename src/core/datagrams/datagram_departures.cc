// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "core/datagrams/datagram_departures.h"

#include <memory>

#include "core/datagrams/datagram_services.h"

namespace datum {

bool DatagramDepartures::take(DatagramPeer& peer) {
  if (ended_ || !peer.depart(services_.adapter().progress().now() + kMost)) return false;
  peer.unlink();
  going_.push_back(peer);
  return true;
}

void DatagramDepartures::on_spent(DatagramPeer& peer) {
  peer.unlink();
  spent_.push_back(peer);
  services_.adapter().set_deferred();
  if (going_.empty()) services_.adapter().progress().signal(all_gone_);
}

void DatagramDepartures::wait() {
  Progress& progress = services_.adapter().progress();
  const Instant deadline = progress.now() + kMost;
  while (!going_.empty() && progress.now() < deadline) {
    all_gone_.signalled = false;
    progress.wait(all_gone_, deadline);
  }
}

void DatagramDepartures::end() {
  ended_ = true;
  going_.for_each([](DatagramPeer& peer) { peer.close(CloseMode::Disconnect); });
}

void DatagramDepartures::sweep() {
  while (DatagramPeer* peer = spent_.pop_front()) {
    const std::unique_ptr<DatagramPeer> doomed(peer);
    services_.count_peer(-1);
  }
}

} // namespace datum
