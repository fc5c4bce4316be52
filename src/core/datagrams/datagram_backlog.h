// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core/datagrams/datagram_backlog.h: copies of datagrams that a channel could not take during their
// posts. The number of copies is bounded. The memory of a copy is allocated at its first use, and
// kept for later datagrams.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "core/port/channel.h"
#include "core/port/types.h"

namespace datum {

class DatagramBacklog {
 public:
  // dtestsrq -u sends at most 100 datagrams to one peer before it waits for an answer. This bound
  // is somewhat higher.
  static constexpr std::size_t kMost = 128;

  bool full() const { return end_ - first_ == kMost; }
  // True: no copy waits for its start.
  bool all_started() const { return begun_ == end_; }
  // Copies the datagram, so its segments need not stay. False: full, or no memory.
  bool keep(const WorkRequest& work);
  // The oldest copy that was not started, or nullptr.
  const WorkRequest* next() const;
  // The copy of next() was started, as message number `sequence` of its channel.
  void mark_started(std::uint32_t sequence);
  // The first `placed` messages of the channel have been placed: their copies are no longer needed.
  void release(std::uint32_t placed);
  // Frees all copies and their memory. Returns how many were not started.
  std::size_t clear();

 private:
  struct Copy {
    WorkRequest work;
    LocalTriplet segment;
    std::uint32_t sequence = 0;
    std::byte bytes[kMaxDatagram]; // not initialised
  };
  Copy& at(std::size_t position) const { return *copies_[position % kMost]; }

  // Positions count from the first copy since the backlog was last empty, so that a few datagrams
  // use the memory of a few copies. first_ <= begun_ <= end_ <= first_ + kMost.
  std::array<std::unique_ptr<Copy>, kMost> copies_;
  std::size_t first_ = 0;
  std::size_t begun_ = 0;
  std::size_t end_ = 0;
};

} // namespace datum
