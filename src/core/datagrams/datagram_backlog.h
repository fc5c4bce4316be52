// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core/datagrams/datagram_backlog.h: copies of datagrams that a channel could not take within their
// post. A bounded number of them; the memory of each is got when it is needed first, and used
// again.
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
  // As many as a program is known to send to one peer before it looks for an answer (dtestsrq -u:
  // 100), and some more.
  static constexpr std::size_t kMost = 128;

  bool full() const { return end_ - first_ == kMost; }
  // Nothing waits for its start.
  bool all_started() const { return begun_ == end_; }
  // False: full, or no memory. The segments need not stay.
  bool keep(const WorkRequest& work);
  // The oldest that was not started, or nullptr.
  const WorkRequest* next() const;
  // That one was started, as the `sequence`-th message of its channel.
  void mark_started(std::uint32_t sequence);
  // So many messages of the channel have been placed: the copies of those are not needed any more.
  void release(std::uint32_t placed);
  // Nothing of them is needed any more, nor the memory. How many were not started.
  std::size_t clear();

 private:
  struct Copy {
    WorkRequest work;
    LocalTriplet segment;
    std::uint32_t sequence = 0;
    std::byte bytes[kMaxDatagram]; // not initialised
  };
  Copy& at(std::size_t position) const { return *copies_[position % kMost]; }

  // Positions count from the first that was kept since there were none, so that few use the memory
  // of few; first_ <= begun_ <= end_ <= first_ + kMost.
  std::array<std::unique_ptr<Copy>, kMost> copies_;
  std::size_t first_ = 0;
  std::size_t begun_ = 0;
  std::size_t end_ = 0;
};

} // namespace datum
