// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/tcp/closed_window.h: a peer whose window is closed takes nothing for as long as it
// likes, while its host answers the window probes of this host's TCP (RFC 1122 section 4.2.2.17).
// Lives here: whether the peer's host still answers. The kernel's counts of segments tell, so it
//             does not matter how late is_dead() is called.
// Not here:   keepalive probes while nothing waits, and octets that get lost: the kernel handles
//             those (tune()).
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/time.h"
#include "transport/tcp/tcp_state.h"

namespace datum {

class ClosedWindow {
 public:
  explicit ClosedWindow(Duration dead_after) : dead_after_(dead_after) {}

  // How long to wait between two looks while octets wait for the window. Within that time the
  // kernel has sent a probe, or is about to.
  Duration between_looks() const { return std::max(dead_after_ / 4, kSecond / 4); }
  void open() { heard_ = kNever; }
  // Called while the window is closed. True: for `dead_after` nothing has come, and at least two
  // looks found new probes without an answer.
  bool is_dead(const TcpState& state, Instant now) {
    const bool heard = heard_ == kNever || state.segments_in != segments_in_;
    const bool probed = state.segments_out != segments_out_;
    segments_in_ = state.segments_in;
    segments_out_ = state.segments_out;
    if (heard) {
      heard_ = now;
      unanswered_ = 0;
    } else if (probed) {
      ++unanswered_;
    }
    return unanswered_ >= kLeastProbes && now - heard_ >= dead_after_;
  }

 private:
  static constexpr int kLeastProbes = 2; // the answer to one may be on its way

  const Duration dead_after_;
  Instant heard_ = kNever; // kNever: the window was open at the last look
  std::uint32_t segments_in_ = 0;
  std::uint32_t segments_out_ = 0;
  int unanswered_ = 0; // looks that found new probes and no answer
};

} // namespace datum
