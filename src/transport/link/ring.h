// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/link/ring.h: records from one process to another through shared memory.
// Lives here: the ring's layout (a wire format), its producer and its consumer.
// Not here:   the meaning of records (record.h), waking threads, mapping the memory.
// Threads:    one producer and one consumer, in different processes. Each trusts only its own copy
//             of a position. What the other side writes, it loads once and checks.
//
// A record is a slot of one cache line. If the slot is too short, the payload lies in whole lines
// of a separate room, never wrapped. The store of the slot's first word comes last and publishes
// the record. That word holds the record's sequence, which differs in every lap. So nothing has to
// be cleared, and a short record moves only one cache line between the two processors.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "base/assertion.h"
#include "base/cpu.h"
#include "base/shared_atomic.h"

namespace datum {

inline constexpr std::uint32_t kRingSlots = 1024; // a power of two; 64 KiB each way
inline constexpr std::uint32_t kRoomLines = 2048; // a power of two; 128 KiB each way
inline constexpr std::uint32_t kLineSize = 64;
inline constexpr std::uint32_t kMaxRecordLines = kRoomLines / 8;

struct alignas(kLineSize) RingSlot {
  SharedAtomic<std::uint32_t> sequence; // the number of the record in this slot, counted from 1
  std::byte rest[kLineSize - sizeof(std::uint32_t)];
};
struct alignas(kLineSize) RingLine {
  std::byte bytes[kLineSize];
};
struct Ring {
  RingSlot slots[kRingSlots];
  RingLine room[kRoomLines];
};
static_assert(sizeof(Ring) == kLineSize * (kRingSlots + kRoomLines));
static_assert(std::is_standard_layout_v<Ring>);

// How many slots and lines the consumer has released so far. Only the consumer writes these words.
struct alignas(kLineSize) RingTail {
  SharedAtomic<std::uint64_t> records;
  SharedAtomic<std::uint64_t> lines;
};
static_assert(sizeof(RingTail) == kLineSize);
static_assert(SharedAtomic<std::uint64_t>::is_always_lock_free);

// The position of a record. Both sides compute it in the same way from the lengths of earlier
// records.
struct RingPosition {
  std::uint64_t records = 0;
  std::uint64_t lines = 0;

  std::uint32_t slot(std::uint32_t ahead = 0) const {
    return (static_cast<std::uint32_t>(records) + ahead) & (kRingSlots - 1);
  }
  std::uint32_t sequence() const { return static_cast<std::uint32_t>(records + 1); }
  std::uint32_t line() const { return static_cast<std::uint32_t>(lines) & (kRoomLines - 1); }
  // How many lines are left unused because a payload of `payload` lines would not fit before the
  // end of the room.
  std::uint32_t skipped(std::uint32_t payload) const {
    const std::uint32_t to_end = kRoomLines - line();
    return payload > to_end ? to_end : 0;
  }
};

class RingProducer {
 public:
  RingProducer(Ring& ring, const RingTail& tail) : ring_(&ring), tail_(&tail) {}

  // A slot for a record with `lines` lines of payload. nullptr: the ring is full now. The caller
  // must not write the slot's first word. The consumer sees nothing of the record before publish().
  RingSlot* reserve(std::uint32_t lines) {
    DATUM_ASSERT(lines <= kMaxRecordLines && reserved_ == 0);
    if (!fits(next_.skipped(lines) + lines) && !look_for_room(lines)) [[unlikely]]
      return nullptr;
    if (lines != 0) {
      next_.lines += next_.skipped(lines);
      reserved_ = lines;
    }
    return &ring_->slots[next_.slot()];
  }
  // reserve() for a record that fits into its slot.
  RingSlot* reserve() {
    if (next_.records - released_.records >= kRingSlots && !look_for_room(0)) [[unlikely]]
      return nullptr;
    return &ring_->slots[next_.slot()];
  }
  // Prefetches the line of the next record, which a polling consumer has in its cache.
  void prefetch() { prefetch_for_write(&ring_->slots[next_.slot()]); }
  // Where the payload of the reserved record begins.
  std::byte* payload() { return ring_->room[next_.line()].bytes; }
  void publish() {
    DATUM_ASSERT(fits(reserved_));
    ring_->slots[next_.slot()].sequence.store(next_.sequence(), std::memory_order_release);
    ++next_.records;
    next_.lines += reserved_;
    reserved_ = 0;
    // Prefetches the line of a later record, so that a stream of records does not wait for lines.
    prefetch_for_write(&ring_->slots[next_.slot(kWriteAhead)]);
  }
  // True: there is room for the largest record.
  bool has_room() { return fits(2 * kMaxRecordLines) || look_for_room(kMaxRecordLines); }
  // How many records were published so far, and how many of them the consumer reports as taken.
  std::uint64_t published() const { return next_.records; }
  std::uint64_t taken() const { return tail_->records.load(std::memory_order_relaxed); }
  // True: the consumer reported an impossible position.
  bool peer_misbehaved() const { return misbehaved_; }

 private:
  static constexpr std::uint32_t kWriteAhead = 6;
  bool fits(std::uint32_t lines) const {
    return next_.records - released_.records < kRingSlots &&
           next_.lines + lines - released_.lines <= kRoomLines;
  }
  bool look_for_room(std::uint32_t lines);

  Ring* ring_;
  const RingTail* tail_;
  RingPosition next_;
  RingPosition released_; // the tail, as last seen and checked
  std::uint32_t reserved_ = 0;
  bool misbehaved_ = false;
};

class RingConsumer {
 public:
  RingConsumer(const Ring& ring, RingTail& tail) : ring_(&ring), tail_(&tail) {}

  bool ready() const {
    return ring_->slots[next_.slot()].sequence.load(std::memory_order_acquire) == next_.sequence();
  }
  // The next record's slot, or nullptr. The caller must copy the slot before it checks it, because
  // the peer may change it meanwhile.
  const RingSlot* front() const { return ready() ? &ring_->slots[next_.slot()] : nullptr; }
  // Prefetches a later line if the record after the next one is there. A line that the producer has
  // not written yet is better left in the producer's cache.
  void look_ahead() const {
    const std::uint32_t second =
        ring_->slots[next_.slot(1)].sequence.load(std::memory_order_relaxed);
    if (second == next_.sequence() + 1) __builtin_prefetch(&ring_->slots[next_.slot(kReadAhead)]);
  }
  // The payload of the record at front(). nullptr: no record may have so many lines.
  const std::byte* payload(std::uint32_t lines) const {
    if (lines > kMaxRecordLines) return nullptr;
    RingPosition at = next_;
    at.lines += next_.skipped(lines);
    return ring_->room[at.line()].bytes;
  }
  void pop(std::uint32_t lines) {
    DATUM_ASSERT(lines <= kMaxRecordLines);
    ++next_.records;
    if (lines != 0) next_.lines += next_.skipped(lines) + lines;
    // The tail is written only now and then. The producer needs it when the ring is nearly full,
    // and to check that its records are being taken (Link::watch). Even if the tail lags by the
    // most that these limits allow, an empty ring has room for the largest record.
    if (next_.records - told_.records >= kToldAtLeastEvery ||
        next_.lines - told_.lines >= kRoomLines / 4)
      tell();
  }
  void tell_if_behind() {
    if (told_.records != next_.records) tell();
  }
  // Writes the tail at once, for a producer that waits for room.
  void tell() {
    told_ = next_;
    tail_->lines.store(next_.lines, std::memory_order_release);
    tail_->records.store(next_.records, std::memory_order_release);
  }

 private:
  static constexpr std::uint32_t kReadAhead = 3;
  static constexpr std::uint32_t kToldAtLeastEvery = 16; // records

  const Ring* ring_;
  RingTail* tail_;
  RingPosition next_;
  RingPosition told_;
};

} // namespace datum
