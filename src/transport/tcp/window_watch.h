// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/tcp/window_watch.h: the peer's window, while TCP may have something that the peer has
// not.
// Lives here: when to look at it, what the kernel is told of a peer behind a closed one; whether
//             the peer stands still.
// Not here:   whether such a peer still lives (closed_window.h).
// Threads:    the adapter's lock.
#pragma once

#include <cstdint>

#include "transport/tcp/closed_window.h"
#include "transport/tcp/tcp_state.h"

namespace datum {

class WindowWatch {
 public:
  explicit WindowWatch(Duration dead_after) : dead_after_(dead_after), window_(dead_after) {}

  // kNever: nothing is on its way.
  Instant next_look() const { return next_look_; }
  bool under_way() const { return next_look_ != kNever; }
  // TCP was given something, and does not tell that the peer does not take it.
  void begin(Instant now) { next_look_ = now + window_.between_looks(); }
  void stop() { next_look_ = kNever; }
  // False: the peer is dead.
  bool look(int socket, Instant now);

  // Since it was asked last the peer's TCP has acknowledged nothing more: it has everything, or
  // takes none now. `more_waits`: for TCP.
  bool peer_stands_still(int socket, bool more_waits);

 private:
  const Duration dead_after_;
  ClosedWindow window_;
  Instant next_look_ = kNever;
  bool excused_ = false;           // the peer, since its window was closed
  std::uint64_t arrived_then_ = 0; // octets, when peer_stands_still() was asked last
};

} // namespace datum
