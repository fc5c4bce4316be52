// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core/endpoint/endpoint_extended.cc: what DAT 2.0 and its extensions post, and what their messages
// bring.
#include "base/refusal.h"
#include "core/adapter/interface_adapter.h"
#include "core/endpoint/endpoint.h"
#include "core/endpoint/endpoint_checks.h"
#include "core/object/causes.h"

namespace datum {

Status Endpoint::post_send_invalidate(std::span<const LocalTriplet> local, std::uint64_t cookie,
                                      CompletionFlags flags, Stag stag) {
  constexpr CompletionFlags kAllowed = kSuppress | kSolicitedWait | kUnsignalled | kBarrierFence;
  if (const Status s = check_flags(flags, kAllowed, attributes_.request_completion_flags); !s.ok())
    return s;
  if (stag == 0) {
    note_cause({"", "0", "not 0", ""});
    return {Type::InvalidParameter, Detail::Arg7};
  }
  WorkRequest work;
  if (const Status s = check_local(local, attributes_.max_request_iov, kLocalRead,
                                   attributes_.max_message_size, work.length);
      !s.ok())
    return s;
  if (const Status s = check_state_for_request(); !s.ok()) return s;
  work.opcode = Opcode::SendInvalidate;
  work.solicited = (flags & kSolicitedWait) != 0;
  work.local = local;
  work.extra.note = {Opcode::SendInvalidate, stag, 0};
  return counted(Opcode::SendInvalidate, work.length, submit(work, cookie, flags));
}

// Two requests in one: the Write, then a message of nothing that carries the number.
Status Endpoint::post_write_immediate(std::span<const LocalTriplet> local, std::uint64_t cookie,
                                      const RemoteTriplet& remote, CompletionFlags flags,
                                      std::uint32_t number) {
  constexpr CompletionFlags kAllowed = kSuppress | kSolicitedWait | kUnsignalled | kBarrierFence;
  if (!check_flags(flags, kAllowed, attributes_.request_completion_flags).ok())
    return {Type::InvalidParameter, Detail::Arg8};
  const std::int32_t max_iov = attributes_.max_rdma_write_iov != 0 ? attributes_.max_rdma_write_iov
                                                                   : attributes_.max_request_iov;
  WorkRequest write;
  if (const Status s =
          check_local(local, max_iov, kLocalRead, attributes_.rdma_bound, write.length);
      !s.ok())
    return s;
  if (remote.length < write.length) return causes::too_short(remote.length, write.length);
  if (const Status s = check_state_for_request(); !s.ok()) return s;
  if (requests_.full() && !has_room_again()) return causes::no_place_for_request(requests_held());
  requests_.make_room_for_pair();
  requests_.begin_pair();
  write.opcode = Opcode::RdmaWrite;
  write.local = local;
  write.remote = remote;
  if (const Status s = submit(write, cookie, flags | kHalf); !s.ok()) return s;
  WorkRequest message;
  message.opcode = Opcode::WriteImmediate;
  message.solicited = (flags & kSolicitedWait) != 0;
  message.extra.note = {Opcode::WriteImmediate, number, write.length};
  return counted(Opcode::WriteImmediate, write.length, submit(message, cookie, flags | kHalf));
}

void Endpoint::report_half(const Request& request, Token subject) {
  if (request.opcode != Opcode::WriteImmediate) {
    first_half_ = request;
    requests_.end_first_half();
    return;
  }
  Request whole = request;
  whole.flags &= ~kHalf;
  whole.length = first_half_.length;
  // Where the second half was refused the first may only have been flushed by that.
  const DtoStatus first = first_half_.status;
  if (first != DtoStatus::Success &&
      (first != DtoStatus::Flushed || whole.status == DtoStatus::Success))
    whole.status = first;
  report_request(whole, subject);
}

Status Endpoint::post_atomic(Opcode opcode, const LocalTriplet& local, std::uint64_t cookie,
                             const RemoteTriplet& remote, CompletionFlags flags,
                             const AtomicOperands& operands) {
  constexpr CompletionFlags kAllowed = kSuppress | kUnsignalled | kBarrierFence;
  if (!check_flags(flags, kAllowed, attributes_.request_completion_flags).ok())
    return {Type::InvalidParameter, opcode == Opcode::CompareSwap ? Detail::Arg8 : Detail::Arg7};
  LocalTriplet sink = local;
  WorkRequest work;
  if (sink.length < sizeof(std::uint64_t) || remote.length < sizeof(std::uint64_t))
    return causes::too_short(std::min(sink.length, remote.length), sizeof(std::uint64_t));
  sink.length = sizeof(std::uint64_t);
  if (const Status s = check_local({&sink, 1}, attributes_.max_request_iov, kLocalWrite,
                                   attributes_.rdma_bound, work.length);
      !s.ok())
    return s;
  if (attributes_.max_rdma_read_out == 0) return causes::no_reads();
  if (const Status s = check_state_for_request(); !s.ok()) return s;
  work.opcode = opcode;
  work.local = {&sink, 1};
  work.remote = remote;
  work.extra.atomic = operands;
  return counted(opcode, work.length, submit(work, cookie, flags));
}

AccessFault Endpoint::check_note(const MessageNote& note) const {
  if (note.by != Opcode::SendInvalidate) return AccessFault::None;
  const RegionEntry* entry = adapter().regions().find(note.value);
  if (entry == nullptr || entry->window == 0) return AccessFault::BadStag;
  const bool for_this_ep =
      zone_ && entry->zone == zone_->id() && (entry->endpoint == 0 || entry->endpoint == number_);
  return for_this_ep ? AccessFault::None : AccessFault::WrongZone;
}

void Endpoint::complete_noted(std::uint64_t length, bool solicited, const MessageNote& note) {
  if (note.by == Opcode::SendInvalidate) adapter().unbind_window(note.value);
  end_message(DtoStatus::Success, note.by == Opcode::WriteImmediate ? note.written : length,
              solicited, &note);
}

} // namespace datum
