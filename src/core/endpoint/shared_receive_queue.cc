// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "core/endpoint/shared_receive_queue.h"

#include "base/assertion.h"
#include "base/refusal.h"
#include "core/events/async_events.h"
#include "core/memory/local_memory.h"
#include "core/object/adapter_context.h"
#include "core/object/causes.h"

namespace datum {

SharedReceiveQueue::SharedReceiveQueue(AsyncEvents& events, ProtectionZone& zone,
                                       const SharedReceiveAttributes& attributes)
    : Object(events.adapter(), ObjectKind::SharedReceiveQueue), events_(events), zone_(&zone),
      queue_(attributes.max_recv_dtos, attributes.max_recv_iov), account_(new SharedReceiveAccount),
      max_recv_dtos_(attributes.max_recv_dtos) {}

SharedReceiveQueue::~SharedReceiveQueue() {
  DATUM_ASSERT(!in_use() && receive_waiters_.empty());
  account_->orphan();
}

Status SharedReceiveQueue::post(std::span<const LocalTriplet> local, std::uint64_t cookie) {
  if (local.size() > static_cast<std::size_t>(queue_.iov()))
    return causes::too_many_segments(local.size(), queue_.iov());
  std::uint64_t capacity = 0;
  const Status checked = check_local_memory(adapter().regions(), local, kLocalWrite, zone_->id(),
                                            adapter().limits().max_message_size, capacity);
  if (!checked.ok()) return checked;
  // A slot is free again when the completion of its Recv has been reaped, not when the Recv
  // completed (dat_srq_query(3DAT), Usage).
  if (outstanding() >= max_recv_dtos_ || queue_.full()) {
    static_cast<void>(causes::no_place_for_recv(outstanding()));
    return {Type::InsufficientResources, Detail::ResourceSrq};
  }
  queue_.push(cookie, kDefaultCompletion, local, capacity);
  account_->posted();
  // A message may be waiting for this very Recv.
  if (ReceiveWaiter* endpoint = receive_waiters_.pop_front()) endpoint->feed();
  return kOk;
}

Status SharedReceiveQueue::set_low_watermark(std::int32_t value) {
  if (value < 0 || value > max_recv_dtos_) {
    note_cause("", value, "", "");
    return {Type::InvalidParameter, Detail::Arg2};
  }
  low_watermark_ = value;
  low_watermark_armed_ = true;
  check_low_watermark();
  return kOk;
}

void SharedReceiveQueue::check_low_watermark() {
  if (!low_watermark_armed_ || available() >= low_watermark_) return;
  low_watermark_armed_ = false;
  Event event;
  event.kind = EventKind::AsyncWatermark;
  event.object = token();
  event.value = kReasonLowWatermark;
  events_.report(event);
}

Status SharedReceiveQueue::resize(std::int32_t max_recv_dtos) {
  if (max_recv_dtos <= 0) {
    note_cause("", max_recv_dtos, "", "");
    return {Type::InvalidParameter, Detail::Arg2};
  }
  if (max_recv_dtos > adapter().limits().max_recv_per_srq) {
    note_limit("srq_max_recv_dto", max_recv_dtos, adapter().limits().max_recv_per_srq);
    return {Type::InsufficientResources, Detail::ResourceSrq};
  }
  if (max_recv_dtos < outstanding() || max_recv_dtos < low_watermark_) {
    if (refusals_are_told())
      note_cause(
          {"srq_max_recv_dto", std::to_string(max_recv_dtos),
           text("at least {} outstanding and low_watermark {}", outstanding(), low_watermark_),
           ""});
    return {Type::InvalidState, Detail::SrqInUse};
  }
  queue_ = queue_.resized(max_recv_dtos, queue_.iov());
  max_recv_dtos_ = max_recv_dtos;
  return kOk;
}

} // namespace datum
