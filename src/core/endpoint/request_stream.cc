// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core/endpoint/request_stream.cc: the part of a stream of requests that runs seldom: its beginning
// and end, pairs and binds, failures.
#include "core/endpoint/request_stream.h"

#include <utility>

#include "base/assertion.h"

namespace datum {

RequestStream::RequestStream(EndpointFrame& frame, EventDispatcher* evd)
    : frame_(frame), completions_(evd, frame.attributes().request_completion_flags),
      queue_(frame.attributes().max_request_dtos, most_segments(frame.attributes())) {}

RequestStream::~RequestStream() {
  // A bind that was never carried out gives its context back.
  for (std::uint64_t at = queue_.retired(); at != queue_.posted(); ++at)
    queue_.bind(at).give_back(frame_.adapter().regions());
}

void RequestStream::open(Channel& channel, std::int32_t reads_out) {
  DATUM_ASSERT(channel_ == nullptr && empty());
  channel_ = &channel;
  reads_out_ = reads_out;
  placed_cursor_ = read_cursor_ = queue_.posted();
  reads_started_ = 0;
}

void RequestStream::flush() {
  channel_ = nullptr;
  draining_ = false;
  failure_waits_ = false;
  queue_.start_all();
  bool failed = false;
  for (std::uint64_t at = queue_.retired(); at != queue_.posted(); ++at) {
    PostedRequest& request = queue_.at(at);
    // After the first failed request all others fail, even those that have been carried out
    // (dat_ep_disconnect(3DAT), Description).
    const bool succeeded = request.ended && request.status == DtoStatus::Success;
    if (succeeded && !failed) continue;
    failed = true;
    if (request.ended && !succeeded) continue;
    request.ended = true;
    request.status = DtoStatus::Flushed;
    if (request.opcode == Opcode::Bind) queue_.bind(at).drop(frame_.adapter().regions());
  }
  retire();
}

void RequestStream::on_failed(RequestClass kind, DtoStatus status, std::uint32_t before) {
  std::uint64_t at = oldest_unended(kind);
  for (; at != queue_.started(); ++at)
    if (unended(at, kind) && before-- == 0) break;
  if (at == queue_.started()) return;
  PostedRequest& request = queue_.at(at);
  request.ended = true;
  request.status = status;
  if (status == DtoStatus::RemoteAccess) ++frame_.adapter().tally().own_access_faults;
  DATUM_ASSERT(kind != RequestClass::Read || reads_started_ > 0);
  if (kind == RequestClass::Read) --reads_started_;
  // The flush that on_closed() causes reports this failure, and fails all later requests.
}

// --- binds, pairs, datagrams ---------------------------------------------------------------------

void RequestStream::submit_bind(BindRequest&& bind, std::uint64_t cookie, CompletionFlags flags) {
  DATUM_ASSERT(!full());
  queue_.next_bind() = std::move(bind);
  queue_.push({.cookie = cookie, .flags = flags, .opcode = Opcode::Bind});
  start_or_flush();
}

void RequestStream::forget_window(const MemoryWindow& window) {
  for (std::uint64_t at = queue_.retired(); at != queue_.posted(); ++at)
    if (BindRequest& bind = queue_.bind(at); bind.window == &window) bind.window = nullptr;
}

void RequestStream::begin_pair() {
  queue_.make_room_for_pair();
  queue_.begin_pair();
}

void RequestStream::report_half(const PostedRequest& request, Token subject) {
  if (request.opcode != Opcode::WriteImmediate) {
    first_half_ = request;
    queue_.end_first_half();
    return;
  }
  PostedRequest whole = request;
  whole.flags &= ~kHalf;
  whole.length = first_half_.length;
  // The first half may be flushed only because the second half failed. Then the status of the
  // second half counts.
  const DtoStatus first = first_half_.status;
  if (first != DtoStatus::Success &&
      (first != DtoStatus::Flushed || whole.status == DtoStatus::Success))
    whole.status = first;
  report(whole, subject);
}

void RequestStream::add_ended(const PostedRequest& request) {
  DATUM_ASSERT(!full());
  queue_.push(request).ended = true;
  queue_.mark_started();
  retire();
}

void RequestStream::add_flushed(const PostedRequest& request) {
  DATUM_ASSERT(!full());
  queue_.push(request);
  flush();
}

} // namespace datum
