// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "core/port/region_table.h"

#include <utility>

#include "base/assertion.h"

namespace datum {

namespace {
// An index is reused only after this many others were given back, or when no fresh index is left.
// So a stale STag stays invalid for long.
constexpr std::size_t kReuseDelay = 1024;
} // namespace

RegionTable::RegionTable(std::span<RegionEntry> storage, std::uint64_t seed)
    : storage_(storage), random_(seed) {
  DATUM_ASSERT(storage.size() == kCapacity);
}

Stag RegionTable::reserve() {
  const std::size_t waiting = free_.size() - free_head_;
  std::uint32_t index = 0;
  if (waiting > kReuseDelay || (waiting > 0 && fresh_left_ == 0 && next_block_ == kCapacity)) {
    index = free_[free_head_++];
    if (free_head_ > kReuseDelay && free_head_ > free_.size() / 2) {
      free_.erase(free_.begin(), free_.begin() + static_cast<std::ptrdiff_t>(free_head_));
      free_head_ = 0;
    }
  } else if (fresh_left_ != 0 || open_block()) {
    make_room_for_release();
    index = take_fresh();
  } else {
    return 0;
  }
  ++used_;
  const std::uint8_t key = ++keys_[index];
  return index << 8U | key;
}

bool RegionTable::open_block() {
  if (next_block_ == kCapacity) return false;
  keys_.reserve(next_block_ + kBlock);
  for (std::uint32_t index = next_block_; index < next_block_ + kBlock; ++index) {
    keys_.push_back(static_cast<std::uint8_t>(random_.next()));
    if (index != 0) fresh_[fresh_left_++] = index; // STag 0 names nothing
  }
  next_block_ += kBlock;
  return true;
}

std::uint32_t RegionTable::take_fresh() {
  DATUM_ASSERT(fresh_left_ != 0);
  const auto at = static_cast<std::size_t>(random_.next() % fresh_left_);
  return std::exchange(fresh_[at], fresh_[--fresh_left_]);
}

// release() must need no memory. free_ may hold every index, and also entries that reserve() has
// consumed and not yet erased: at most as many as the unconsumed ones, or kReuseDelay.
void RegionTable::make_room_for_release() {
  const std::size_t most = 2 * keys_.size() + kReuseDelay + 1;
  if (free_.capacity() < most) free_.reserve(2 * most);
}

void RegionTable::publish(Stag stag, const Description& description) {
  DATUM_ASSERT(stag >> 8U < keys_.size());
  RegionEntry& entry = storage_[stag >> 8U];
  DATUM_ASSERT(entry.stag.load(std::memory_order_relaxed) == 0);
  entry.access = description.access;
  entry.base = description.base;
  entry.origin = description.zero_based ? 0 : description.base;
  entry.length = description.length;
  entry.zone = description.zone;
  entry.endpoint = description.endpoint;
  entry.backing_fd = description.backing_fd;
  entry.backing_offset = description.backing_offset;
  entry.window = description.window ? 1 : 0;
  entry.stag.store(stag, std::memory_order_release);
}

void RegionTable::revoke(Stag stag) {
  RegionEntry& entry = storage_[stag >> 8U];
  if (entry.stag.load(std::memory_order_relaxed) != stag) return;
  // A peer marks the STag, fences, then reads this word. This side clears the word, fences, then
  // reads the marks.
  entry.stag.store(0, std::memory_order_relaxed);
  ++epoch_;
  if (gate_ != nullptr) gate_->quiesce(stag);
}

void RegionTable::release(Stag stag) {
  DATUM_ASSERT(storage_[stag >> 8U].stag.load(std::memory_order_relaxed) == 0);
  DATUM_ASSERT(free_.size() < free_.capacity() && used_ != 0);
  free_.push_back(stag >> 8U);
  --used_;
}

const RegionEntry* RegionTable::find(Stag stag) const {
  const std::uint32_t index = stag >> 8U;
  if (stag == 0 || index >= kCapacity) return nullptr;
  const RegionEntry& entry = storage_[index];
  return entry.stag.load(std::memory_order_relaxed) == stag ? &entry : nullptr;
}

} // namespace datum
