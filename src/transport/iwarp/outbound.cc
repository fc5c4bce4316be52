// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/iwarp/outbound.h"

#include <algorithm>

#include "transport/iwarp/header_octets.h"

namespace datum::iwarp {
namespace {

// Up to here a copy costs less than two more pieces to gather (decision 418).
constexpr std::size_t kCopyMost = 1024;
// With a CRC, which has to be that of what is sent: programs write into what they have just posted,
// though they must not. Above this copies would cost too much of the bandwidth.
constexpr std::size_t kCopyMostWithCrc = 8 * 1024;
// A Write is cut into messages of this size, so that a response may go in between
// (decision 417).
constexpr std::uint64_t kWriteCut = 1024 * 1024;
constexpr unsigned kResponsesInARow = 4; // then a message of our own has its turn
constexpr std::size_t kLeastCopiedPayload = 4096;

bool is_read_class(Rdmap opcode) {
  return opcode == Rdmap::ReadRequest || opcode == Rdmap::AtomicRequest;
}

} // namespace

void Outbound::begin(std::uint32_t first_msn) {
  next_send_msn_ = next_read_msn_ = next_atomic_msn_ = delivered_ = first_msn;
  built_ = sent_ = acked_ = stream_.placed = stream_.told = first_msn - 1;
}

StartResult Outbound::later() {
  wants_room_ = true;
  return StartResult::Later;
}

StartResult Outbound::start(const Request& request, bool within_call) {
  if (ended_ || held_ || own_.active || failure_) return later();
  if (within_call) return build_within_call(request);
  if (!accept(request)) return StartResult::Started;
  own_ = {.request = request, .active = true};
  if (current_ != Current::None || !own_turn()) return StartResult::Started;
  if (owes_ack() && queue_.ready()) build_ack();
  while (own_.active && build_own()) {
  }
  queue_.rest();
  return StartResult::Started;
}

// For requests whose memory is not ours after the call: whole and copied, or not at all.
StartResult Outbound::build_within_call(const Request& request) {
  const bool small = request.work == nullptr || request.work->length <= kCopyMost;
  if (!small || is_read_class(request.opcode) || current_ != Current::None || !own_turn() ||
      (is_immediate(request.opcode) && !stream_.peer_takes_extensions))
    return later();
  own_ = {.request = request, .active = true};
  if (owes_ack() && queue_.ready()) build_ack();
  within_call_ = true;
  const bool built = build_own();
  within_call_ = false;
  queue_.rest();
  if (built) return StartResult::Started;
  own_.active = false;
  return later();
}

bool Outbound::accept(const Request& request) {
  const bool read = is_read_class(request.opcode);
  const bool refused = (read && stream_.terms.reads_out == 0) || peer_refuses(request);
  // The peer said that it does not serve it: as if it had refused.
  if (refused)
    failure_ =
        Failure{read ? RequestClass::Read : RequestClass::Placed, DtoStatus::RemoteResponder};
  return !refused;
}

// One that is not known yet may take them.
bool Outbound::peer_refuses(const Request& request) const {
  return is_extension(request.opcode) && !stream_.peer_takes_extensions &&
         stream_.peer != PeerKind::Undecided;
}

bool Outbound::own_blocked() const {
  if (!own_.active) return false;
  const Rdmap opcode = own_.request.opcode;
  if (is_read_class(opcode) && reads_.size() >= stream_.terms.reads_out) return true;
  return is_extension(opcode) && !stream_.peer_takes_extensions &&
         stream_.peer == PeerKind::Undecided;
}

bool Outbound::own_turn() const {
  return !response_ready() || responses_in_a_row_ >= kResponsesInARow;
}

bool Outbound::has_work() const {
  if (ended_ || held_) return false;
  return failure_ || current_ == Current::Response || response_ready() ||
         (asks_ && current_ == Current::None) || (own_.active && !own_blocked());
}

void Outbound::fill() {
  starved_ = false;
  if (ended_ || held_) return;
  if (failure_) {
    report_failure();
    return;
  }
  while (!ended_ && build_next()) {
  }
  queue_.rest();
}

void Outbound::report_failure() {
  const Failure failure = *failure_;
  failure_.reset();
  const std::size_t before =
      failure.kind == RequestClass::Placed ? unfinished_.size() : consumer_reads();
  control_.fail_request(failure.kind, failure.status, static_cast<std::uint32_t>(before));
}

bool Outbound::build_next() {
  if (current_ == Current::Response) return build_response();
  const bool own = own_.active && !own_blocked();
  if (current_ == Current::None) {
    if (owes_ack()) return build_ack();
    if (asks_) return build_question();
    if (response_ready() && (!own || !own_turn())) return build_response();
  }
  if (!own) return false;
  if (own_.done == 0 && !accept(own_.request)) { // it was held back until the peer was known
    end_own();
    report_failure();
    return false;
  }
  // Its memory may have gone while it waited.
  if (own_.request.work != nullptr && !is_read_class(own_.request.opcode) &&
      !stream_.events->recheck_local(*own_.request.work, kLocalRead)) {
    const auto before = unfinished_.size() - (own_.done != 0 ? 1 : 0);
    control_.fail_request(RequestClass::Placed, DtoStatus::LocalProtection,
                          static_cast<std::uint32_t>(before));
    return false;
  }
  return build_own();
}

void Outbound::give_room() {
  if (!wants_room_ || ended_ || held_ || own_.active || failure_ || current_ != Current::None ||
      !own_turn() || !queue_.room_for(UntaggedHeader::kWireSize, 1, true))
    return;
  wants_room_ = false;
  stream_.events->on_room();
}

bool Outbound::holds(const Source& source) const {
  if (source.work != nullptr) return stream_.events->recheck_local(*source.work, kLocalRead);
  std::uint64_t memory = 0;
  return stream_.events->check_remote(source.stag, source.address, source.length, kRemoteRead,
                                      memory) == AccessFault::None;
}

bool Outbound::sources_hold() const {
  return queue_.all_sources([this](const Source& source) { return holds(source); });
}

void Outbound::fail_without_memory() {
  const WorkRequest* lost = nullptr;
  queue_.all_sources([&](const Source& source) {
    const bool held = holds(source);
    if (!held) lost = source.work;
    return held;
  });
  std::uint32_t before = 0;
  while (before < unfinished_.size() && unfinished_[before].work != lost) ++before;
  // The memory of an answer to the peer fails no request of ours.
  if (lost == nullptr || before == unfinished_.size()) return;
  stream_.events->on_request_failed(RequestClass::Placed, DtoStatus::LocalProtection, before);
}

bool Outbound::begun_source_holds() const {
  const Source* source = queue_.begun_source();
  return source == nullptr || holds(*source);
}

// --- our own requests ----------------------------------------------------------------------------

bool Outbound::starve() {
  starved_ = true;
  return false;
}

// What it takes to keep account of the request is there before anything of it is.
bool Outbound::build_own() {
  const bool accountable = is_read_class(own_.request.opcode) ? reads_.make_room()
                           : own_.done == 0                   ? unfinished_.make_room()
                                                              : true;
  if (!accountable || !queue_.ready()) return starve();
  switch (own_.request.opcode) {
  case Rdmap::Write: return build_write();
  case Rdmap::ReadRequest: return build_read_request();
  case Rdmap::AtomicRequest: return build_atomic_request();
  case Rdmap::Immediate:
  case Rdmap::ImmediateSolicited: return build_immediate();
  default: return build_send();
  }
}

bool Outbound::copies(std::uint64_t left) const {
  return left <= (stream_.terms.crc ? kCopyMostWithCrc : kCopyMost);
}

std::optional<std::size_t> Outbound::next_payload(std::size_t header, std::size_t segments,
                                                  std::uint64_t left, bool copied) const {
  const std::optional<std::size_t> room = queue_.room_for(header, segments, copied);
  if (!room) return std::nullopt;
  // The short FPDU goes first: whoever reads the end of a large one can take it along, and the next
  // header with it.
  const std::uint64_t most = stream_.most_ulpdu - header;
  const std::uint64_t rest = left <= most ? left : left % most;
  const auto whole = static_cast<std::size_t>(rest != 0 || left == 0 ? rest : most);
  if (*room >= whole) return whole;
  // A piece that is cut short by what is left of the chunk only costs a header more.
  if (within_call_ || *room < kLeastCopiedPayload) return std::nullopt;
  return *room;
}

// A request is on record before its first FPDU can be sent.
void Outbound::record(const Request& request) {
  Unfinished entry;
  entry.work = request.work;
  entry.write = request.opcode == Rdmap::Write;
  entry.msn = own_.msn;
  if (entry.write) {
    entry.stag = request.work->remote.stag;
    entry.address = request.work->remote.address;
    entry.length = request.work->length;
  }
  unfinished_.push(entry);
}

void Outbound::end_own() {
  own_.active = false;
  current_ = Current::None;
  responses_in_a_row_ = 0;
}

bool Outbound::build_send() {
  const WorkRequest& work = *own_.request.work;
  const std::uint64_t left = work.length - own_.done;
  const bool copied = copies(left);
  const std::optional<std::size_t> payload =
      next_payload(UntaggedHeader::kWireSize, work.local.size(), left, copied);
  if (!payload || (within_call_ && *payload != left)) return false;
  if (own_.done == 0) {
    own_.msn = next_send_msn_++;
    record(own_.request);
  }
  UntaggedHeader header = untagged(own_.request.opcode, own_.msn);
  header.control.last = *payload == left;
  header.invalidate = is_invalidating(own_.request.opcode) ? own_.request.invalidate : 0;
  header.offset = static_cast<std::uint32_t>(own_.done);
  queue_.add(HeaderOctets(header), {work.local, own_.done, *payload}, copied, header.control.last,
             {.work = &work});
  own_.done += *payload;
  current_ = Current::Own;
  if (!header.control.last) return true;
  unfinished_.back().last = ++built_;
  unfinished_.back().built = true;
  end_own();
  return true;
}

bool Outbound::build_write() {
  const WorkRequest& work = *own_.request.work;
  const std::uint64_t left = std::min(work.length - own_.done, kWriteCut - own_.done % kWriteCut);
  const bool copied = copies(left);
  const std::optional<std::size_t> payload =
      next_payload(TaggedHeader::kWireSize, work.local.size(), left, copied);
  if (!payload || (within_call_ && *payload != left)) return false;
  if (own_.done == 0) record(own_.request);
  const bool last = *payload == left;
  // What an empty Write names is looked at by nobody, and must not look like ours (own_peer.h).
  const TaggedHeader header = work.length == 0 ? tagged(Rdmap::Write, true, kHelloStag, 0)
                                               : tagged(Rdmap::Write, last, work.remote.stag,
                                                        work.remote.address + own_.done);
  queue_.add(HeaderOctets(header), {work.local, own_.done, *payload}, copied, last,
             {.work = &work});
  own_.done += *payload;
  current_ = last ? Current::None : Current::Own;
  if (last) {
    ++built_;
    responses_in_a_row_ = 0;
  }
  if (own_.done != work.length) return true;
  unfinished_.back().last = built_;
  unfinished_.back().built = true;
  end_own();
  return true;
}

bool Outbound::build_immediate() {
  if (own_blocked()) return false;
  const std::size_t size = UntaggedHeader::kWireSize + kImmediateSize;
  if (!queue_.room_for(size, 0, true)) return false;
  own_.msn = next_send_msn_++;
  record(own_.request);
  std::byte octets[UntaggedHeader::kWireSize + kImmediateSize];
  WireWriter out(octets);
  encode(untagged(own_.request.opcode, own_.msn), out);
  out.u64(own_.request.immediate);
  queue_.add(octets, {}, true, true, {});
  unfinished_.back().last = ++built_;
  unfinished_.back().built = true;
  end_own();
  return true;
}

bool Outbound::build_read_request() {
  if (own_blocked()) return false;
  if (!queue_.room_for(UntaggedHeader::kWireSize + ReadRequest::kWireSize, 0, true)) return false;
  const WorkRequest& work = *own_.request.work;
  const OutstandingRead read{.work = &work, .msn = next_read_msn_++, .length = work.length};
  reads_.push(read);
  const ReadRequest request{.sink_stag = read.sink_stag(),
                            .sink_offset = read.sink_offset(),
                            .size = static_cast<std::uint32_t>(work.length),
                            .source_stag = work.remote.stag,
                            .source_offset = work.remote.address};
  queue_.add(HeaderOctets(untagged(Rdmap::ReadRequest, read.msn), request), {}, true, false, {});
  end_own();
  return true;
}

bool Outbound::build_atomic_request() {
  if (own_blocked()) return false;
  if (!queue_.room_for(UntaggedHeader::kWireSize + AtomicRequest::kWireSize, 0, true)) return false;
  const OutstandingRead read{.work = own_.request.work,
                             .msn = next_read_msn_++,
                             .atomic = true,
                             .length = sizeof(std::uint64_t)};
  reads_.push(read);
  AtomicRequest request = own_.request.atomic;
  request.identifier = read.msn;
  queue_.add(HeaderOctets(untagged(Rdmap::AtomicRequest, read.msn), request), {}, true, false, {});
  end_own();
  return true;
}

void Outbound::end_read() {
  const OutstandingRead read = reads_.front();
  reads_.pop();
  if (read.work != nullptr)
    stream_.events->on_read_done();
  else
    own_read_ = false;
}

// --- completion ----------------------------------------------------------------------------------

void Outbound::report(std::uint32_t upto) {
  std::uint32_t count = 0;
  while (!unfinished_.empty() && unfinished_.front().built &&
         static_cast<std::int32_t>(upto - unfinished_.front().last) >= 0) {
    unfinished_.pop();
    ++count;
  }
  if (count != 0) stream_.events->on_placed(count);
}

void Outbound::tell_sent() {
  if (stream_.peer == PeerKind::Foreign) report(sent_);
}

bool Outbound::on_ack(std::uint32_t placed) {
  if (placed - acked_ > sent_ - acked_) return false;
  acked_ = placed;
  report(acked_);
  return true;
}

void Outbound::on_peer_decided() {
  asks_ = false;
  tell_sent();
}

// --- what peers of ours say besides
// ----------------------------------------------------------------

void Outbound::build_carrier(Stag stag, std::uint64_t offset, bool last_words) {
  const HeaderOctets header(tagged(Rdmap::Write, true, stag, offset));
  if (last_words)
    queue_.add_last(header);
  else
    queue_.add(header, {}, true, false, {});
}

bool Outbound::build_ack() {
  if (!queue_.ready()) return starve();
  if (!queue_.room_for(TaggedHeader::kWireSize, 0, true)) return false;
  build_carrier(kAckStag, encode_ack(stream_.placed), false);
  stream_.told = stream_.placed;
  return true;
}

void Outbound::send_hello(const Hello& hello) {
  build_carrier(kHelloStag, encode(hello), false);
}

void Outbound::send_read_of_nothing() {
  const OutstandingRead read{.work = nullptr, .msn = next_read_msn_++};
  reads_.push(read);
  own_read_ = true;
  const ReadRequest request{.sink_stag = read.sink_stag(), .source_stag = 1};
  queue_.add(HeaderOctets(untagged(Rdmap::ReadRequest, read.msn), request), {}, true, false, {});
}

void Outbound::send_rtr(Rtr form, const Hello* hello) {
  switch (form) {
  case Rtr::Read: send_read_of_nothing(); break;
  case Rtr::Send:
    queue_.add(HeaderOctets(untagged(Rdmap::Send, next_send_msn_++)), {}, true, false, {});
    break;
  case Rtr::None: // legal and harmless, and the peer may need a first FPDU (decision 402)
  case Rtr::Write: build_carrier(kHelloStag, hello != nullptr ? encode(*hello) : 0, false); break;
  }
}

void Outbound::send_to_silent_peer() {
  // In the middle of a message there is no place for it, and no need.
  if (current_ == Current::None && queue_.ready()) build_ack();
}

void Outbound::ask_silent_peer() {
  if (reads_.empty())
    asks_ = true;
  else
    send_to_silent_peer();
}

bool Outbound::build_question() {
  if (!queue_.ready() || !reads_.make_room()) return starve();
  if (!queue_.room_for(UntaggedHeader::kWireSize + ReadRequest::kWireSize, 0, true)) return false;
  asks_ = false;
  if (reads_.empty()) send_read_of_nothing();
  return true;
}

void Outbound::send_last_ack() {
  if (!owes_ack()) return;
  build_carrier(kAckStag, encode_ack(stream_.placed), true);
  stream_.told = stream_.placed;
}

void Outbound::send_close() {
  build_carrier(kCloseStag, 0, true);
}

void Outbound::send_last(const Terminate& terminate) {
  std::byte octets[UntaggedHeader::kWireSize + Terminate::kMostOctets];
  WireWriter out(octets);
  encode(untagged(Rdmap::Terminate, kFirstMsn), out);
  const std::size_t payload = encode(terminate, out.at());
  queue_.add_last(Octets(octets).first(UntaggedHeader::kWireSize + payload));
}

// --- a Terminate names one of our requests -------------------------------------------------------

std::optional<Outbound::Named> Outbound::find(const Terminate& terminate) const {
  if (!terminate.has_header) return std::nullopt;
  WireReader in(terminate.header);
  if (terminate.header_is_tagged()) {
    TaggedHeader echo;
    if (!decode(in, echo) || echo.control.opcode != Rdmap::Write) return std::nullopt;
    for (std::size_t i = 0; i < unfinished_.size(); ++i) {
      const Unfinished& each = unfinished_[i];
      if (each.write && each.stag == echo.stag && echo.offset - each.address < each.length)
        return Named{RequestClass::Placed, static_cast<std::uint32_t>(i)};
    }
    return std::nullopt;
  }
  UntaggedHeader echo;
  if (!decode(in, echo)) return std::nullopt;
  if (echo.queue == kSendQueue) {
    for (std::size_t i = 0; i < unfinished_.size(); ++i)
      if (!unfinished_[i].write && unfinished_[i].msn == echo.msn)
        return Named{RequestClass::Placed, static_cast<std::uint32_t>(i)};
  }
  if (echo.queue == kReadQueue) {
    // Linux siw puts the size of a Read where its MSN belongs; its sink names it as well.
    const bool by_sink = terminate.has_request && echo.control.opcode == Rdmap::ReadRequest;
    std::uint32_t before = 0;
    for (std::size_t i = 0; i < reads_.size(); ++i) {
      const OutstandingRead& each = reads_[i];
      if (each.work == nullptr) continue; // nobody's that could be told
      if (by_sink ? each.has_sink_at(terminate.request.sink_offset) : each.msn == echo.msn)
        return Named{RequestClass::Read, before, each.atomic};
      ++before;
    }
  }
  return std::nullopt;
}

} // namespace datum::iwarp
