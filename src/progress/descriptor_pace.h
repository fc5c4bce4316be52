// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// progress/descriptor_pace.h: when a thread that polls all the time checks descriptors again. The
// gap between two checks grows as long as they find nothing.
#pragma once

#include <algorithm>

#include "core/port/waiting.h"

namespace datum {

class DescriptorPace {
 public:
  bool is_due(Instant now) const { return now >= next_; }
  // `longest`: the longest gap between two checks that find nothing.
  void on_look(bool found, Instant now, Duration longest) {
    gap_ = found ? 0 : std::min(2 * gap_ + waiting::kDescriptorStep, longest);
    next_ = now + gap_;
  }

 private:
  Instant next_ = 0;
  Duration gap_ = 0;
};

} // namespace datum
