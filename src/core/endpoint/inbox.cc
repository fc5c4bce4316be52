// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core/endpoint/inbox.cc: the part of an inbox that runs seldom: watermarks, the end, long waits.
#include "core/endpoint/inbox.h"

#include <new>
#include <string>
#include <utility>

#include "base/assertion.h"
#include "base/log.h"
#include "base/text.h"

namespace datum {
namespace {

std::string waiting_message(std::uint32_t endpoint) {
  try {
    return text("endpoint {}: a message that has found no Recv in time", endpoint);
  } catch (const std::bad_alloc&) {
    return "no Recv in time"; // short enough to need no memory
  }
}

} // namespace

Inbox::Inbox(EndpointFrame& frame, EventDispatcher* evd, SharedReceiveQueue* srq)
    : frame_(frame), completions_(evd, frame.attributes().recv_completion_flags), srq_(srq),
      recvs_(srq == nullptr ? frame.attributes().max_recv_dtos : 0,
             srq == nullptr ? frame.attributes().max_recv_iov : 0),
      open_segments_(srq == nullptr ? 0 : static_cast<std::size_t>(srq->max_recv_iov())),
      soft_watermark_(frame.attributes().srq_soft_hw) {
  soft_armed_ = soft_watermark_ != kWatermarkInfinite;
}

Inbox::~Inbox() {
  // A message was filling a Recv of the SRQ. dat_ep_free gives the Recv back to the consumer.
  if (srq_ && message_open_) srq_->account().returned();
}

std::int32_t Inbox::held() const {
  if (srq_) return message_open_ ? 1 : 0;
  return recvs_.count();
}

void Inbox::post_flushed(std::uint64_t cookie, CompletionFlags flags, std::uint64_t capacity) {
  any_posted_ = true;
  frame_.tally().recvs_posted.add(capacity);
  const Receive receive{cookie, capacity, flags, 0};
  report(receive, DtoStatus::Flushed, 0, false, false);
}

bool Inbox::could_hold_posted(std::int32_t depth, std::int32_t iov) const {
  return depth >= recvs_.count() && (iov >= recvs_.iov() || recvs_.empty());
}

ReceiveQueue Inbox::resized(std::int32_t depth, std::int32_t iov) const {
  return recvs_.resized(depth, iov);
}

void Inbox::open() {
  DATUM_ASSERT(!message_open_ && !waits_for_receive_);
  connected_ = true;
  will_leave_srq_ = static_cast<bool>(srq_);
}

void Inbox::flush() {
  connected_ = false;
  waits_for_receive_ = false;
  ReceiveWaiter::unlink();
  fail(DtoStatus::Flushed);
  while (!recvs_.empty()) {
    const Receive receive = recvs_.front();
    recvs_.pop();
    report(receive, DtoStatus::Flushed, 0, false, false);
  }
}

void Inbox::leave_srq() {
  if (std::exchange(will_leave_srq_, false))
    frame_.services().events.async.report_srq_left(frame_.token());
}

// --- watermarks ---------------------------------------------------------------------------------

void Inbox::set_watermarks(std::int32_t soft, std::int32_t hard) {
  soft_watermark_ = soft;
  soft_armed_ = soft != kWatermarkInfinite;
  hard_watermark_ = hard;
  check_watermarks();
}

void Inbox::check_watermarks() {
  const std::int32_t count = held();
  if (soft_armed_ && count > soft_watermark_) {
    soft_armed_ = false;
    Event event;
    event.kind = EventKind::AsyncWatermark;
    event.object = frame_.token();
    event.value = kReasonSoftHighWatermark;
    frame_.services().events.async.report(event);
  }
  if (connected_ && hard_watermark_ != kWatermarkInfinite && count > hard_watermark_)
    frame_.break_connection();
}

// --- messages that have waited for a Recv for long ----------------------------------------------

// In default mode each message counts by itself, in count_long_waits().
bool Inbox::may_wait_on() {
  Leniencies& leniencies = frame_.adapter().leniencies();
  return !leniencies.strict() ||
         leniencies.permit(Leniency::LongWaitForRecv, waiting_message(frame_.number()));
}

void Inbox::count_long_waits(std::size_t messages) {
  Leniencies& leniencies = frame_.adapter().leniencies();
  if (leniencies.strict() || messages == 0) return;
  const std::string what = waiting_message(frame_.number());
  for (std::size_t i = 0; i < messages; ++i) leniencies.permit(Leniency::LongWaitForRecv, what);
}

// DATUM_RNR_TIMEOUT holds in both modes. A peer can cause this line as often as it likes, so
// log_of_peer() limits the number of such lines.
void Inbox::on_wait_over(Duration limit) const {
  log_of_peer(LogLevel::Warn,
              "endpoint {}: a message has found no Recv, and DATUM_RNR_TIMEOUT={} ms is over: the "
              "connection breaks; post Recvs before the peer sends, or set a longer time",
              frame_.number(), limit / kMillisecond);
}

} // namespace datum
