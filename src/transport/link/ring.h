// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/link/ring.h: records from one process to another through shared memory.
// Lives here: the ring's layout (a wire format), its producer and its consumer.
// Not here:   what records mean (record.h), waking anybody, mapping the memory.
// Threads:    one producer and one consumer, in different processes. Each trusts only its own copy
//             of a position; what the other side writes is loaded once and checked.
//
// A record is one cache line of header, then its payload in whole lines, never wrapped. The first
// word of the header, stored last, publishes it; the producer has cleared the first word of the
// following line before, so that the consumer never takes old payload for a header.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace datum {

inline constexpr std::uint32_t kRingLines = 2048; // a power of two; 128 KiB each way
inline constexpr std::uint32_t kLineSize = 64;
inline constexpr std::uint32_t kMaxRecordLines = kRingLines / 8;

struct alignas(kLineSize) RingLine {
  std::atomic<std::uint32_t> first; // of a header: lines of the record, 0: not there yet
  std::byte rest[kLineSize - sizeof(std::uint32_t)];
};
static_assert(sizeof(RingLine) == kLineSize && std::is_standard_layout_v<RingLine>);

// Marks the rest of the ring as unused: the next record is at its beginning.
inline constexpr std::uint32_t kRingWrap = 0xffffffff;

// Written by the consumer only: how many lines it has given back, ever.
struct alignas(kLineSize) RingTail {
  std::atomic<std::uint64_t> released;
};
static_assert(sizeof(RingTail) == kLineSize);
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

class RingProducer {
 public:
  RingProducer(RingLine* lines, const RingTail* tail) : lines_(lines), tail_(tail) {}

  // Room for a record of `lines` lines, header first; nullptr: full now. The memory of the first
  // word of the first line must be left alone. Nothing is visible before publish().
  RingLine* reserve(std::uint32_t lines) {
    std::uint32_t at = static_cast<std::uint32_t>(position_) & (kRingLines - 1);
    const std::uint32_t to_end = kRingLines - at;
    const std::uint32_t skipped = lines > to_end ? to_end : 0;
    // One line more: the word behind the record is cleared when it is published.
    if (!has_room(skipped + lines + 1)) return nullptr;
    if (skipped != 0) wrap(at, skipped);
    at = static_cast<std::uint32_t>(position_) & (kRingLines - 1);
    reserved_ = lines;
    return lines_ + at;
  }
  void publish() {
    RingLine& header = lines_[static_cast<std::uint32_t>(position_) & (kRingLines - 1)];
    const std::uint64_t next = position_ + reserved_;
    lines_[static_cast<std::uint32_t>(next) & (kRingLines - 1)].first.store(
        0, std::memory_order_relaxed);
    header.first.store(reserved_, std::memory_order_release);
    position_ = next;
  }
  std::uint64_t position() const { return position_; }
  // The other side claimed to have released more than was ever written.
  bool peer_misbehaved() const { return misbehaved_; }

 private:
  bool has_room(std::uint32_t lines);
  void wrap(std::uint32_t at, std::uint32_t skipped);

  RingLine* lines_;
  const RingTail* tail_;
  std::uint64_t position_ = 0;
  std::uint64_t released_ = 0; // as last seen and checked
  std::uint32_t reserved_ = 0;
  bool misbehaved_ = false;
};

class RingConsumer {
 public:
  RingConsumer(const RingLine* lines, RingTail* tail) : lines_(lines), tail_(tail) {}

  // The next record's first line and length, or nullptr. A length that cannot be sets
  // peer_misbehaved(). The caller copies what it checks: the peer may change it meanwhile.
  const RingLine* front(std::uint32_t& lines) {
    const std::uint32_t at = static_cast<std::uint32_t>(position_) & (kRingLines - 1);
    const std::uint32_t first = lines_[at].first.load(std::memory_order_acquire);
    if (first == 0) return nullptr;
    return accept(at, first, lines);
  }
  bool ready() const {
    return lines_[static_cast<std::uint32_t>(position_) & (kRingLines - 1)].first.load(
               std::memory_order_acquire) != 0;
  }
  void pop(std::uint32_t lines) {
    position_ += lines;
    // Told lazily: the producer needs it only when the ring is nearly full.
    if (position_ - told_ >= kRingLines / 4) tell();
  }
  // The producer waits for room: it is told at once.
  void tell() {
    told_ = position_;
    tail_->released.store(position_, std::memory_order_release);
  }
  std::uint64_t position() const { return position_; }
  bool peer_misbehaved() const { return misbehaved_; }

 private:
  const RingLine* accept(std::uint32_t at, std::uint32_t first, std::uint32_t& lines);

  const RingLine* lines_;
  RingTail* tail_;
  std::uint64_t position_ = 0;
  std::uint64_t told_ = 0;
  bool misbehaved_ = false;
};

} // namespace datum
