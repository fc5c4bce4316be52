// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/sim/sim_wire.h"

#include <algorithm>
#include <cstring>

namespace datum {
namespace {

std::uint32_t place(std::uint64_t position) {
  return static_cast<std::uint32_t>(position) & (kRingLines - 1);
}

} // namespace

bool SimWire::find() {
  const std::uint32_t at = place(found_);
  const std::uint32_t first = source()[at].first.load(std::memory_order_acquire);
  if (first == 0) return false;
  found_ += first == kRingWrap ? kRingLines - at : first;
  under_way_.push_back({found_, 0});
  return true;
}

// Order within a link is kept.
void SimWire::arrive(Instant when) {
  Record& record = under_way_.back();
  record.due = when;
  if (under_way_.size() > 1)
    record.due = std::max(record.due, under_way_[under_way_.size() - 2].due);
}

void SimWire::copy_next() {
  constexpr std::size_t kWord = sizeof(std::uint32_t);
  const std::uint32_t at = place(carried_);
  const std::uint32_t first = source()[at].first.load(std::memory_order_acquire);
  if (first == kRingWrap) {
    target()[0].first.store(0, std::memory_order_relaxed);
    target()[at].first.store(kRingWrap, std::memory_order_release);
    carried_ += kRingLines - at;
    return;
  }
  const auto* bytes = reinterpret_cast<const std::byte*>(source() + at);
  std::memcpy(reinterpret_cast<std::byte*>(target() + at) + kWord, bytes + kWord,
              first * std::size_t{kLineSize} - kWord);
  target()[place(carried_ + first)].first.store(0, std::memory_order_relaxed);
  target()[at].first.store(first, std::memory_order_release);
  carried_ += first;
}

bool SimWire::carry(Instant now) {
  bool any = false;
  while (!under_way_.empty() && under_way_.front().due <= now) {
    while (carried_ != under_way_.front().end) copy_next();
    under_way_.pop_front();
    any = true;
  }
  return any;
}

} // namespace datum
