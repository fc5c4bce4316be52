// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// progress/descriptor_pace.h: when a thread that polls all the time looks at descriptors again.
// Looks in vain are ever farther apart.
#pragma once

#include <algorithm>

#include "core/port/waiting.h"

namespace datum {

class DescriptorPace {
 public:
  bool is_due(Instant now) const { return now >= next_; }
  // `longest`: between two looks in vain.
  void on_look(bool found, Instant now, Duration longest) {
    gap_ = found ? 0 : std::min(2 * gap_ + waiting::kDescriptorStep, longest);
    next_ = now + gap_;
  }

 private:
  Instant next_ = 0;
  Duration gap_ = 0;
};

} // namespace datum
