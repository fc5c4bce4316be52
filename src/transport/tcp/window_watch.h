// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/tcp/window_watch.h: the peer's window, while TCP may have octets that the peer has not
// acknowledged.
// Lives here: when to check the window; excusing a peer whose window is closed; whether the peer
//             stands still.
// Not here:   whether a peer whose window is closed is alive (closed_window.h).
// Threads:    the adapter's lock.
#pragma once

#include <cstdint>

#include "transport/tcp/closed_window.h"
#include "transport/tcp/tcp_state.h"

namespace datum {

class WindowWatch {
 public:
  explicit WindowWatch(Duration dead_after) : dead_after_(dead_after), window_(dead_after) {}

  // kNever: no octets are on the way.
  Instant next_look() const { return next_look_; }
  bool under_way() const { return next_look_ != kNever; }
  // Octets were given to TCP. The kernel does not report that the peer takes none of them, so
  // look() has to find out.
  void begin(Instant now) { next_look_ = now + window_.between_looks(); }
  void stop() { next_look_ = kNever; }
  // False: the peer is dead.
  bool look(int socket, Instant now);

  // True: since the last call the peer's TCP has acknowledged no more octets, because it has all of
  // them or its window is closed. `more_waits`: there are octets that TCP has not got.
  bool peer_stands_still(int socket, bool more_waits);

 private:
  const Duration dead_after_;
  ClosedWindow window_;
  Instant next_look_ = kNever;
  bool excused_ = false;           // excuse_peer() is in force
  std::uint64_t arrived_then_ = 0; // acknowledged octets at the last peer_stands_still()
};

} // namespace datum
