// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "waiting/two_words.h"

#include <array>

#include "waiting/clock.h"

namespace waiting {
namespace {

class Rounds {
 public:
  Rounds(TwoWordsEnd& end, const Control& control) : end_(end), control_(control) {}

  // Waits until the peer has ended its last round. False: the initiator has stopped both sides.
  bool begin() {
    const auto last = static_cast<std::uint32_t>(round_++);
    while (end_.second() < last)
      if (stopped()) return false;
    return true;
  }
  void write() {
    end_.write_first(round_);
    end_.write_second(static_cast<std::uint32_t>(round_));
    // A peer that has stopped may not answer any more.
    for (unsigned left = 2; left != 0 && !stopped();) left -= end_.poll();
  }
  // The peer may already be a round ahead.
  bool finish() {
    while (end_.first() < round_) {
      if (stopped()) return false;
      end_.poll();
    }
    return true;
  }

 private:
  bool stopped() const { return control_.stop.load(std::memory_order_relaxed); }

  TwoWordsEnd& end_;
  const Control& control_;
  std::uint64_t round_ = 0;
};

} // namespace

Figures measure_two_words(TwoWordsEnd& end, Place& place, const Bounds& bounds) {
  Recorder recorder(bounds, std::array{place.own().pid, place.peer().pid});
  Rounds rounds(end, place.control);
  while (recorder.wants_more()) {
    rounds.begin();
    const std::int64_t began = now();
    rounds.write();
    recorder.add(began, now());
    rounds.finish();
  }
  place.control.stop.store(true);
  return recorder.figures();
}

void answer_two_words(TwoWordsEnd& end, Place& place) {
  Rounds rounds(end, place.control);
  while (rounds.begin()) {
    rounds.write();
    if (!rounds.finish()) return;
  }
}

} // namespace waiting
