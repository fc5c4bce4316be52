// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core/datagrams/datagram_departures.h: peers whose endpoint has ended while datagrams for them
// were still here: those go on, for a bounded time, since their Sends have been reported as done.
// Not here:   when one may go (datagram_peer.h).
// Threads:    the adapter's lock; wait() gives it up while it sleeps.
#pragma once

#include "base/intrusive_list.h"
#include "core/datagrams/datagram_peer.h"
#include "core/port/progress.h"

namespace datum {

class DatagramServices;

class DatagramDepartures {
 public:
  // A peer that takes nothing is given up; as long as last words over TCP are waited for.
  static constexpr Duration kMost = kSecond;

  explicit DatagramDepartures(DatagramServices& services) : services_(services) {}

  // True: the peer is ours. False: nothing of it is left, or it is too late.
  bool take(DatagramPeer& peer);
  void on_spent(DatagramPeer& peer);
  // Before the adapter is closed, with nobody in it: until they have gone, or for kMost.
  void wait();
  // None is taken from here on.
  void end();
  // Nothing of them is on the call stack.
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
