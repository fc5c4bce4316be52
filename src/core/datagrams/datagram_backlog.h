// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core/datagrams/datagram_backlog.h: copies of datagrams that a channel could not take within their
// post. Their number is bounded. Each copy allocates its memory at its first use and keeps it for
// the next.
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
  // Programs send at most 100 datagrams to one peer before they look for an answer (dtestsrq -u).
  // This is some more.
  static constexpr std::size_t kMost = 128;

  bool full() const { return end_ - first_ == kMost; }
  // True: no copy waits for its start.
  bool all_started() const { return begun_ == end_; }
  // Copies the datagram, so its segments need not stay. False: full, or no memory.
  bool keep(const WorkRequest& work);
  // The oldest copy that was not started, or nullptr.
  const WorkRequest* next() const;
  // The copy of next() was started, as the `sequence`-th message of its channel.
  void mark_started(std::uint32_t sequence);
  // The channel has placed this many messages: their copies are no longer needed.
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
