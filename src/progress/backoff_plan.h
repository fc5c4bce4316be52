// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// progress/backoff_plan.h: how long the background thread backs off while other threads drive the
// transport.
// Lives here: deciding the length from the activity of other threads.
// Not here:   clocks, sleeping.
//
// A backoff ends with a timer, and a timer costs up to 20 us of a poller's processor in a virtual
// machine. So a backoff lasts an eighth of the time for which other threads have been busy without
// a break. The longer they have polled, the more seldom a timer disturbs them. The background
// thread then notices the end of polling late. That delays only a peer that neither polls nor
// waits: any other peer notices that its records are not taken, and rings (Link::watch).
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/port/waiting.h"

namespace datum {

// The activity of other threads so far. The counters wrap.
struct Activity {
  std::uint32_t polls = 0;
  std::uint32_t waits = 0;     // waits that have ended
  Instant last_timed_poll = 0; // when a poll last read the clock
  bool copying = false;        // True: a polling thread is in the middle of a long copy
};

class BackoffPlan {
 public:
  Duration length() const { return length_; }
  // True: a doorbell may end the backoff, too. False where waiters come and go, since a doorbell
  // would wake the waiter and the background thread. False also where data comes by descriptors,
  // since each arrival would wake the background thread although the poller handles it.
  bool at_doorbell() const { return at_doorbell_; }

  // `shares_core`: all peers run on the only core of the thread that polls. It gives up that core
  // between its polls. So a thread that polls all the time may poll only once in a tick.
  void begin(const Activity& now, bool data_by_descriptors, bool shares_core) {
    seen_ = now;
    shares_core_ = shares_core;
    data_by_descriptors_ = data_by_descriptors;
    if (data_by_descriptors) at_doorbell_ = false;
  }
  // A backoff ended by its timer at `time`. False: no other thread is busy, so the next backoff
  // starts again with the shortest length. True: another backoff follows, of the new length().
  bool others_are_busy(const Activity& now, Instant time) {
    const bool waits = now.waits != seen_.waits;
    const std::uint32_t enough =
        data_by_descriptors_ ? waiting::kBusyPollsOfDescriptors : waiting::kBusyPolls;
    const bool lately = shares_core_ && time - now.last_timed_poll <= waiting::kTick;
    const bool polls = now.copying || lately || now.polls - seen_.polls >= enough;
    seen_ = now;
    if (!waits && !polls) {
      reset();
      return false;
    }
    if (busy_since_ == kNever) busy_since_ = time - length_;
    // Polling may have ended in the middle of a long backoff. If that is possible, the next backoff
    // is short and shows whether polling continues.
    const bool sure = waits || now.copying || length_ == waiting::kTick ||
                      time - now.last_timed_poll <= waiting::kTick;
    const bool away = waits || data_by_descriptors_;
    const Duration most = away ? waiting::kLongestBackoffAway : waiting::kLongestBackoff;
    length_ = sure ? std::clamp((time - busy_since_) / 8, waiting::kTick, most) : waiting::kTick;
    at_doorbell_ = !away && length_ > waiting::kTick;
    return true;
  }
  // Called if the backoff did not end by its timer. The next backoff is one tick long, since the
  // other threads may no longer be busy.
  void interrupted() {
    length_ = waiting::kTick;
    at_doorbell_ = false;
  }

 private:
  void reset() {
    busy_since_ = kNever;
    interrupted();
  }

  Activity seen_;
  Instant busy_since_ = kNever;
  Duration length_ = waiting::kTick;
  bool at_doorbell_ = false;
  bool data_by_descriptors_ = false;
  bool shares_core_ = false;
};

} // namespace datum
