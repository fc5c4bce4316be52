// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "core/endpoint/request_queue.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/assertion.h"

namespace datum {

std::int32_t most_segments(const EndpointAttributes& attributes) {
  return std::max(
      {attributes.max_request_iov, attributes.max_rdma_read_iov, attributes.max_rdma_write_iov});
}

RequestQueue::Slots::Slots(std::size_t size, std::size_t iov)
    : requests(size), work(size), binds(size), segments(size * iov) {}

RequestQueue::RequestQueue(std::int32_t depth, std::int32_t iov) {
  resize(depth, iov);
}

// A failure changes nothing.
void RequestQueue::resize(std::int32_t depth, std::int32_t iov) {
  DATUM_ASSERT(empty());
  const auto segments = static_cast<std::size_t>(iov);
  slots_ = Slots(std::bit_ceil(static_cast<std::size_t>(std::max(depth, 1))), segments);
  mask_ = slots_.requests.size() - 1;
  outgrown_ = {};
  depth_ = depth;
  iov_ = segments;
}

void RequestQueue::make_room_for_pair() {
  DATUM_ASSERT(!full());
  const std::size_t for_pairs = std::bit_ceil(2 * static_cast<std::size_t>(depth_));
  if (slots_.requests.size() < for_pairs) move_to(Slots(for_pairs, iov_));
  // No channel uses the outgrown slots any more.
  if (!outgrown_.work.empty() && retired_ >= outgrown_until_) outgrown_ = {};
}

void RequestQueue::move_to(Slots&& slots) {
  outgrown_ = std::exchange(slots_, std::move(slots));
  const std::uint64_t mask = std::exchange(mask_, slots_.requests.size() - 1);
  outgrown_until_ = posted_;
  for (std::uint64_t at = retired_; at != posted_; ++at) {
    slots_.requests[at & mask_] = outgrown_.requests[at & mask];
    slots_.binds[at & mask_] = outgrown_.binds[at & mask];
    put(at & mask_, outgrown_.work[at & mask]);
  }
}

void RequestQueue::put(std::size_t at, const WorkRequest& work) {
  DATUM_ASSERT(work.local.size() <= iov_);
  LocalTriplet* segments = slots_.segments.data() + at * iov_;
  std::copy(work.local.begin(), work.local.end(), segments);
  slots_.work[at] = work;
  slots_.work[at].local = {segments, work.local.size()};
}

void RequestQueue::keep(const WorkRequest& work) {
  put(posted_ & mask_, work);
}

} // namespace datum
