// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core/endpoint/inbox.h: where an EP's messages arrive: its Recvs, or those of its SRQ.
// Lives here: posted Recvs, the message that is filling a Recv, completions of Recvs, the
//             watermarks, what is logged about a message that waits for a Recv.
// Not here:   what a post checks first (endpoint_datapath.cc), which component keeps a waiting
//             message (core/port/waiting_messages.h), when the connection begins and ends
//             (connection.h).
// Threads:    the adapter's lock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/assertion.h"
#include "core/endpoint/completion_feed.h"
#include "core/endpoint/endpoint_frame.h"
#include "core/endpoint/receive_queue.h"
#include "core/endpoint/shared_receive_queue.h"
#include "core/object/ref.h"
#include "core/port/channel.h"
#include "core/port/types.h"

namespace datum {

class Inbox final : private ReceiveWaiter {
 public:
  Inbox(EndpointFrame& frame, EventDispatcher* evd, SharedReceiveQueue* srq);
  ~Inbox();

  EventDispatcher* evd() const { return completions_.evd(); }
  void change_evd(EventDispatcher* evd, CompletionFlags flags) { completions_.change(evd, flags); }
  SharedReceiveQueue* srq() const { return srq_.get(); }
  // True: no Recv is outstanding, neither on the EP nor taken from its SRQ.
  bool idle() const { return recvs_.empty() && !message_open_; }
  std::int32_t held() const;
  // The Recv for the next message is the first of this queue.
  const ReceiveQueue& next() const { return srq_ ? srq_->queue() : recvs_; }

  // --- by the consumer ---
  bool full() const { return recvs_.full(); }
  std::int32_t count() const { return recvs_.count(); }
  bool any_posted() const { return any_posted_; }
  void post(std::span<const LocalTriplet> local, std::uint64_t cookie, CompletionFlags flags,
            std::uint64_t capacity);
  // Posts a Recv on an EP whose connection has ended: the Recv ends as flushed.
  void post_flushed(std::uint64_t cookie, CompletionFlags flags, std::uint64_t capacity);
  bool could_hold_posted(std::int32_t depth, std::int32_t iov) const;
  // resized() returns a queue of another size with the same Recvs. take_queue() installs it.
  ReceiveQueue resized(std::int32_t depth, std::int32_t iov) const;
  void take_queue(ReceiveQueue&& queue) {
    DATUM_ASSERT(queue.count() == recvs_.count());
    recvs_ = std::move(queue);
  }
  void set_watermarks(std::int32_t soft, std::int32_t hard);
  std::int32_t hard_watermark() const { return hard_watermark_; }

  // --- by the connection ---
  // The connection is established. The hard watermark holds from now on, also for earlier Recvs.
  void open();
  // An endpoint of datagrams gets its first peer, or a further one.
  void open_for_datagrams() { connected_ = true; }
  void check_watermarks();
  // The connection or the EP has ended: all Recvs of the EP's own queue are flushed.
  void flush();
  // Called when a connection has ended. If the EP has an SRQ, reports once for that connection that
  // the EP takes nothing more from the SRQ.
  void leave_srq();

  // --- by the channel: see ChannelEvents ---
  TakeResult take_receive(std::span<const LocalTriplet>& into, std::uint64_t& capacity);
  void complete(std::uint64_t length, bool solicited) {
    end_message(DtoStatus::Success, length, solicited);
  }
  void complete_noted(std::uint64_t length, bool solicited, const MessageNote& note);
  bool place_message(const std::byte* payload, std::uint64_t length, bool solicited);
  void fail(DtoStatus status) {
    if (message_open_) end_message(status, 0, false);
  }
  bool may_wait_on();
  void count_long_waits(std::size_t messages);
  void on_wait_over(Duration limit) const;

 private:
  // ReceiveWaiter
  void feed() override;

  bool take_from_srq();
  bool has_watermark() const { return soft_armed_ || hard_watermark_ != kWatermarkInfinite; }
  void end_message(DtoStatus status, std::uint64_t length, bool solicited,
                   const MessageNote* note = nullptr);
  void report(const Receive& receive, DtoStatus status, std::uint64_t length, bool solicited,
              bool shared, const MessageNote* note = nullptr);

  EndpointFrame& frame_;
  CompletionFeed completions_;
  Ref<SharedReceiveQueue> srq_;
  bool message_open_ = false;      // an arriving message holds a Recv
  bool waits_for_receive_ = false; // a message waits for a Recv
  bool any_posted_ = false;
  bool connected_ = false;
  bool will_leave_srq_ = false; // the EP is connected, and has an SRQ
  bool soft_armed_ = false;
  ReceiveQueue recvs_;
  Receive open_;
  std::vector<LocalTriplet> open_segments_; // of a Recv taken from the SRQ
  std::int32_t soft_watermark_ = kWatermarkInfinite;
  std::int32_t hard_watermark_ = kWatermarkInfinite;
};

} // namespace datum
