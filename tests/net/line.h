// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/net/line.h: one direction of the wire: which frames are lost, delayed, duplicated or
// spoilt, and when each frame comes out.
// Lives here: the faults, drawn from a seed. The n-th frame of a direction always meets the same
// fault.
// Not here:   sockets and the clock (relay_main.cc).
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <queue>
#include <vector>

#include "frame.h"

namespace datum::net {

using Time = std::chrono::steady_clock::time_point;

// Each chance is a number of frames out of 10,000.
struct Faults {
  std::uint64_t seed = 1;
  std::chrono::microseconds delay{0};
  std::uint32_t loss = 0;
  std::uint32_t reorder = 0; // chance to be held back, so that later frames overtake it
  std::uint32_t duplicate = 0;
  std::uint32_t corrupt = 0; // of the frames that spoil() can change
};

struct Counts {
  std::uint64_t offered = 0;
  std::uint64_t lost = 0;
  std::uint64_t held_back = 0;
  std::uint64_t duplicated = 0;
  std::uint64_t corrupted = 0;
  std::uint64_t cut = 0; // frames that came while the line was cut
};

class Line {
 public:
  explicit Line(const Faults& faults, std::uint64_t direction);

  void offer(Frame frame, Time now);
  std::optional<Time> next_due() const;
  // The next frame that is due. Nothing: no frame is due yet.
  std::optional<Frame> take(Time now);

  // A line that is cut takes no frames. Frames already under way still arrive.
  void set_cut(bool cut) { cut_ = cut; }
  // Replaces the faults. Draws begin from the start, as on a new line.
  void set_faults(const Faults& faults);
  const Counts& counts() const { return counts_; }

 private:
  struct UnderWay {
    Time due;
    std::uint64_t number = 0; // frames with an equal `due` come out in order of their numbers
    Frame frame;
    bool operator<(const UnderWay& other) const {
      return due != other.due ? due > other.due : number > other.number;
    }
  };

  std::uint64_t draw();
  bool chance(std::uint32_t of_10000);
  void enter(Frame frame, Time due);

  Faults faults_;
  std::uint64_t direction_;
  std::uint64_t state_ = 0;
  std::uint64_t entered_ = 0;
  bool cut_ = false;
  Counts counts_;
  std::priority_queue<UnderWay> under_way_;
};

} // namespace datum::net
