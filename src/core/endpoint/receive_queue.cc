// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "core/endpoint/receive_queue.h"

#include "base/assertion.h"

namespace datum {

ReceiveQueue::ReceiveQueue(std::int32_t depth, std::int32_t iov)
    : slots_(static_cast<std::size_t>(depth)),
      segments_(static_cast<std::size_t>(depth) * static_cast<std::size_t>(iov)),
      iov_(static_cast<std::size_t>(iov)) {}

ReceiveQueue ReceiveQueue::resized(std::int32_t depth, std::int32_t iov) const {
  DATUM_ASSERT(depth >= count());
  ReceiveQueue other(depth, iov);
  for (std::size_t i = 0; i != count_; ++i) {
    const std::size_t at = wrap(head_ + i);
    const Receive& recv = slots_[at];
    other.push(recv.cookie, recv.flags, segments_at(at), recv.capacity);
  }
  return other;
}

} // namespace datum
