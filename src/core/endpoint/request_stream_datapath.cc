// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core/endpoint/request_stream_datapath.cc: starting, ending and reporting requests.
// Hot path: no allocation, no logging, no lock beyond the adapter's.

#include "base/assertion.h"
#include "base/no_canary.h"
#include "core/endpoint/request_stream.h"

namespace datum {

// True: the request overtakes no earlier one, and neither a fence nor the limit of Reads holds it
// back.
bool RequestStream::may_start_now(const WorkRequest& work, CompletionFlags flags) const {
  if (channel_ == nullptr || queue_.started() != queue_.posted() || starting_) return false;
  if ((flags & kBarrierFence) != 0 && reads_started_ > 0) return false;
  return !is_read_class(work.opcode) || reads_started_ < reads_out_;
}

void RequestStream::submit(const WorkRequest& work, std::uint64_t cookie, CompletionFlags flags) {
  DATUM_ASSERT(!full());
  const PostedRequest request{cookie, work.length, flags, work.opcode};
  if (may_start_now(work, flags)) [[likely]] {
    const StartResult result = channel_->start_now(work);
    if (result != StartResult::Later) {
      queue_.push(request).ended = result == StartResult::Finished;
      queue_.mark_started();
      if (result == StartResult::Finished)
        retire();
      else if (is_read_class(work.opcode))
        ++reads_started_;
      return;
    }
  }
  queue_.keep(work);
  queue_.push(request);
  start_or_flush();
}

void RequestStream::start_or_flush() {
  if (channel_ == nullptr)
    flush();
  else if (queue_.started() + 1 == queue_.posted())
    start(true);
}

void RequestStream::start(bool just_checked) {
  if (starting_) return;
  starting_ = true;
  while (queue_.started() != queue_.posted() && channel_ != nullptr) {
    const std::uint64_t at = queue_.started();
    PostedRequest& request = queue_.at(at);
    if ((request.flags & kBarrierFence) != 0 && reads_started_ > 0) break;
    if (request.opcode == Opcode::Bind) {
      queue_.mark_started();
      request.ended = true;
      queue_.bind(at).carry_out(frame_.adapter().regions(), frame_.number());
      continue;
    }
    const bool read = is_read_class(request.opcode);
    // The request is held back, and every later one with it: requests start in posting order
    // (decision 306).
    if (read && reads_started_ >= reads_out_ && reads_out_ > 0) break;
    const WorkRequest& work = queue_.work(at);
    // The request has waited for its turn. Its memory may have been freed meanwhile.
    if (!just_checked && !frame_.still_covers(work.local, read ? kLocalWrite : kLocalRead)) {
      fail_unstarted(request);
      break;
    }
    const StartResult result = channel_->start(work);
    if (result == StartResult::Later) {
      ++frame_.tally().stalls;
      break;
    }
    queue_.mark_started();
    if (result == StartResult::Finished)
      request.ended = true;
    else if (read)
      ++reads_started_;
  }
  starting_ = false;
  retire();
}

std::uint64_t RequestStream::oldest_unended(RequestClass kind) {
  std::uint64_t& cursor = kind == RequestClass::Read ? read_cursor_ : placed_cursor_;
  if (cursor < queue_.retired()) cursor = queue_.retired();
  while (cursor != queue_.started() && !unended(cursor, kind)) ++cursor;
  return cursor;
}

bool RequestStream::unended(std::uint64_t at, RequestClass kind) {
  const PostedRequest& request = queue_.at(at);
  const bool member =
      kind == RequestClass::Read ? is_read_class(request.opcode) : is_placed_class(request.opcode);
  return member && !request.ended;
}

void RequestStream::on_placed(std::uint32_t count) {
  for (; count != 0; --count) {
    const std::uint64_t at = oldest_unended(RequestClass::Placed);
    if (at == queue_.started()) break;
    queue_.at(at).ended = true;
  }
  retire();
  if (failure_waits_) [[unlikely]]
    start();
}

void RequestStream::on_read_done() {
  const std::uint64_t at = oldest_unended(RequestClass::Read);
  if (at == queue_.started()) return;
  queue_.at(at).ended = true;
  DATUM_ASSERT(reads_started_ > 0);
  --reads_started_;
  // Requests that a fence or the limit of Reads held back may start now.
  if (queue_.started() != queue_.posted())
    start();
  else
    retire();
}

void RequestStream::retire_ended() {
  retiring_ = true;
  while (queue_.retired() != queue_.started()) {
    const std::uint64_t at = queue_.retired();
    const PostedRequest& request = queue_.at(at);
    if (!request.ended) break;
    // The flush, which may come later, reports this failure and fails all later requests.
    if (request.status != DtoStatus::Success && channel_ != nullptr) [[unlikely]]
      break;
    queue_.retire();
    const bool bind = request.opcode == Opcode::Bind;
    report(request, bind ? queue_.bind(at).window_token : frame_.token());
  }
  retiring_ = false;
}

void RequestStream::retire() {
  if (!retiring_) retire_ended();
  if (draining_) [[unlikely]]
    frame_.on_requests_retired();
}

// The next request to start cannot be carried out. But started requests end before it does: if one
// of them fails, that failure is the first and flushes this request.
void RequestStream::fail_unstarted(PostedRequest& request) {
  if (!retiring_) retire_ended();
  failure_waits_ = queue_.retired() != queue_.started();
  if (failure_waits_) return;
  queue_.mark_started();
  request.ended = true;
  request.status = DtoStatus::LocalProtection;
  frame_.break_connection();
}

DATUM_NO_CANARY void RequestStream::report(const PostedRequest& request, Token subject) {
  if ((request.flags & kHalf) != 0) [[unlikely]] {
    report_half(request, subject);
    return;
  }
  const bool failed = request.status != DtoStatus::Success;
  if (evd() == nullptr || (!failed && (request.flags & kSuppress) != 0)) return;
  Event event;
  event.kind = request.opcode == Opcode::Bind ? EventKind::Bind : EventKind::Dto;
  event.status = request.status;
  event.opcode = request.opcode;
  event.object = subject;
  event.cookie = request.cookie;
  event.value = failed ? 0 : request.length;
  evd()->push_completion(event, failed || (request.flags & kUnsignalled) == 0);
}

} // namespace datum
