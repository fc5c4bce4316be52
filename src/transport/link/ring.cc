// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/link/ring.h"

namespace datum {

bool RingProducer::has_room(std::uint32_t lines) {
  if (position_ + lines - released_ <= kRingLines) return true;
  const std::uint64_t told = tail_->released.load(std::memory_order_acquire);
  if (told > position_ || told < released_) {
    misbehaved_ = true;
    return false;
  }
  released_ = told;
  return position_ + lines - released_ <= kRingLines;
}

void RingProducer::wrap(std::uint32_t at, std::uint32_t skipped) {
  // The word at the beginning is cleared before the wrap becomes visible, as for any record.
  lines_[0].first.store(0, std::memory_order_relaxed);
  lines_[at].first.store(kRingWrap, std::memory_order_release);
  position_ += skipped;
}

const RingLine* RingConsumer::accept(std::uint32_t at, std::uint32_t first, std::uint32_t& lines) {
  if (first == kRingWrap) {
    if (at == 0) {
      misbehaved_ = true;
      return nullptr;
    }
    pop(kRingLines - at);
    at = 0;
    first = lines_[0].first.load(std::memory_order_acquire);
    if (first == 0) return nullptr;
  }
  if (first > kMaxRecordLines || first > kRingLines - at) {
    misbehaved_ = true;
    return nullptr;
  }
  lines = first;
  return lines_ + at;
}

} // namespace datum
