// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/iwarp/outbound.h"

#include "transport/iwarp/header_octets.h"

namespace datum::iwarp {

void Outbound::begin(std::uint32_t first_msn) {
  requester_.begin(first_msn);
  responder_.begin(first_msn);
  reads_.begin(first_msn);
  unfinished_.begin(first_msn);
  stream_.placed = stream_.told = first_msn - 1;
}

// --- our own requests ----------------------------------------------------------------------------

StartResult Outbound::later() {
  wants_room_ = true;
  return StartResult::Later;
}

StartResult Outbound::start(const OutboundRequest& request, bool within_call) {
  if (stream_.ended || held_ || requester_.busy()) return later();
  if (within_call) return start_within_call(request);
  if (!requester_.take(request) || !turn_.is_free() || !own_turn()) return StartResult::Started;
  acknowledge_first();
  requester_.build_all();
  queue_.rest();
  return StartResult::Started;
}

StartResult Outbound::start_within_call(const OutboundRequest& request) {
  if (!requester_.suits_call(request) || !turn_.is_free() || !own_turn()) return later();
  acknowledge_first();
  const bool built = requester_.build_within_call(request);
  queue_.rest();
  return built ? StartResult::Started : later();
}

void Outbound::acknowledge_first() {
  if (owes_ack() && queue_.ready()) build_ack();
}

// --- what is due ---------------------------------------------------------------------------------

bool Outbound::has_work() const {
  if (stream_.ended || held_) return false;
  return requester_.failed() || turn_.is_response() || responder_.ready() ||
         (asks_ && turn_.is_free()) || requester_.may_build();
}

void Outbound::fill() {
  turn_.try_again();
  if (stream_.ended || held_) return;
  if (requester_.failed()) {
    requester_.report_failure();
    return;
  }
  while (!stream_.ended && build_next()) {
  }
  queue_.rest();
}

bool Outbound::build_next() {
  if (turn_.is_response()) return responder_.build();
  const bool own = requester_.may_build();
  if (turn_.is_free()) {
    if (owes_ack()) return build_ack();
    if (asks_) return build_question();
    if (responder_.ready() && (!own || !own_turn())) return responder_.build();
  }
  return own && requester_.build_next();
}

void Outbound::give_room() {
  if (!wants_room_ || stream_.ended || held_ || requester_.busy() || !turn_.is_free() ||
      !own_turn() || !queue_.room_for(UntaggedHeader::kWireSize, 1, true))
    return;
  wants_room_ = false;
  stream_.events->on_room();
}

// If FPDUs will be dropped at the end, no answer may follow them: it would stand in the middle of
// the message that they belong to.
bool Outbound::may_answer_before_the_end() const {
  return !stream_.ended && !held_ && !turn_.is_own() && begun_source_holds() &&
         queue_.stays_at_the_end();
}

void Outbound::answer_before_the_end() {
  // If an answer fails, the failure calls this again. It sends its own Terminate.
  if (responder_.answers_for_the_last_time() || !may_answer_before_the_end()) return;
  responder_.answer_for_the_last_time();
}

// --- the memory of FPDUs that wait for TCP -------------------------------------------------------

bool Outbound::holds(const PayloadSource& source) const {
  if (source.work != nullptr) return stream_.events->recheck_local(*source.work, kLocalRead);
  std::uint64_t memory = 0;
  return stream_.events->check_remote(source.stag, source.address, source.length, kRemoteRead,
                                      memory) == AccessFault::None;
}

void Outbound::fail_without_memory() {
  const WorkRequest* lost = nullptr;
  queue_.all_sources([&](const PayloadSource& source) {
    const bool held = holds(source);
    if (!held) lost = source.work;
    return held;
  });
  // If the memory belongs to an answer to the peer, no request of this side fails.
  if (lost == nullptr) return;
  const std::optional<std::uint32_t> before = unfinished_.find(*lost);
  if (before)
    stream_.events->on_request_failed(RequestClass::Placed, DtoStatus::LocalProtection, *before);
}

bool Outbound::begun_source_holds() const {
  const PayloadSource* source = queue_.begun_source();
  return source == nullptr || holds(*source);
}

// --- messages between own peers ------------------------------------------------------------------

void Outbound::build_carrier(Stag stag, std::uint64_t offset, bool sent_terminate) {
  const HeaderOctets header(tagged(Rdmap::Write, true, stag, offset));
  if (sent_terminate)
    queue_.add_last(header);
  else
    queue_.add(header, {}, true, false, {});
}

bool Outbound::build_ack() {
  if (!queue_.ready()) return turn_.lack_room();
  if (!queue_.room_for(TaggedHeader::kWireSize, 0, true)) return false;
  build_carrier(kAckStag, encode_ack(stream_.placed), false);
  stream_.told = stream_.placed;
  return true;
}

void Outbound::send_hello(const Hello& hello) {
  build_carrier(kHelloStag, encode(hello), false);
}

void Outbound::send_read_of_nothing() {
  const OutstandingRead read = reads_.add_own();
  const ReadRequest request{.sink_stag = read.sink_stag(), .source_stag = 1};
  queue_.add(HeaderOctets(untagged(Rdmap::ReadRequest, read.msn), request), {}, true, false, {});
}

void Outbound::send_rtr(Rtr form, const Hello* hello) {
  switch (form) {
  case Rtr::Read: send_read_of_nothing(); break;
  case Rtr::Send:
    queue_.add(HeaderOctets(untagged(Rdmap::Send, requester_.take_msn())), {}, true, false, {});
    break;
  case Rtr::None: // legal and harmless, and the peer may need a first FPDU (decision 402)
  case Rtr::Write: build_carrier(kHelloStag, hello != nullptr ? encode(*hello) : 0, false); break;
  }
}

void Outbound::send_to_silent_peer() {
  // In the middle of a message there is no place for it. It is not needed there either: the rest of
  // the message follows.
  if (turn_.is_free() && queue_.ready()) build_ack();
}

void Outbound::ask_silent_peer() {
  if (reads_.empty())
    asks_ = true;
  else
    send_to_silent_peer();
}

bool Outbound::build_question() {
  if (!queue_.ready() || !reads_.make_room()) return turn_.lack_room();
  if (!queue_.room_for(UntaggedHeader::kWireSize + ReadRequest::kWireSize, 0, true)) return false;
  asks_ = false;
  if (reads_.empty()) send_read_of_nothing();
  return true;
}

void Outbound::on_peer_decided() {
  asks_ = false;
  unfinished_.tell_sent();
}

// --- the last messages ---------------------------------------------------------------------------

// The requests that it acknowledges were placed, and do not fail.
void Outbound::send_last_ack() {
  if (!owes_ack()) return;
  build_carrier(kAckStag, encode_ack(stream_.placed), true);
  stream_.told = stream_.placed;
}

void Outbound::send_close() {
  send_last_ack();
  build_carrier(kCloseStag, 0, true);
}

void Outbound::send_last(const Terminate& terminate) {
  send_last_ack();
  std::byte octets[UntaggedHeader::kWireSize + Terminate::kMostOctets];
  WireWriter out(octets);
  encode(untagged(Rdmap::Terminate, kFirstMsn), out);
  const std::size_t payload = encode(terminate, out.at());
  queue_.add_last(Octets(octets).first(UntaggedHeader::kWireSize + payload));
}

} // namespace datum::iwarp
