// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "core/request_queue.h"

#include <algorithm>
#include <bit>
#include <cassert>

namespace datum {

std::int32_t most_segments(const EndpointAttributes& attributes) {
  return std::max(
      {attributes.max_request_iov, attributes.max_rdma_read_iov, attributes.max_rdma_write_iov});
}

RequestQueue::RequestQueue(std::int32_t depth, std::int32_t iov) {
  resize(depth, iov);
}

void RequestQueue::resize(std::int32_t depth, std::int32_t iov) {
  const std::size_t size = std::bit_ceil(static_cast<std::size_t>(std::max(depth, 1)));
  iov_ = static_cast<std::size_t>(iov);
  slots_ = std::vector<Request>(size);
  work_ = std::vector<WorkRequest>(size);
  binds_ = std::vector<BindRequest>(size);
  segments_ = std::vector<LocalTriplet>(size * iov_);
  mask_ = size - 1;
  depth_ = depth;
}

void RequestQueue::keep(const WorkRequest& work) {
  assert(work.local.size() <= iov_);
  const std::size_t at = posted_ & mask_;
  LocalTriplet* segments = segments_.data() + at * iov_;
  std::copy(work.local.begin(), work.local.end(), segments);
  work_[at] = work;
  work_[at].local = {segments, work.local.size()};
}

} // namespace datum
