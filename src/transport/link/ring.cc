// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/link/ring.h"

namespace datum {

bool RingProducer::look_for_room(std::uint32_t lines) {
  const RingPosition told{tail_->records.load(std::memory_order_acquire),
                          tail_->lines.load(std::memory_order_acquire)};
  // Positions wrap around, so distances are compared. A position before the last one, or beyond
  // this side's own, is impossible.
  if (told.records - released_.records > next_.records - released_.records ||
      told.lines - released_.lines > next_.lines - released_.lines) {
    misbehaved_ = true;
    return false;
  }
  released_ = told;
  return fits(next_.skipped(lines) + lines);
}

} // namespace datum
