// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core/datagrams/datagram_departures.h: peers whose endpoint ended while it still had datagrams for
// them. The datagrams still leave, for a bounded time, since their Sends have been reported as
// successful.
// Not here:   when one peer may go (datagram_peer.h).
// Threads:    the adapter's lock; wait() gives it up while it sleeps.
#pragma once

#include "base/intrusive_list.h"
#include "core/datagrams/datagram_peer.h"
#include "core/port/progress.h"

namespace datum {

class DatagramServices;

class DatagramDepartures {
 public:
  // A peer that has not taken everything after this time is given up. A last message over TCP has
  // the same time, unless DATUM_CLOSE_TIMEOUT is set.
  static constexpr Duration kMost = kSecond;

  explicit DatagramDepartures(DatagramServices& services) : services_(services) {}

  // True: this object owns the peer now. False: nothing is left to send to the peer, or end() was
  // called.
  bool take(DatagramPeer& peer);
  void on_spent(DatagramPeer& peer);
  // Waits until the peers have gone, or for kMost. Called before the adapter is closed, when no
  // call is inside.
  void wait();
  // Closes the peers that are left. From here on take() takes no peer.
  void end();
  // Destroys peers that are done. No call of theirs is on the stack.
  void sweep();

 private:
  using Peers = IntrusiveList<DatagramPeer, DatagramPeerTag>;
  DatagramServices& services_;
  Peers going_;
  Peers spent_;
  WaitPoint all_gone_;
  bool ended_ = false;
};

} // namespace datum
