// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/tcp/window_watch.h"

#include <utility>

#include "transport/tcp/inet_socket.h"

namespace datum {

bool WindowWatch::look(int socket, Instant now) {
  const bool anything = unacknowledged(socket) != 0;
  const TcpState state = anything ? tcp_state(socket) : TcpState{};
  if (anything)
    begin(now);
  else
    stop();
  if (state.window_closed != excused_) {
    excused_ = state.window_closed;
    excuse_peer(socket, excused_, dead_after_);
  }
  if (excused_) return !window_.is_dead(state, now);
  window_.open();
  return true;
}

bool WindowWatch::peer_stands_still(int socket, bool more_waits) {
  const TcpState state = tcp_state(socket);
  const bool moved = std::exchange(arrived_then_, state.acknowledged) != state.acknowledged;
  const bool all = !more_waits && unacknowledged(socket) == 0;
  return !moved && (all || state.window_closed);
}

} // namespace datum
