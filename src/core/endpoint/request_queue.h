// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core/endpoint/request_queue.h: an EP's posted requests in posting order: queued, started, ended.
// Everything is allocated at creation, but for what pairs need: the first of them may move what is
// posted. What a channel was given stays where it was until it is retired.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/endpoint/bind_request.h"
#include "core/port/channel.h"
#include "core/port/types.h"

namespace datum {

// Of a Write with immediate data: a Write, then a WriteImmediate that reports for both.
inline constexpr CompletionFlags kHalf = 0x10000;

// What a completion needs: all that is touched for a request that was started as it was posted.
struct Request {
  std::uint64_t cookie = 0;
  std::uint64_t length = 0;
  CompletionFlags flags = 0;
  Opcode opcode = Opcode::Send;
  DtoStatus status = DtoStatus::Success;
  bool ended = false;
};

// How many segments any request of the EP may have: RDMA has limits of its own, which may be above
// that of Sends.
std::int32_t most_segments(const EndpointAttributes& attributes);

// Positions count from the first request ever posted; retired <= started <= posted.
class RequestQueue {
 public:
  RequestQueue(std::int32_t depth, std::int32_t iov);

  std::int32_t depth() const { return depth_; }
  std::int32_t iov() const { return static_cast<std::int32_t>(iov_); }
  std::int32_t count() const { return static_cast<std::int32_t>(posted_ - retired_); }
  bool empty() const { return posted_ == retired_; }
  // By what the consumer may post; there is a slot for each, and for pairs two.
  bool full() const { return count() - halves_ == depth_; }

  std::uint64_t retired() const { return retired_; }
  std::uint64_t started() const { return started_; }
  std::uint64_t posted() const { return posted_; }
  Request& at(std::uint64_t position) { return slots_.requests[position & mask_]; }
  // Of a request that waits for its start, or whose channel still needs it.
  WorkRequest& work(std::uint64_t position) { return slots_.work[position & mask_]; }
  BindRequest& bind(std::uint64_t position) { return slots_.binds[position & mask_]; }

  // Precondition: not full.
  Request& push(const Request& request) {
    Request& slot = slots_.requests[posted_ & mask_];
    // One by one: a copy of the whole would wait for the stores that have just put it together.
    slot.cookie = request.cookie;
    slot.length = request.length;
    slot.flags = request.flags;
    slot.opcode = request.opcode;
    slot.status = request.status;
    slot.ended = request.ended;
    ++posted_;
    return slot;
  }
  // Keeps what is to be done, with a copy of its segments, for the request that is pushed next.
  // Precondition: no more of them than iov().
  void keep(const WorkRequest& work);
  BindRequest& next_bind() { return bind(posted_); }

  // A pair: two requests that are one to the consumer (kHalf), and so count as one.
  // Precondition: not full. Allocates for the first; a failure changes nothing.
  void make_room_for_pair();
  // Its first half is pushed next / was retired.
  void begin_pair() { ++halves_; }
  void end_first_half() { --halves_; }

  void mark_started() { ++started_; }
  void retire() { ++retired_; }
  void start_all() { started_ = posted_; }
  // Precondition: empty.
  void resize(std::int32_t depth, std::int32_t iov);

 private:
  // A power of two of each.
  struct Slots {
    Slots() = default;
    Slots(std::size_t size, std::size_t iov);
    std::vector<Request> requests;
    std::vector<WorkRequest> work;
    std::vector<BindRequest> binds;
    std::vector<LocalTriplet> segments;
  };
  void put(std::size_t at, const WorkRequest& work);
  void move_to(Slots&& slots);

  Slots slots_;
  Slots outgrown_; // what channels may still look at, until outgrown_until_ is retired
  std::uint64_t outgrown_until_ = 0;
  std::size_t iov_ = 0;
  std::uint64_t mask_ = 0;
  std::uint64_t retired_ = 0;
  std::uint64_t started_ = 0;
  std::uint64_t posted_ = 0;
  std::int32_t depth_ = 0;
  std::int32_t halves_ = 0; // first ones, not retired
};

} // namespace datum
