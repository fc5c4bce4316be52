// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/iwarp/requester.h"

#include <algorithm>
#include <cassert>

#include "transport/iwarp/header_octets.h"

namespace datum::iwarp {
namespace {

// A Write is cut into messages of this size, so that a response may go in between
// (decision 417).
constexpr std::uint64_t kWriteCut = 1024 * 1024;

bool is_read_class(Rdmap opcode) {
  return opcode == Rdmap::ReadRequest || opcode == Rdmap::AtomicRequest;
}

} // namespace

void Requester::put(const OutboundRequest& request) {
  request_ = request;
  active_ = true;
  msn_ = 0;
  done_ = 0;
}

bool Requester::take(const OutboundRequest& request) {
  assert(!busy());
  if (!accept(request)) return false;
  put(request);
  return true;
}

bool Requester::suits_call(const OutboundRequest& request) const {
  const bool small = request.work == nullptr || request.work->length <= kAlwaysCopied;
  return small && !is_read_class(request.opcode) &&
         (!is_immediate(request.opcode) || stream_.peer_takes_extensions);
}

bool Requester::build_within_call(const OutboundRequest& request) {
  put(request);
  within_call_ = true;
  const bool built = build();
  within_call_ = false;
  if (!built) active_ = false;
  return built;
}

bool Requester::accept(const OutboundRequest& request) {
  const bool read = is_read_class(request.opcode);
  const bool refused = (read && stream_.terms.reads_out == 0) || peer_refuses(request);
  // The peer has said that it does not serve such a request. So the request fails as if the peer
  // had refused it.
  if (refused)
    failure_ =
        Failure{read ? RequestClass::Read : RequestClass::Placed, DtoStatus::RemoteResponder};
  return !refused;
}

// A peer that is undecided yet may take extensions.
bool Requester::peer_refuses(const OutboundRequest& request) const {
  return is_extension(request.opcode) && !stream_.peer_takes_extensions &&
         stream_.peer != PeerKind::Undecided;
}

bool Requester::blocked() const {
  const Rdmap opcode = request_.opcode;
  if (is_read_class(opcode) && reads_.full()) return true;
  return is_extension(opcode) && !stream_.peer_takes_extensions &&
         stream_.peer == PeerKind::Undecided;
}

void Requester::report_failure() {
  const Failure failure = *failure_;
  failure_.reset();
  const std::size_t before =
      failure.kind == RequestClass::Placed ? unfinished_.size() : reads_.of_consumer();
  control_.fail_request(failure.kind, failure.status, static_cast<std::uint32_t>(before));
}

bool Requester::build_next() {
  if (done_ == 0 && !accept(request_)) { // it was held back until the peer was known
    end();
    report_failure();
    return false;
  }
  // The memory of the request may have gone while the request waited.
  if (request_.work != nullptr && !is_read_class(request_.opcode) &&
      !stream_.events->recheck_local(*request_.work, kLocalRead)) {
    const auto before = unfinished_.size() - (done_ != 0 ? 1 : 0);
    control_.fail_request(RequestClass::Placed, DtoStatus::LocalProtection,
                          static_cast<std::uint32_t>(before));
    return false;
  }
  return build();
}

// The record of a request gets its memory before the first FPDU of the request is built.
bool Requester::build() {
  const bool accountable = is_read_class(request_.opcode) ? reads_.make_room()
                           : done_ == 0                   ? unfinished_.make_room()
                                                          : true;
  if (!accountable || !queue_.ready()) return turn_.lack_room();
  switch (request_.opcode) {
  case Rdmap::Write: return build_write();
  case Rdmap::ReadRequest: return build_read_request();
  case Rdmap::AtomicRequest: return build_atomic_request();
  case Rdmap::Immediate:
  case Rdmap::ImmediateSolicited: return build_immediate();
  default: return build_send();
  }
}

std::optional<std::size_t> Requester::next_payload(std::size_t header, std::uint64_t left,
                                                   bool copied) const {
  const PayloadLeft message{.header = header,
                            .segments = request_.work->local.size(),
                            .octets = left,
                            .copied = copied,
                            .in_full = within_call_};
  const std::optional<std::size_t> payload = iwarp::next_payload(stream_, queue_, message);
  return within_call_ && payload != left ? std::nullopt : payload;
}

void Requester::end() {
  active_ = false;
  turn_.on_own(true);
}

bool Requester::build_send() {
  const WorkRequest& work = *request_.work;
  const std::uint64_t left = work.length - done_;
  const bool copied = is_copied(stream_, left);
  const std::optional<std::size_t> payload = next_payload(UntaggedHeader::kWireSize, left, copied);
  if (!payload) return false;
  if (done_ == 0) {
    msn_ = next_msn_++;
    unfinished_.add_send(&work, msn_);
  }
  UntaggedHeader header = untagged(request_.opcode, msn_);
  header.control.last = *payload == left;
  header.invalidate = is_invalidating(request_.opcode) ? request_.invalidate : 0;
  header.offset = static_cast<std::uint32_t>(done_);
  queue_.add(HeaderOctets(header), {work.local, done_, *payload}, copied, header.control.last,
             {.work = &work});
  done_ += *payload;
  turn_.on_own(header.control.last);
  if (!header.control.last) return true;
  unfinished_.on_message_built();
  unfinished_.on_request_built();
  active_ = false;
  return true;
}

bool Requester::build_write() {
  const WorkRequest& work = *request_.work;
  const std::uint64_t left = std::min(work.length - done_, kWriteCut - done_ % kWriteCut);
  const bool copied = is_copied(stream_, left);
  const std::optional<std::size_t> payload = next_payload(TaggedHeader::kWireSize, left, copied);
  if (!payload) return false;
  if (done_ == 0) unfinished_.add_write(work);
  const bool last = *payload == left;
  // No peer checks the STag and TO of an empty Write. With these values it is no message between
  // own peers (own_peer.h).
  const TaggedHeader header =
      work.length == 0 ? tagged(Rdmap::Write, true, kHelloStag, 0)
                       : tagged(Rdmap::Write, last, work.remote.stag, work.remote.address + done_);
  queue_.add(HeaderOctets(header), {work.local, done_, *payload}, copied, last, {.work = &work});
  done_ += *payload;
  turn_.on_own(last);
  if (last) unfinished_.on_message_built();
  if (done_ != work.length) return true;
  unfinished_.on_request_built();
  active_ = false;
  return true;
}

bool Requester::build_immediate() {
  if (blocked()) return false;
  const std::size_t size = UntaggedHeader::kWireSize + kImmediateSize;
  if (!queue_.room_for(size, 0, true)) return false;
  msn_ = next_msn_++;
  unfinished_.add_send(request_.work, msn_);
  std::byte octets[UntaggedHeader::kWireSize + kImmediateSize];
  WireWriter out(octets);
  encode(untagged(request_.opcode, msn_), out);
  out.u64(request_.immediate);
  queue_.add(octets, {}, true, true, {});
  unfinished_.on_message_built();
  unfinished_.on_request_built();
  end();
  return true;
}

bool Requester::build_read_request() {
  if (blocked()) return false;
  if (!queue_.room_for(UntaggedHeader::kWireSize + ReadRequest::kWireSize, 0, true)) return false;
  const WorkRequest& work = *request_.work;
  const OutstandingRead read = reads_.add_read(work);
  const ReadRequest request{.sink_stag = read.sink_stag(),
                            .sink_offset = read.sink_offset(),
                            .size = static_cast<std::uint32_t>(work.length),
                            .source_stag = work.remote.stag,
                            .source_offset = work.remote.address};
  queue_.add(HeaderOctets(untagged(Rdmap::ReadRequest, read.msn), request), {}, true, false, {});
  end();
  return true;
}

bool Requester::build_atomic_request() {
  if (blocked()) return false;
  if (!queue_.room_for(UntaggedHeader::kWireSize + AtomicRequest::kWireSize, 0, true)) return false;
  AtomicRequest request = request_.atomic;
  request.identifier = reads_.add_atomic(*request_.work).msn;
  queue_.add(HeaderOctets(untagged(Rdmap::AtomicRequest, request.identifier), request), {}, true,
             false, {});
  end();
  return true;
}

} // namespace datum::iwarp
