// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "core/receive_queue.h"

namespace datum {

ReceiveQueue::ReceiveQueue(std::int32_t depth, std::int32_t iov)
    : slots_(static_cast<std::size_t>(depth)),
      segments_(static_cast<std::size_t>(depth) * static_cast<std::size_t>(iov)),
      iov_(static_cast<std::size_t>(iov)) {}

void ReceiveQueue::resize(std::int32_t depth, std::int32_t iov) {
  ReceiveQueue larger(depth, iov);
  for (; !empty(); pop())
    larger.push(front().cookie, front().flags, front_segments(), front().capacity);
  *this = std::move(larger);
}

} // namespace datum
