// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "core/request_queue.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <utility>

namespace datum {

std::int32_t most_segments(const EndpointAttributes& attributes) {
  return std::max(
      {attributes.max_request_iov, attributes.max_rdma_read_iov, attributes.max_rdma_write_iov});
}

RequestQueue::RequestQueue(std::int32_t depth, std::int32_t iov) {
  resize(depth, iov);
}

void RequestQueue::resize(std::int32_t depth, std::int32_t iov) {
  allocate(std::bit_ceil(static_cast<std::size_t>(std::max(depth, 1))),
           static_cast<std::size_t>(iov));
  depth_ = depth;
}

// A failure changes nothing.
void RequestQueue::allocate(std::size_t size, std::size_t iov) {
  std::vector<Request> slots(size);
  std::vector<WorkRequest> work(size);
  std::vector<BindRequest> binds(size);
  std::vector<LocalTriplet> segments(size * iov);
  slots_ = std::move(slots);
  work_ = std::move(work);
  binds_ = std::move(binds);
  segments_ = std::move(segments);
  iov_ = iov;
  mask_ = size - 1;
}

bool RequestQueue::make_room_for_pair() {
  const std::size_t for_pairs = std::bit_ceil(2 * static_cast<std::size_t>(depth_));
  if (slots_.size() < for_pairs && empty()) allocate(for_pairs, iov_);
  return static_cast<std::size_t>(count()) + 2 <= slots_.size();
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
