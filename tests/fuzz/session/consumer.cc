// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/fuzz/session/consumer.cc: the consumer above the session, which starts requests and answers
// the peer's request for a connection.
#include "session/play.h"

namespace datum::fuzz {

WorkRequest& Play::new_work(unsigned choice, std::size_t size) {
  constexpr Opcode kPlain[] = {Opcode::Send, Opcode::RdmaWrite, Opcode::RdmaRead, Opcode::Send};
  constexpr Opcode kExtended[] = {Opcode::SendInvalidate, Opcode::WriteImmediate, Opcode::FetchAdd,
                                  Opcode::CompareSwap};
  const bool plain = (choice & 0x40U) == 0; // otherwise the request names its opcode
  Opcode opcode = plain ? kPlain[choice % 4] : Opcode::Send;
  if (plain && (choice & 0x10U) != 0) opcode = kExtended[choice % 4];
  const bool atomic = is_atomic(opcode) || (!plain && choice % 8 == 7);
  const bool reads = opcode == Opcode::RdmaRead || atomic;
  if (atomic) size = sizeof(std::uint64_t);
  if (reads) size %= kMostRead + 1;
  const std::uint64_t base =
      reads ? address(sinks[next_sink_++ % kSinks].data()) : address(sources.data());
  const std::size_t third = size / 3;
  locals_.push_back({LocalTriplet{1, base, third}, LocalTriplet{1, base + third, third},
                     LocalTriplet{1, base + 2 * third, size - 2 * third}});
  if ((choice & 0x20U) == 0) locals_.back()[0].length = size;
  const std::span<const LocalTriplet> local(locals_.back().data(), (choice & 0x20U) != 0 ? 3 : 1);
  WorkRequest& work = requests_.emplace_back(send_of(local, (choice & 4U) != 0));
  work.opcode = opcode;
  work.remote = {0x900, 0x1000, size};
  if (is_atomic(opcode))
    work.extra.atomic = {.operand = 1, .compare = 5};
  else
    work.extra.note = {opcode, 7, size};
  return work;
}

void Play::consumer_starts(Input& input, bool now) {
  const unsigned choice = input.byte();
  std::size_t size = (choice & 0x80U) != 0 ? input.take<std::uint16_t>() : input.byte();
  // Sizes around 8192 octets: up to that size a session copies payload and computes its CRC in one
  // pass.
  if ((choice & 8U) != 0) size = 4096 + 32 * (size % 256);
  WorkRequest& work = new_work(choice, size);
  if (now) {
    if (side_.session.start_now(work) == StartResult::Started) leave_at_once();
    return;
  }
  if ((choice & 0x40U) != 0) {
    OutboundRequest request;
    request.work = &work;
    request.opcode = static_cast<Rdmap>(3 + choice % 8);
    if (request.opcode == Rdmap::Terminate) return;
    if (request.opcode == Rdmap::AtomicRequest)
      request.atomic.operation = AtomicOperation::FetchAdd;
    if (is_immediate(request.opcode)) request.work = nullptr;
    side_.session.start_extension(request);
    return;
  }
  const bool started = side_.session.start(work) == StartResult::Started;
  if (started && (size & 1U) != 0) leave_at_once();
}

void Play::leave_at_once() {
  std::array<Octets, 16> pieces;
  const std::size_t count = side_.session.output_at_once(pieces);
  std::size_t all = 0;
  for (const Octets& piece : std::span(pieces).first(count)) {
    heard(piece);
    all += piece.size();
  }
  if (all == 0) return;
  side_.session.sent_at_once(all);
  saw(Situation::SentAtOnce, choices_.initiator());
}

// Answers the peer's request, once.
void Play::consumer_answers(unsigned choice) {
  if (accepted_ || choices_.initiator() || !side_.events.asked()) return;
  accepted_ = true;
  if ((choice & 0x10U) != 0) {
    side_.session.reject(private_data_, side_.now);
  } else if ((choice & 0x20U) != 0) {
    side_.session.refuse((choice & 0x40U) != 0 ? Refusal::NotHere : Refusal::NotAccepted,
                         side_.now);
    saw(Situation::Refuses, false);
  } else {
    side_.session.accept(private_data_, wishes(), side_.events, side_.now);
  }
}

} // namespace datum::fuzz
