// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// progress/nap_plan.h: how long the background thread naps while others drive the transport.
// Lives here: the decision, from what others have been seen to do. Not here: clocks, sleeping.
//
// A nap ends with a timer, and a timer costs: up to 20 us of a poller's processor in a virtual
// machine. So a nap takes an eighth of the time for which others have been busy without a break:
// the longer they have polled, the rarer they are disturbed. That the end of polling is then
// noticed late matters to nobody who still looks: a peer that polls or waits rings (Link::watch).
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/port/waiting.h"

namespace datum {

// What others have done so far; the counters wrap.
struct Activity {
  std::uint32_t polls = 0;
  std::uint32_t waits = 0;   // that have ended
  Instant last_thorough = 0; // when a poll last looked at the clock
  bool copying = false;      // somebody who polls is in the middle of a long copy
};

class NapPlan {
 public:
  Duration length() const { return length_; }
  // The nap may end with a bell, too. Not where waiters come and go, since a bell would wake both,
  // nor where data comes by descriptors: each arrival would wake us beside the poller that takes
  // it.
  bool at_bell() const { return at_bell_; }

  void begin(const Activity& now, bool data_by_descriptors) {
    seen_ = now;
    data_by_descriptors_ = data_by_descriptors;
    if (data_by_descriptors) at_bell_ = false;
  }
  // A nap has ended by itself at `time`. False: nobody is busy any more, and the next nap is a
  // first one. True: another begins, of the length() this plans.
  bool others_are_busy(const Activity& now, Instant time) {
    const bool waits = now.waits != seen_.waits;
    const std::uint32_t enough =
        data_by_descriptors_ ? waiting::kBusyPollsOfDescriptors : waiting::kBusyPolls;
    const bool polls = now.copying || now.polls - seen_.polls >= enough;
    seen_ = now;
    if (!waits && !polls) {
      reset();
      return false;
    }
    if (busy_since_ == kNever) busy_since_ = time - length_;
    // During a long nap many polls may have been made before they ended: a short one tells.
    const bool sure = waits || now.copying || length_ == waiting::kTick ||
                      time - now.last_thorough <= waiting::kTick;
    const bool away = waits || data_by_descriptors_;
    const Duration most = away ? waiting::kLongestNapAway : waiting::kLongestNap;
    length_ = sure ? std::clamp((time - busy_since_) / 8, waiting::kTick, most) : waiting::kTick;
    at_bell_ = !away && length_ > waiting::kTick;
    return true;
  }
  // Something else ended the nap: see for a tick what follows.
  void interrupted() {
    length_ = waiting::kTick;
    at_bell_ = false;
  }

 private:
  void reset() {
    busy_since_ = kNever;
    interrupted();
  }

  Activity seen_;
  Instant busy_since_ = kNever;
  Duration length_ = waiting::kTick;
  bool at_bell_ = false;
  bool data_by_descriptors_ = false;
};

} // namespace datum
