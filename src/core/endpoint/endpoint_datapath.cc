// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core/endpoint/endpoint_datapath.cc: posting, starting and completing requests.
// Hot path: no allocation, no logging, no lock beyond the adapter's.
#include <cassert>

#include "base/no_canary.h"
#include "base/refusal.h"
#include "core/adapter/interface_adapter.h"
#include "core/endpoint/endpoint.h"
#include "core/endpoint/endpoint_checks.h"
#include "core/memory/local_memory.h"
#include "core/object/causes.h"

namespace datum {

DATUM_NO_CANARY Status Endpoint::post_send(std::span<const LocalTriplet> local,
                                           std::uint64_t cookie, CompletionFlags flags) {
  if (channel_) channel_->warm_up(nullptr);
  constexpr CompletionFlags kAllowed = kSuppress | kSolicitedWait | kUnsignalled | kBarrierFence;
  if (const Status s = check_flags(flags, kAllowed, attributes_.request_completion_flags); !s.ok())
    return s;
  std::uint64_t length = 0;
  if (const Status s = check_local(local, attributes_.max_request_iov, kLocalRead,
                                   attributes_.max_message_size, length);
      !s.ok())
    return s;
  if (const Status s = check_state_for_request(); !s.ok()) return s;
  WorkRequest work;
  work.opcode = Opcode::Send;
  work.solicited = (flags & kSolicitedWait) != 0;
  work.length = length;
  work.local = local;
  return counted(Opcode::Send, length, submit(work, cookie, flags));
}

DATUM_NO_CANARY Status Endpoint::post_rdma(Opcode opcode, std::span<const LocalTriplet> local,
                                           std::uint64_t cookie, const RemoteTriplet& remote,
                                           CompletionFlags flags) {
  const bool read = opcode == Opcode::RdmaRead;
  if (!read && channel_) channel_->warm_up(&remote);
  constexpr CompletionFlags kAllowed = kSuppress | kUnsignalled | kBarrierFence;
  if (!check_flags(flags, kAllowed, attributes_.request_completion_flags).ok())
    return {Type::InvalidParameter, Detail::Arg6};
  const std::int32_t own_iov =
      read ? attributes_.max_rdma_read_iov : attributes_.max_rdma_write_iov;
  const std::int32_t max_iov = own_iov != 0 ? own_iov : attributes_.max_request_iov;
  std::uint64_t length = 0;
  if (const Status s =
          check_local(local, max_iov, read ? kLocalWrite : kLocalRead,
                      read ? adapter().limits().max_rdma_size : attributes_.rdma_bound, length);
      !s.ok())
    return s;
  if (read) {
    // A Read moves what the remote triplet names; the local side may be larger.
    if (length < remote.length) return causes::too_short(length, remote.length);
    length = remote.length;
    if (length > attributes_.rdma_bound) {
      note_limit("remote_buffer.segment_length", static_cast<std::int64_t>(length),
                 static_cast<std::int64_t>(attributes_.rdma_bound));
      return {Type::InvalidParameter, Detail::Arg5};
    }
    if (attributes_.max_rdma_read_out == 0) return causes::no_reads(); // decision 32
  } else if (remote.length < length) {
    return causes::too_short(remote.length, length);
  }
  WorkRequest work;
  work.opcode = opcode;
  work.length = length;
  work.local = local;
  work.remote = remote;
  if (channel_ && channel_->should_look_first(work)) adapter().progress().poll();
  if (const Status s = check_state_for_request(); !s.ok()) return s;
  return counted(opcode, length, submit(work, cookie, flags));
}

// Nothing is before it that it would overtake, and neither a fence nor the read limit holds it
// back.
bool Endpoint::may_start_now(const WorkRequest& work, CompletionFlags flags) const {
  if (state_ != EpState::Connected || requests_.started() != requests_.posted() || starting_)
    return false;
  if ((flags & kBarrierFence) != 0 && reads_started_ > 0) return false;
  return !is_read_class(work.opcode) || reads_started_ < reads_out_limit_;
}

Status Endpoint::submit(const WorkRequest& work, std::uint64_t cookie, CompletionFlags flags) {
  if (requests_.full() && !has_room_again()) return causes::no_place_for_request(requests_held());
  const Request request{cookie, work.length, flags, work.opcode};
  if (may_start_now(work, flags)) [[likely]] {
    const StartResult result = channel_->start_now(work);
    if (result != StartResult::Later) {
      requests_.push(request).ended = result == StartResult::Finished;
      requests_.mark_started();
      if (result == StartResult::Finished)
        retire_requests();
      else if (is_read_class(work.opcode))
        ++reads_started_;
      return kOk;
    }
  }
  requests_.keep(work);
  requests_.push(request);
  start_or_flush();
  return kOk;
}

void Endpoint::start_or_flush() {
  if (state_ == EpState::Disconnected)
    flush_requests();
  else if (requests_.started() + 1 == requests_.posted())
    start_requests(true);
}

void Endpoint::start_requests(bool just_checked) {
  if (starting_) return;
  starting_ = true;
  while (requests_.started() != requests_.posted() && channel_) {
    const std::uint64_t at = requests_.started();
    Request& request = requests_.at(at);
    if ((request.flags & kBarrierFence) != 0 && reads_started_ > 0) break;
    if (request.opcode == Opcode::Bind) {
      requests_.mark_started();
      request.ended = true;
      execute_bind(requests_.bind(at));
      continue;
    }
    const bool read = is_read_class(request.opcode);
    // Held back, and everything behind it too: requests start in posting order (decision 306).
    if (read && reads_started_ >= reads_out_limit_ && reads_out_limit_ > 0) break;
    // It waited for its turn, and its memory may have gone meanwhile.
    if (!just_checked && !recheck_local(requests_.work(at), read ? kLocalWrite : kLocalRead)) {
      fail_unstarted(request);
      break;
    }
    const StartResult result = channel_->start(requests_.work(at));
    if (result == StartResult::Later) {
      ++tally_.stalls;
      break;
    }
    requests_.mark_started();
    if (result == StartResult::Finished)
      request.ended = true;
    else if (read)
      ++reads_started_;
  }
  starting_ = false;
  retire_requests();
}

std::uint64_t Endpoint::oldest_unended(RequestClass kind) {
  std::uint64_t& cursor = kind == RequestClass::Read ? read_cursor_ : placed_cursor_;
  if (cursor < requests_.retired()) cursor = requests_.retired();
  while (cursor != requests_.started() && !unended(cursor, kind)) ++cursor;
  return cursor;
}

bool Endpoint::unended(std::uint64_t at, RequestClass kind) {
  const Request& request = requests_.at(at);
  const bool member =
      kind == RequestClass::Read ? is_read_class(request.opcode) : is_placed_class(request.opcode);
  return member && !request.ended;
}

void Endpoint::on_placed(std::uint32_t count) {
  for (; count != 0; --count) {
    const std::uint64_t at = oldest_unended(RequestClass::Placed);
    if (at == requests_.started()) break;
    requests_.at(at).ended = true;
  }
  retire_requests();
  if (failure_waits_) [[unlikely]]
    start_requests();
}

void Endpoint::on_read_done() {
  const std::uint64_t at = oldest_unended(RequestClass::Read);
  if (at == requests_.started()) return;
  requests_.at(at).ended = true;
  --reads_started_;
  // What a fence or the read limit held back may go now.
  if (requests_.started() != requests_.posted())
    start_requests();
  else
    retire_requests();
}

void Endpoint::on_request_failed(RequestClass kind, DtoStatus status, std::uint32_t before) {
  std::uint64_t at = oldest_unended(kind);
  for (; at != requests_.started(); ++at)
    if (unended(at, kind) && before-- == 0) break;
  if (at == requests_.started()) return;
  Request& request = requests_.at(at);
  request.ended = true;
  request.status = status;
  if (status == DtoStatus::RemoteAccess) ++adapter().tally().access_faults_of_ours;
  if (kind == RequestClass::Read) --reads_started_;
  // Reported by the flush of on_closed(), which fails what follows it.
}

void Endpoint::on_room() {
  start_requests();
}

bool Endpoint::recheck_local(const WorkRequest& request, Access right) const {
  return zone_ && local_memory_still_valid(adapter().regions(), request.local, right, zone_->id());
}

void Endpoint::retire_ended() {
  retiring_ = true;
  while (requests_.retired() != requests_.started()) {
    const std::uint64_t at = requests_.retired();
    const Request& request = requests_.at(at);
    if (!request.ended) break;
    // The flush of on_closed(), which may come later, reports it and fails what is behind it.
    if (request.status != DtoStatus::Success && channel_) [[unlikely]]
      break;
    requests_.retire();
    const bool bind = request.opcode == Opcode::Bind;
    report_request(request, bind ? requests_.bind(at).window_token : token());
  }
  retiring_ = false;
}

void Endpoint::retire_requests() {
  if (!retiring_) retire_ended();
  if (state_ == EpState::DisconnectPending) [[unlikely]]
    finish_drain();
}

// The next to start cannot be carried out. What has been started still can, or fails by itself, and
// is the first to fail then.
void Endpoint::fail_unstarted(Request& request) {
  if (!retiring_) retire_ended();
  failure_waits_ = requests_.retired() != requests_.started();
  if (failure_waits_) return;
  requests_.mark_started();
  request.ended = true;
  request.status = DtoStatus::LocalProtection;
  break_connection();
}

DATUM_NO_CANARY void Endpoint::report_request(const Request& request, Token subject) {
  if ((request.flags & kHalf) != 0) [[unlikely]] {
    report_half(request, subject);
    return;
  }
  const bool failed = request.status != DtoStatus::Success;
  if (!request_evd_ || (!failed && (request.flags & kSuppress) != 0)) return;
  Event event;
  event.kind = request.opcode == Opcode::Bind ? EventKind::Bind : EventKind::Dto;
  event.status = request.status;
  event.opcode = request.opcode;
  event.object = subject;
  event.cookie = request.cookie;
  event.value = failed ? 0 : request.length;
  request_evd_->push_completion(event, failed || (request.flags & kUnsignalled) == 0);
}

} // namespace datum
