// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core/endpoint/endpoint_receive.cc: the target side: Recvs, messages that take them, remote
// access. Hot path: no allocation, no logging, no lock beyond the adapter's.
#include <algorithm>

#include "base/copy_bytes.h"
#include "core/adapter/interface_adapter.h"
#include "core/endpoint/endpoint.h"
#include "core/endpoint/endpoint_checks.h"
#include "core/memory/local_memory.h"
#include "core/object/causes.h"

namespace datum {

Status Endpoint::post_recv(std::span<const LocalTriplet> local, std::uint64_t cookie,
                           CompletionFlags flags) {
  if (const Status s = check_flags(flags, kUnsignalled, attributes_.recv_completion_flags); !s.ok())
    return s;
  // Its Recvs come from the SRQ (decision 36).
  if (srq_) return causes::recvs_are_of_srq();
  if (!zone_) return causes::no_zone();
  // Of a datagram the message begins behind the room for a header.
  const std::uint64_t most = attributes_.max_message_size + (datagrams_ ? kDatagramOffset : 0);
  std::uint64_t capacity = 0;
  if (const Status s = check_local(local, attributes_.max_recv_iov, kLocalWrite, most, capacity);
      !s.ok())
    return s;
  if (recvs_.full() && !has_room_for_recv_again()) return causes::no_place_for_recv(recvs_.count());
  any_recv_posted_ = true;
  tally_.recvs_posted.add(capacity);
  if (state_ == EpState::Disconnected) {
    const Receive receive{cookie, capacity, flags, 0};
    report_receive(receive, DtoStatus::Flushed, 0, false, false);
    return kOk;
  }
  recvs_.push(cookie, flags, local, capacity);
  if (soft_armed_ || hard_watermark_ != kWatermarkInfinite) check_watermarks();
  if (starved_) feed();
  return kOk;
}

void Endpoint::feed() {
  starved_ = false;
  if (channel_) channel_->on_receive_posted();
}

bool Endpoint::take_from_srq() {
  ReceiveQueue& shared = srq_->queue();
  if (shared.empty()) return false;
  open_ = shared.front();
  const std::span<const LocalTriplet> segments = shared.front_segments();
  std::copy(segments.begin(), segments.end(), open_segments_.begin());
  shared.pop();
  srq_->taken();
  return true;
}

TakeResult Endpoint::take_receive(std::span<const LocalTriplet>& into, std::uint64_t& capacity) {
  if (!message_open_) {
    const bool taken = srq_ ? take_from_srq() : !recvs_.empty();
    if (!taken) {
      starved_ = true;
      if (srq_) srq_->wait_for_receive(*this);
      return TakeResult::NoReceive;
    }
    message_open_ = true;
    if (!srq_) open_ = recvs_.front();
    if (srq_ && (soft_armed_ || hard_watermark_ != kWatermarkInfinite)) check_watermarks();
    // The hard watermark has broken the connection, and with it the message.
    if (!message_open_) return TakeResult::Protection;
  }
  into = srq_ ? std::span<const LocalTriplet>(open_segments_.data(), open_.segments)
              : recvs_.front_segments();
  capacity = open_.capacity;
  const std::uint32_t zone = srq_ ? srq_->zone().id() : zone_->id();
  if (local_memory_still_valid(adapter().regions(), into, kLocalWrite, zone))
    return TakeResult::Taken;
  fail_receive(DtoStatus::LocalProtection);
  return TakeResult::Protection;
}

// The open message has its Recv for itself.
void Endpoint::end_message(DtoStatus status, std::uint64_t length, bool solicited,
                           const MessageNote* note) {
  const Receive receive = open_;
  message_open_ = false;
  if (!srq_) recvs_.pop();
  report_receive(receive, status, length, solicited, static_cast<bool>(srq_), note);
}

void Endpoint::complete_receive(std::uint64_t length, bool solicited) {
  end_message(DtoStatus::Success, length, solicited);
}

// What take_receive(), a copy and complete_receive() do, for the usual message: whole, into one
// segment of the EP's own next Recv, in which everything is still as it was.
bool Endpoint::place_message(const std::byte* payload, std::uint64_t length, bool solicited) {
  if (message_open_ || srq_ || recvs_.empty()) return false;
  const Receive receive = recvs_.front();
  if (receive.segments != 1 || length > receive.capacity) return false;
  const LocalTriplet& into = recvs_.front_segments()[0];
  if (!adapter().regions().covers(into.stag, into.address, into.length, kLocalWrite, zone_->id()))
    return false;
  copy_bytes(reinterpret_cast<std::byte*>(static_cast<std::uintptr_t>(into.address)), payload,
             length);
  recvs_.pop();
  report_receive(receive, DtoStatus::Success, length, solicited, false);
  return true;
}

void Endpoint::fail_receive(DtoStatus status) {
  if (message_open_) end_message(status, 0, false);
}

void Endpoint::report_receive(const Receive& receive, DtoStatus status, std::uint64_t length,
                              bool solicited, bool shared, const MessageNote* note) {
  SharedReceiveAccount* account = shared ? &srq_->account() : nullptr;
  if (account != nullptr) account->keep();
  if (!recv_evd_) {
    if (account != nullptr) account->reaped();
    return;
  }
  bool notify = true;
  if (status == DtoStatus::Success) {
    if ((attributes_.recv_completion_flags & kSolicitedWait) != 0)
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
  if (status == DtoStatus::Success) tally_.received[event.opcode].add(length);
  event.object = token();
  event.cookie = receive.cookie;
  event.value = length;
  event.srq = account;
  recv_evd_->push_completion(event, notify);
}

AccessFault Endpoint::check_own(Stag stag, std::uint64_t address, std::uint64_t length,
                                Access right, std::uint64_t& memory) const {
  const RegionEntry* entry = adapter().regions().find(stag);
  if (entry == nullptr) return AccessFault::BadStag;
  const AccessFault fault =
      check_access(*entry, stag, address, length, right, zone_->id(), number_);
  if (fault == AccessFault::None) memory = address + entry->shift();
  return fault;
}

AccessFault Endpoint::check_remote(Stag stag, std::uint64_t address, std::uint64_t length,
                                   Access right, std::uint64_t& memory) const {
  const AccessFault fault = check_own(stag, address, length, right, memory);
  if (fault != AccessFault::None) ++adapter().tally().access_faults;
  return fault;
}

} // namespace datum
