// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core/endpoint/request_queue.h: an EP's posted requests in posting order: queued, started, ended.
// Everything is allocated at creation, except what pairs need. The first pair may move the posted
// requests to larger arrays. But a WorkRequest that a channel knows keeps its address until the
// request is retired.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/assertion.h"
#include "core/endpoint/bind_request.h"
#include "core/port/channel.h"
#include "core/port/types.h"

namespace datum {

// Marks both halves of a Write with immediate data: the Write, then the WriteImmediate that reports
// for both.
inline constexpr CompletionFlags kHalf = 0x10000;
static_assert((kHalf &
               (kSuppress | kSolicitedWait | kUnsignalled | kBarrierFence | kEvdThreshold)) == 0,
              "no consumer can set it");

// The part of a request that its completion needs. A request that starts during its post uses no
// other array of the queue.
struct PostedRequest {
  std::uint64_t cookie = 0;
  std::uint64_t length = 0;
  CompletionFlags flags = 0;
  Opcode opcode = Opcode::Send;
  DtoStatus status = DtoStatus::Success;
  bool ended = false;
};

// The most segments of any request of the EP. RDMA has limits of its own, which may be above that
// of Sends.
std::int32_t most_segments(const EndpointAttributes& attributes);

// Positions count from the first request ever posted; retired <= started <= posted.
class RequestQueue {
 public:
  RequestQueue(std::int32_t depth, std::int32_t iov);

  std::int32_t depth() const { return depth_; }
  std::int32_t iov() const { return static_cast<std::int32_t>(iov_); }
  std::int32_t count() const { return static_cast<std::int32_t>(posted_ - retired_); }
  bool empty() const { return posted_ == retired_; }
  // Counts as the consumer does: a pair is one request, although it has two slots.
  bool full() const { return count() - halves_ == depth_; }

  std::uint64_t retired() const { return retired_; }
  std::uint64_t started() const { return started_; }
  std::uint64_t posted() const { return posted_; }
  PostedRequest& at(std::uint64_t position) {
    DATUM_ASSERT(position >= retired_ && position < posted_);
    return slots_.requests[position & mask_];
  }
  // The work of a request that has not started, or that the channel still needs.
  WorkRequest& work(std::uint64_t position) { return slots_.work[position & mask_]; }
  BindRequest& bind(std::uint64_t position) { return slots_.binds[position & mask_]; }

  PostedRequest& push(const PostedRequest& request) {
    DATUM_ASSERT(!full() && posted_ - retired_ < slots_.requests.size());
    PostedRequest& slot = slots_.requests[posted_ & mask_];
    // Field by field: a copy of the whole struct would wait for the stores that have just filled
    // it.
    slot.cookie = request.cookie;
    slot.length = request.length;
    slot.flags = request.flags;
    slot.opcode = request.opcode;
    slot.status = request.status;
    slot.ended = request.ended;
    ++posted_;
    return slot;
  }
  // Keeps the work of the request that is pushed next, with a copy of its segments.
  void keep(const WorkRequest& work);
  BindRequest& next_bind() { return bind(posted_); }

  // Makes room for two requests that the consumer sees as one (kHalf). They count as one. The queue
  // is not full. Allocates for the first pair; a failure changes nothing.
  void make_room_for_pair();
  // begin_pair(): the caller pushes the first half next. end_first_half(): the first half was
  // retired.
  void begin_pair() {
    DATUM_ASSERT(slots_.requests.size() >= 2 * static_cast<std::size_t>(depth_));
    ++halves_;
  }
  void end_first_half() {
    DATUM_ASSERT(halves_ > 0);
    --halves_;
  }

  void mark_started() {
    DATUM_ASSERT(started_ < posted_);
    ++started_;
  }
  void retire() {
    DATUM_ASSERT(retired_ < started_);
    ++retired_;
  }
  void start_all() { started_ = posted_; }
  void resize(std::int32_t depth, std::int32_t iov);

 private:
  // The number of slots is a power of two.
  struct Slots {
    Slots() = default;
    Slots(std::size_t size, std::size_t iov);
    std::vector<PostedRequest> requests;
    std::vector<WorkRequest> work;
    std::vector<BindRequest> binds;
    std::vector<LocalTriplet> segments;
  };
  void put(std::size_t at, const WorkRequest& work);
  void move_to(Slots&& slots);

  Slots slots_;
  Slots outgrown_; // channels may use them until outgrown_until_ is retired
  std::uint64_t outgrown_until_ = 0;
  std::size_t iov_ = 0;
  std::uint64_t mask_ = 0;
  std::uint64_t retired_ = 0;
  std::uint64_t started_ = 0;
  std::uint64_t posted_ = 0;
  std::int32_t depth_ = 0;
  std::int32_t halves_ = 0; // first halves that are not retired
};

} // namespace datum
