// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core/endpoint/request_stream.h: an EP's posted requests on their way through the channel.
// Lives here: in which order requests start, what a fence and the limit of Reads hold back, in
//             which order requests end and are reported, the flush.
// Not here:   what a post checks first (endpoint_datapath.cc), the slots (request_queue.h), when
//             the connection begins and ends (connection.h).
// Threads:    the adapter's lock.
#pragma once

#include <cstdint>

#include "core/endpoint/completion_feed.h"
#include "core/endpoint/endpoint_frame.h"
#include "core/endpoint/request_queue.h"
#include "core/port/channel.h"
#include "core/port/types.h"

namespace datum {

class RequestStream {
 public:
  RequestStream(EndpointFrame& frame, EventDispatcher* evd);
  ~RequestStream();

  EventDispatcher* evd() const { return completions_.evd(); }
  void change_evd(EventDispatcher* evd, CompletionFlags flags) { completions_.change(evd, flags); }
  bool empty() const { return queue_.empty(); }
  bool full() const { return queue_.full(); }
  std::uint64_t held() const { return queue_.posted() - queue_.retired(); }
  std::uint64_t retired() const { return queue_.retired(); }
  // The opcode of the oldest request that has not been retired. The queue is not empty.
  Opcode oldest() { return queue_.at(queue_.retired()).opcode; }
  // How many RDMA Reads may be under way at a time.
  std::int32_t reads_out() const { return reads_out_; }

  // --- by posts. The request has passed all checks, and the queue is not full. The EP is
  // connected, or its connection has ended. After the end, the request is flushed ---
  void submit(const WorkRequest& work, std::uint64_t cookie, CompletionFlags flags);
  void submit_bind(BindRequest&& bind, std::uint64_t cookie, CompletionFlags flags);
  // Begins two requests that the consumer sees as one. The caller submits both next, with kHalf. A
  // failure changes nothing.
  void begin_pair();
  // add_ended() adds a request that has been carried out already. add_flushed() adds a request that
  // never will be, and flushes it.
  void add_ended(const PostedRequest& request);
  void add_flushed(const PostedRequest& request);
  void resize(std::int32_t depth, std::int32_t iov) { queue_.resize(depth, iov); }
  // The window is freed while binds of it are posted. These binds complete with success, and bind
  // nothing.
  void forget_window(const MemoryWindow& window);

  // --- by the connection ---
  // The connection is established.
  void open(Channel& channel, std::int32_t reads_out);
  // From now on the stream calls on_requests_retired() whenever requests may have been retired.
  void drain() { draining_ = true; }
  // The channel is gone. The first request that has not succeeded and all later requests fail: as
  // flushed, unless they failed before.
  void flush();

  // --- by the channel: see ChannelEvents ---
  void on_placed(std::uint32_t count);
  void on_read_done();
  void on_failed(RequestClass kind, DtoStatus status, std::uint32_t before);
  void on_room() { start(); }

 private:
  bool may_start_now(const WorkRequest& work, CompletionFlags flags) const;
  void start_or_flush();
  // `just_checked`: the only request to start is the one that is being posted.
  void start(bool just_checked = false);
  [[gnu::cold]] void fail_unstarted(PostedRequest& request);
  // The position of the oldest started request of the class that has not ended; started(): none.
  std::uint64_t oldest_unended(RequestClass kind);
  bool unended(std::uint64_t at, RequestClass kind);
  void retire();
  [[gnu::always_inline]] inline void retire_ended(); // request_stream_datapath.cc
  void report(const PostedRequest& request, Token subject);
  void report_half(const PostedRequest& request, Token subject);

  EndpointFrame& frame_;
  CompletionFeed completions_;
  Channel* channel_ = nullptr; // the connection's, from open() until flush()
  bool starting_ = false;      // start() is under way: no re-entry
  bool retiring_ = false;
  bool draining_ = false;
  bool failure_waits_ = false; // the next request fails once all started requests have ended
  std::int32_t reads_started_ = 0;
  std::int32_t reads_out_ = 0;
  RequestQueue queue_;
  std::uint64_t placed_cursor_ = 0; // position: every older Send and Write has ended
  std::uint64_t read_cursor_ = 0;   // position: every older Read has ended
  PostedRequest first_half_;        // of a Write with immediate data, ended
};

} // namespace datum
