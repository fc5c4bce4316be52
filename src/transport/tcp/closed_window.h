// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/tcp/closed_window.h: whether a peer whose window is closed is dead. A peer may keep its
// window closed for as long as it likes, provided that its host answers the window probes of this
// host's TCP (RFC 1122 section 4.2.2.17).
// Lives here: whether the peer's host still answers. The kernel's counts of segments show it, so
//             is_dead() may be called late.
// Not here:   keepalive probes while no octets wait, and lost octets. The kernel handles both
//             (tune()).
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/time.h"
#include "transport/tcp/tcp_state.h"

namespace datum {

class ClosedWindow {
 public:
  explicit ClosedWindow(Duration dead_after) : dead_after_(dead_after) {}

  // The time between two checks while octets wait for the window to open. In that time the kernel
  // has sent a window probe, or is about to send one.
  Duration between_looks() const { return std::max(dead_after_ / 4, kSecond / 4); }
  void open() { heard_ = kNever; }
  // Called while the window is closed. True: no segment has come for `dead_after`, and at least two
  // calls found new probes without an answer.
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
  static constexpr int kLeastProbes = 2; // the answer to a single probe may be on its way

  const Duration dead_after_;
  Instant heard_ = kNever; // kNever: the window was open at the last check
  std::uint32_t segments_in_ = 0;
  std::uint32_t segments_out_ = 0;
  int unanswered_ = 0; // calls that found new probes and no answer
};

} // namespace datum
