// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core/datagram_backlog.h: copies of datagrams that a channel could not take within their post.
// A bounded number of them; the memory for them is got when the first one is kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "core/types.h"
#include "transport/seam/transport.h"

namespace datum {

class DatagramBacklog {
 public:
  static constexpr std::size_t kMost = 64;

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
  Copy& at(std::size_t position) const { return copies_[position % kMost]; }

  // Positions count from the first ever kept; first_ <= begun_ <= end_ <= first_ + kMost.
  std::unique_ptr<Copy[]> copies_;
  std::size_t first_ = 0;
  std::size_t begun_ = 0;
  std::size_t end_ = 0;
};

} // namespace datum
