// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core/endpoint/receive_queue.h: posted Recvs in posting order, with room for their segments.
// An Inbox and a SharedReceiveQueue use it. Everything is allocated at creation.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "base/assertion.h"
#include "core/port/types.h"

namespace datum {

struct Receive {
  std::uint64_t cookie = 0;
  std::uint64_t capacity = 0; // sum of the segments
  CompletionFlags flags = 0;
  std::uint32_t segments = 0;
};

class ReceiveQueue {
 public:
  ReceiveQueue(std::int32_t depth, std::int32_t iov);

  std::int32_t depth() const { return static_cast<std::int32_t>(slots_.size()); }
  std::int32_t iov() const { return static_cast<std::int32_t>(iov_); }
  std::int32_t count() const { return static_cast<std::int32_t>(count_); }
  bool empty() const { return count_ == 0; }
  bool full() const { return count_ == slots_.size(); }

  void push(std::uint64_t cookie, CompletionFlags flags, std::span<const LocalTriplet> local,
            std::uint64_t capacity) {
    DATUM_ASSERT(!full() && local.size() <= iov_);
    const std::size_t at = wrap(head_ + count_);
    slots_[at] = Receive{cookie, capacity, flags, static_cast<std::uint32_t>(local.size())};
    // The usual single segment is copied without a call.
    LocalTriplet* segments = segments_.data() + at * iov_;
    if (local.size() == 1) [[likely]]
      *segments = local[0];
    else
      std::copy(local.begin(), local.end(), segments);
    ++count_;
  }
  const Receive& front() const {
    DATUM_ASSERT(!empty());
    return slots_[head_];
  }
  std::span<const LocalTriplet> front_segments() const { return segments_at(head_); }
  void pop() {
    DATUM_ASSERT(!empty());
    head_ = wrap(head_ + 1);
    --count_;
  }
  // Order and contents are kept.
  ReceiveQueue resized(std::int32_t depth, std::int32_t iov) const;

 private:
  std::span<const LocalTriplet> segments_at(std::size_t at) const {
    return {segments_.data() + at * iov_, slots_[at].segments};
  }
  std::size_t wrap(std::size_t at) const { return at >= slots_.size() ? at - slots_.size() : at; }

  std::vector<Receive> slots_;
  std::vector<LocalTriplet> segments_;
  std::size_t iov_;
  std::size_t head_ = 0;
  std::size_t count_ = 0;
};

} // namespace datum
