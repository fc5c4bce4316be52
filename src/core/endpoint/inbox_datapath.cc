// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core/endpoint/inbox_datapath.cc: Recvs, and the messages that take them.
// Hot path: no allocation, no logging, no lock beyond the adapter's.
#include <algorithm>

#include "base/assertion.h"
#include "base/copy_bytes.h"
#include "core/endpoint/inbox.h"
#include "core/port/copy.h"

namespace datum {

void Inbox::post(std::span<const LocalTriplet> local, std::uint64_t cookie, CompletionFlags flags,
                 std::uint64_t capacity) {
  DATUM_ASSERT(!srq_ && !full());
  any_posted_ = true;
  frame_.tally().recvs_posted.add(capacity);
  recvs_.push(cookie, flags, local, capacity);
  if (has_watermark()) check_watermarks();
  if (waits_for_receive_) feed();
}

void Inbox::feed() {
  DATUM_ASSERT(waits_for_receive_);
  waits_for_receive_ = false;
  frame_.on_receive_posted();
}

bool Inbox::take_from_srq() {
  ReceiveQueue& shared = srq_->queue();
  if (shared.empty()) return false;
  open_ = shared.front();
  const std::span<const LocalTriplet> segments = shared.front_segments();
  DATUM_ASSERT(segments.size() <= open_segments_.size());
  std::copy(segments.begin(), segments.end(), open_segments_.begin());
  shared.pop();
  srq_->taken();
  return true;
}

TakeResult Inbox::take_receive(std::span<const LocalTriplet>& into, std::uint64_t& capacity) {
  if (!message_open_) {
    const bool taken = srq_ ? take_from_srq() : !recvs_.empty();
    if (!taken) {
      waits_for_receive_ = true;
      if (srq_) srq_->wait_for_receive(*this);
      return TakeResult::NoReceive;
    }
    message_open_ = true;
    if (!srq_) open_ = recvs_.front();
    if (srq_ && has_watermark()) check_watermarks();
    // The hard watermark has broken the connection, which ended the message.
    if (!message_open_) return TakeResult::Protection;
  }
  into = srq_ ? std::span<const LocalTriplet>(open_segments_.data(), open_.segments)
              : recvs_.front_segments();
  capacity = open_.capacity;
  const ProtectionZone& zone = srq_ ? srq_->zone() : *frame_.zone();
  if (local_memory_still_valid(frame_.adapter().regions(), into, kLocalWrite, zone.id()))
    return TakeResult::Taken;
  fail(DtoStatus::LocalProtection);
  return TakeResult::Protection;
}

// The Recv of the open message completes.
void Inbox::end_message(DtoStatus status, std::uint64_t length, bool solicited,
                        const MessageNote* note) {
  DATUM_ASSERT(message_open_);
  const Receive receive = open_;
  message_open_ = false;
  if (!srq_) recvs_.pop();
  report(receive, status, length, solicited, static_cast<bool>(srq_), note);
}

void Inbox::complete_noted(std::uint64_t length, bool solicited, const MessageNote& note) {
  if (note.by == Opcode::SendInvalidate) frame_.services().memory.unbind_window(note.value);
  end_message(DtoStatus::Success, note.by == Opcode::WriteImmediate ? note.written : length,
              solicited, &note);
}

// Does what take_receive(), a copy and complete() do, but only for the usual message. Such a
// message is whole and fits into the next Recv of the EP's own queue. That Recv has one segment,
// which is still valid.
bool Inbox::place_message(const std::byte* payload, std::uint64_t length, bool solicited) {
  if (message_open_ || srq_ || recvs_.empty()) return false;
  const Receive receive = recvs_.front();
  if (receive.segments != 1 || length > receive.capacity) return false;
  const LocalTriplet& into = recvs_.front_segments()[0];
  if (!frame_.covers(into, kLocalWrite)) return false;
  copy_bytes(pointer(into.address), payload, length);
  recvs_.pop();
  report(receive, DtoStatus::Success, length, solicited, false);
  return true;
}

void Inbox::report(const Receive& receive, DtoStatus status, std::uint64_t length, bool solicited,
                   bool shared, const MessageNote* note) {
  SharedReceiveAccount* account = shared ? &srq_->account() : nullptr;
  if (account != nullptr) account->keep();
  if (evd() == nullptr) {
    if (account != nullptr) account->reaped();
    return;
  }
  bool notify = true;
  if (status == DtoStatus::Success) {
    if ((completions_.flags() & kSolicitedWait) != 0)
      notify = solicited;
    else
      notify = (receive.flags & kUnsignalled) == 0;
  }
  Event event;
  event.kind = EventKind::Dto;
  event.status = status;
  event.receive = true;
  if (note != nullptr) [[unlikely]] {
    event.opcode = note->by;
    event.size = note->value;
  }
  if (status == DtoStatus::Success) frame_.tally().received[event.opcode].add(length);
  event.object = frame_.token();
  event.cookie = receive.cookie;
  event.value = length;
  event.srq = account;
  evd()->push_completion(event, notify);
}

} // namespace datum
