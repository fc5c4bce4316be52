// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "core/request_queue.h"

#include <algorithm>
#include <bit>

namespace datum {

RequestQueue::RequestQueue(std::int32_t depth, std::int32_t iov) {
  resize(depth, iov);
}

void RequestQueue::resize(std::int32_t depth, std::int32_t iov) {
  const std::size_t size = std::bit_ceil(static_cast<std::size_t>(std::max(depth, 1)));
  iov_ = static_cast<std::size_t>(iov);
  slots_ = std::vector<Request>(size);
  segments_ = std::vector<LocalTriplet>(size * iov_);
  mask_ = size - 1;
  depth_ = depth;
}

Request& RequestQueue::push(std::span<const LocalTriplet> local) {
  const std::size_t at = posted_ & mask_;
  LocalTriplet* segments = segments_.data() + at * iov_;
  std::copy(local.begin(), local.end(), segments);
  ++posted_;
  Request& request = slots_[at];
  request.work.local = {segments, local.size()};
  request.status = DtoStatus::Success;
  request.ended = false;
  request.window = nullptr;
  return request;
}

} // namespace datum
