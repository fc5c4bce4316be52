// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/iwarp/inbound_waiting.cc: delivery of messages to Recvs, and messages for which there
// is none yet.
#include <new>

#include "base/copy_bytes.h"
#include "core/port/copy.h"
#include "transport/iwarp/inbound.h"

namespace datum::iwarp {
namespace {

// What a waiting message costs beside its octets: empty ones need a bound, too.
constexpr std::size_t kStagedOverhead = 128;

} // namespace

std::size_t Inbound::staged_cost() const {
  return staged_octets_ + staged_.size() * kStagedOverhead;
}

// A place for the message that the current FPDU belongs to. Wait: there is none.
Step Inbound::stage() {
  if (send_open_) return Step::Go; // has one
  if (staged_cost() + kStagedOverhead > stream_.most_staged) return Step::Wait;
  try {
    Staged message;
    if (is_immediate(untagged_.control.opcode)) message.octets.reserve(kImmediateSize);
    message.header = untagged_;
    message.ulpdu = ulpdu_;
    staged_.push(std::move(message), stream_.now);
  } catch (const std::bad_alloc&) {
    // With nothing else that waits, nobody's patience would end.
    return staged_.empty() ? refuse_segment(error::kNoBuffer) : Step::Wait;
  }
  return Step::Go;
}

std::size_t Inbound::staged_places(std::uint64_t done, std::uint64_t length,
                                   std::span<Segment> out) {
  const std::size_t cost = staged_cost();
  if (cost >= stream_.most_staged) return 0;
  std::vector<std::byte>& octets = staged_.back().octets;
  const auto at = static_cast<std::size_t>(untagged_.offset + done);
  const auto piece =
      static_cast<std::size_t>(std::min<std::uint64_t>(length, stream_.most_staged - cost));
  try {
    octets.resize(at + piece);
  } catch (const std::bad_alloc&) {
    return 0; // held by TCP until a Recv is posted
  }
  staged_octets_ += piece;
  out[0] = {octets.data() + at, piece};
  return 1;
}

void Inbound::end_send() {
  const bool last = untagged_.control.last;
  if (swallow_) {
    ++next_msn_[kSendQueue];
    outbound_.responder().on_delivered(next_msn_[kSendQueue]);
    return;
  }
  send_received_ = untagged_.offset + payload_;
  if (!last) return;
  const std::uint64_t length = send_received_;
  send_received_ = 0;
  send_open_ = false;
  ++next_msn_[kSendQueue];
  if (staged_.empty()) {
    deliver(send_first_, send_ulpdu_, length);
    return;
  }
  staged_.back().whole = true;
}

void Inbound::end_immediate() {
  const Octets data = Octets(header_).subspan(UntaggedHeader::kWireSize, kImmediateSize);
  ++next_msn_[kSendQueue];
  if (staged_.empty()) {
    deliver_immediate(data, untagged_.msn, is_solicited(untagged_.control.opcode));
    return;
  }
  staged_.back().octets.assign(data.begin(), data.end());
  staged_octets_ += data.size();
  staged_.back().whole = true;
}

bool Inbound::may_invalidate(const UntaggedHeader& header, std::uint16_t ulpdu,
                             const MessageNote& note) {
  const AccessFault fault = stream_.events->check_note(note);
  if (fault == AccessFault::None) return true;
  std::byte octets[UntaggedHeader::kWireSize];
  WireWriter out(octets);
  encode(header, out);
  stream_.events->fail_receive(DtoStatus::LocalProtection);
  if (!over_)
    control_.fail(make_terminate(fault == AccessFault::WrongZone ? error::kProtectionInvalidate
                                                                 : error::kCannotInvalidate,
                                 ulpdu, octets)); // 38
  return false;
}

// The counters go on before the completion, which may end the connection.
bool Inbound::deliver(const UntaggedHeader& header, std::uint16_t ulpdu, std::uint64_t length) {
  const bool invalidates = is_invalidating(header.control.opcode);
  const MessageNote note{Opcode::SendInvalidate, header.invalidate, 0};
  if (invalidates && !may_invalidate(header, ulpdu, note)) return false;
  count_placed(1);
  outbound_.responder().on_delivered(header.msn + 1);
  const bool solicited = is_solicited(header.control.opcode);
  if (invalidates)
    stream_.events->complete_noted(length, solicited, note);
  else
    stream_.events->complete_receive(length, solicited);
  return !over_;
}

void Inbound::deliver_immediate(Octets data, std::uint32_t msn, bool solicited) {
  std::uint64_t number = 0;
  WireReader in(data);
  if (!in.u64(number)) return;
  count_placed(1);
  outbound_.responder().on_delivered(msn + 1);
  stream_.events->complete_noted(0, solicited, decode_immediate(number));
}

void Inbound::count_write() {
  // In posting order: behind the messages that still wait.
  if (!staged_.count_write()) count_placed(1);
}

void Inbound::on_receive_posted() {
  if (!over_) drain_staged();
}

void Inbound::drain_staged() {
  while (!over_ && !staged_.empty() && move_front()) {
  }
}

// The message that waits first goes to its Recv, or as much of it as has come. False: it waits on,
// or the connection has ended.
bool Inbound::move_front() {
  std::span<const LocalTriplet> into;
  std::uint64_t capacity = 0;
  switch (stream_.events->take_receive(into, capacity)) {
  case TakeResult::NoReceive: return false;
  case TakeResult::Protection:
    if (!over_) control_.fail(make_terminate(error::kDdpLocal));
    return false;
  case TakeResult::Taken: break;
  }
  const Staged& first = staged_.front();
  const UntaggedHeader header = first.header;
  const std::uint16_t ulpdu = first.ulpdu;
  const bool immediate = is_immediate(header.control.opcode);
  // What is left of the FPDU under way has to fit, too: it goes straight from now on.
  std::uint64_t length = first.octets.size();
  if (!first.whole && !control_octets_.tagged && untagged_.msn == header.msn)
    length = std::max<std::uint64_t>(length, untagged_.offset + payload_);
  if (!immediate && length > capacity) {
    std::byte octets[UntaggedHeader::kWireSize];
    WireWriter out(octets);
    encode(header, out);
    stream_.events->fail_receive(DtoStatus::LocalLength);
    if (!over_) control_.fail(make_terminate(error::kTooLong, ulpdu, octets));
    return false;
  }
  if (!immediate) scatter(into, 0, first.octets.data(), first.octets.size());
  const bool whole = first.whole;
  const std::vector<std::byte> octets = std::move(staged_.front().octets);
  staged_octets_ -= octets.size();
  const std::uint32_t writes = staged_.pop(stream_.now, *stream_.events);
  if (!whole) return true;
  if (immediate) {
    deliver_immediate(octets, header.msn, is_solicited(header.control.opcode));
  } else if (!deliver(header, ulpdu, octets.size())) {
    return false;
  }
  if (!over_) count_placed(writes);
  return !over_;
}

void Inbound::on_time() {
  if (over_ || staged_.empty() || !staged_.is_over(stream_.now, *stream_.events)) return;
  const Staged& first = staged_.front();
  std::byte octets[UntaggedHeader::kWireSize];
  WireWriter out(octets);
  encode(first.header, out);
  control_.fail(make_terminate(error::kNoBuffer, first.ulpdu, octets));
}

} // namespace datum::iwarp
