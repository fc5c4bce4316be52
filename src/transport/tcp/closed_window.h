// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/tcp/closed_window.h: a peer whose window is closed takes nothing for as long as it
// likes, while its host answers the questions of our TCP (RFC 1122 section 4.2.2.17).
// Lives here: whether it still answers. Counts of the kernel tell, so it does not matter how late
//             we look.
// Not here:   questions while nothing waits, and octets that get lost: those are the kernel's
//             affair (tune()).
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/time.h"
#include "transport/tcp/tcp_state.h"

namespace datum {

class ClosedWindow {
 public:
  explicit ClosedWindow(Duration dead_after) : dead_after_(dead_after) {}

  // While something waits for the window; within that time the kernel has asked, or is about to.
  Duration between_looks() const { return std::max(dead_after_ / 4, kSecond / 4); }
  void open() { heard_ = kNever; }
  // It is closed. True: for as long as was set nothing has come, and two questions at least were in
  // vain.
  bool is_dead(const TcpState& state, Instant now) {
    const bool heard = heard_ == kNever || state.segments_in != segments_in_;
    const bool asked = state.segments_out != segments_out_;
    segments_in_ = state.segments_in;
    segments_out_ = state.segments_out;
    if (heard) {
      heard_ = now;
      in_vain_ = 0;
    } else if (asked) {
      ++in_vain_;
    }
    return in_vain_ >= kLeastQuestions && now - heard_ >= dead_after_;
  }

 private:
  static constexpr int kLeastQuestions = 2; // one may be on its way

  const Duration dead_after_;
  Instant heard_ = kNever; // kNever: it was open
  std::uint32_t segments_in_ = 0;
  std::uint32_t segments_out_ = 0;
  int in_vain_ = 0; // looks that found new questions and nothing that came
};

} // namespace datum
