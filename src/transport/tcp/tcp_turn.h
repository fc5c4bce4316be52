// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/tcp/tcp_turn.h: how much the connections of one adapter move in a turn, so that busy
// connections hold up no other one for longer than a millisecond (decision 312). A turn lasts from
// the beginning of one TcpTransport::progress() to that of the next; pass() begins one, too.
// Threads: the adapter's lock.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>

namespace datum {

class TcpTurn {
 public:
  // In a turn all connections together may send about so many octets, and share as many again for
  // reading (but see kLeastRead). Moving them takes 0.1 ms within a host, 0.5 ms at 2 GB/s.
  static constexpr std::size_t kAll = 1024 * 1024;
  // The octets that a connection sends beside others: it stops at the end of the FPDU in which it
  // has sent so much.
  static constexpr std::size_t kShare = 64 * 1024;

  void begin() {
    if (readers_ != 0) crowd_ = std::exchange(readers_, 0U);
    to_send_ = kAll;
  }
  // How much a connection with something to read may read. As many connections are expected to read
  // as in the last turn.
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
