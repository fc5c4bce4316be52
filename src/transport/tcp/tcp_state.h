// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/tcp/tcp_state.h: what the kernel reports about a TCP connection.
#pragma once

#include <cstdint>

#include "base/time.h"

namespace datum {

struct TcpState {
  Duration round_trip = 0;        // smoothed, 0: not measured yet
  std::uint64_t acknowledged = 0; // octets that the peer's TCP has acknowledged
  std::uint64_t sent_again = 0;   // octets sent again, counted each time; the SYN does not count
  std::uint32_t segments_in = 0;  // segments of any kind
  std::uint32_t segments_out = 0;
  bool window_closed = false; // octets wait, and the peer takes none now
};
TcpState tcp_state(int socket);
// How many octets that were given to TCP the peer's TCP has not acknowledged. The end of the stream
// counts as one octet.
std::uint32_t unacknowledged(int socket);
// How many connections wait to be accepted.
std::uint32_t backlog_of(int listening);

} // namespace datum
