// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/tcp/tcp_turn.h: how many octets the connections of one adapter move in a turn. The
// limit keeps busy connections from delaying another one for longer than a millisecond (decision
// 312). TcpTransport::progress() and pass() begin a turn. It lasts until the next such call.
// Threads: the adapter's lock.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>

namespace datum {

class TcpTurn {
 public:
  // All connections together may send about this many octets in a turn. They may also read this
  // many (more if many connections get kLeastRead). Moving the octets takes 0.1 ms within a host,
  // 0.5 ms at 2 GB/s.
  static constexpr std::size_t kAll = 1024 * 1024;
  // How much a connection sends in a turn while others wait. It stops at the end of the FPDU with
  // which it has sent this much.
  static constexpr std::size_t kShare = 64 * 1024;

  void begin() {
    if (readers_ != 0) crowd_ = std::exchange(readers_, 0U);
    to_send_ = kAll;
  }
  // How much a connection may read when its socket has octets. The estimate is that as many
  // connections read in this turn as in the last one.
  std::size_t to_read() {
    return std::clamp(kAll / std::max(crowd_, ++readers_), kLeastRead, kMostRead);
  }
  // The rest of kAll in this turn.
  std::size_t to_send() const { return to_send_; }
  void sent(std::size_t octets) { to_send_ -= std::min(octets, to_send_); }

 private:
  static constexpr std::size_t kMostRead = 256 * 1024;
  static constexpr std::size_t kLeastRead = 32 * 1024;
  std::size_t to_send_ = kAll;
  unsigned readers_ = 0;
  unsigned crowd_ = 0; // readers of the last turn in which there was something to read
};

} // namespace datum
