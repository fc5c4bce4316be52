// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/fuzz/session/honest_peer.cc: the steps in which the peer keeps to the formats of the
// protocol, and answers what it was asked. A few of its Reads reach one octet beyond a region.
// Three steps send nothing: they let time pass, change the size of TCP's segments, or say how many
// octets have arrived.
#include "session/play.h"

namespace datum::fuzz {

UntaggedHeader Play::next(Rdmap opcode) {
  const std::uint32_t queue = queue_of(opcode);
  return untagged(opcode, queue, next_msn_[queue]++);
}

// The startup frame that the session waits for.
void Play::honest_startup(unsigned choice) {
  StartupFrame frame;
  frame.reply = choices_.initiator();
  frame.crc = (choices_.setting & kCrc) != 0;
  frame.markers = (choices_.more & kMarkers) != 0;
  frame.rejected = frame.reply && (choice & 1U) != 0;
  frame.revision = choices_.revision();
  const unsigned form = choices_.sizes & kForms;
  if (frame.revision == 2)
    frame.enhanced = EnhancedData{.peer_to_peer = true,
                                  .rtr_send = form == 3,
                                  .rtr_write = form < 2,
                                  .rtr_read = form == 2 || (form == 0 && !frame.reply),
                                  .ird = 4,
                                  .ord = 4};
  std::byte refusal[kRefusalSize];
  WireWriter out(refusal);
  encode((choice & 4U) != 0 ? Refusal::NotHere : Refusal::NotAccepted, out);
  if ((choice & 2U) != 0) frame.private_data = refusal;
  Bytes octets(frame.wire_size());
  encode(frame, octets.data());
  feed(octets);
  if (frame.rejected && (choice & 2U) != 0 && told("failed: non-peer rejected") != 0)
    saw(Situation::ProviderRefused, true);
  if (frame.reply && frame.revision == 1 && told("established  reads 4") != 0)
    saw(Situation::OldRequest, true);
}

// The first FPDU of the peer. As the initiator it sends the RTR that was agreed on.
void Play::honest_first(std::uint64_t hello) {
  const bool forms = !choices_.initiator() && choices_.revision() == 2;
  const unsigned form = forms ? choices_.sizes & kForms : 0;
  if (form == 2)
    feed(fpdu(next(Rdmap::ReadRequest), octets_of(ReadRequest{.sink_stag = 1, .source_stag = 1}),
              crc()));
  else if (form == 3)
    feed(fpdu(next(Rdmap::Send), {}, crc()));
  else
    feed(fpdu(tagged(Rdmap::Write, kHelloStag, hello), {}, crc()));
}

void Play::honest_hello(unsigned choice) {
  const std::uint16_t largest = kHelloUlpdus[choice % 8];
  const bool foreign = !side_.session.peer_is_own();
  const std::uint16_t flags = (choice & 8U) != 0 ? 0 : Hello::kTakesExtensions;
  feed(fpdu(tagged(Rdmap::Write, kHelloStag, hello_offset(largest, flags)), {}, crc()));
  if (!foreign || !side_.session.peer_is_own()) return;
  heard_.cut_at(largest);
  if (heard_.silent_written) saw(Situation::LateHello, choices_.initiator());
}

// Answers the oldest Read or Atomic. Sends at most `most` octets of a Read.
void Play::honest_answer(std::size_t most) {
  if (heard_.reads.empty()) return;
  Heard::Read& read = heard_.reads.front();
  const std::ptrdiff_t before = told("read done");
  if (read.atomic) {
    feed(fpdu(next(Rdmap::AtomicResponse),
              octets_of(AtomicResponse{.identifier = read.msn, .original = 5}), crc()));
    if (told("read done") > before) saw(Situation::AtomicAnswered, choices_.initiator());
    heard_.reads.pop_front();
    return;
  }
  const std::size_t size = std::min<std::size_t>(most, read.size - read.done);
  const bool last = size == read.size - read.done;
  feed(fpdu(tagged(Rdmap::ReadResponse, read.sink_stag, read.sink_offset + read.done, last),
            Bytes(size, std::byte{0x55}), crc()));
  read.done += static_cast<std::uint32_t>(size);
  if (!last) return;
  if (read.size != 0 && told("read done") > before)
    saw(Situation::ReadAnswered, choices_.initiator());
  heard_.reads.pop_front();
}

void Play::honest_ack(std::uint32_t placed) {
  const bool own = side_.session.peer_is_own();
  const std::size_t before = side_.events.log().size();
  feed(fpdu(tagged(Rdmap::Write, kAckStag, encode_ack(placed)), {}, crc()));
  const Log& log = side_.events.log();
  if (own && log.size() > before && log[before].starts_with("placed"))
    saw(Situation::Acknowledged, choices_.initiator());
}

void Play::honest_read(unsigned choice) {
  const bool whole = (choice & 1U) != 0;
  const std::uint32_t size = whole ? kRegionSize : choice * 32;
  const Memory& source = (choice & 2U) != 0 ? writable : readable;
  const std::uint64_t beyond = (choice & 0xfcU) == 0xfc ? 1 : 0;
  feed(fpdu(next(Rdmap::ReadRequest),
            octets_of(ReadRequest{.sink_stag = 9,
                                  .size = size,
                                  .source_stag = (choice & 2U) != 0 ? kWritable : kReadable,
                                  .source_offset = address(source.region.data()) + beyond}),
            crc()));
}

void Play::honest_atomic(unsigned choice) {
  feed(fpdu(next(Rdmap::AtomicRequest),
            octets_of(AtomicRequest{.operation = (choice & 1U) != 0 ? AtomicOperation::CompareSwap
                                                                    : AtomicOperation::FetchAdd,
                                    .identifier = 3,
                                    .stag = kWritable,
                                    .offset = address(writable.region.data()) + (choice & 0xf8U),
                                    .data = choice,
                                    .mask = (choice & 2U) != 0 ? ~std::uint64_t{0} : 0}),
            crc()));
}

// The Terminate names the oldest Read or Atomic, or else the last Send or Write.
void Play::honest_terminate(unsigned choice) {
  constexpr ErrorCode kErrors[] = {error::kProtectionBounds, error::kNoBuffer, error::kTaggedStag,
                                   error::kStreamCatastrophic};
  Bytes header = heard_.last_request;
  ReadRequest request;
  const bool of_read = (choice & 4U) != 0 && !heard_.reads.empty();
  if (of_read) {
    const Heard::Read& read = heard_.reads.front();
    header = octets_of(
        untagged(read.atomic ? Rdmap::AtomicRequest : Rdmap::ReadRequest, kReadQueue, read.msn));
    request.sink_offset = read.sink_offset;
  }
  if (header.empty()) return;
  Terminate terminate = make_terminate(kErrors[choice % 4], 64, header);
  if (of_read && !heard_.reads.front().atomic) {
    terminate.has_request = true;
    terminate.request = request;
  }
  Bytes octets(Terminate::kMostOctets);
  octets.resize(encode(terminate, octets.data()));
  const std::size_t before = side_.events.log().size();
  feed(fpdu(untagged(Rdmap::Terminate, kTerminateQueue, 1), octets, crc()));
  const Log& log = side_.events.log();
  if (log.size() > before && log[before].find("failed: status") != std::string::npos)
    saw(Situation::RequestRefused, choices_.initiator());
}

// A Write that fits in the region, or a message that fits in the Recv that is posted after it.
void Play::honest_message(unsigned choice) {
  const std::size_t size = choice * 16;
  const Bytes payload(size, std::byte{0x66});
  switch (choice % 4) {
  case 0:
    feed(fpdu(tagged(Rdmap::Write, kWritable, address(writable.region.data())), payload, crc()));
    return;
  case 1: feed(fpdu(next(Rdmap::Immediate), Bytes(kImmediateSize), crc())); break;
  case 2: feed(fpdu(next(Rdmap::SendSolicited), payload, crc())); break;
  default:
    UntaggedHeader header = next(Rdmap::SendInvalidate);
    header.invalidate = kWritable;
    feed(fpdu(header, payload, crc()));
  }
  if (side_.events.receives_posted() >= 64) return;
  side_.events.post_receive(size);
  side_.session.on_receive_posted(side_.now);
  side_.feed({}, 1);
}

void Play::honest(Input& input, unsigned what) {
  take(~std::size_t{0});
  switch (what) {
  case 1: honest_answer(kMostRead); break;
  case 2: honest_answer(input.byte() * 8U); break;
  case 3: honest_ack(heard_.placed); break;
  case 4: honest_ack(heard_.placed - input.byte()); break;
  case 5: honest_read(input.byte()); break;
  case 6: honest_atomic(input.byte()); break;
  case 7: honest_hello(input.byte()); break;
  case 8: honest_terminate(input.byte()); break;
  case 9: {
    const bool own = side_.session.peer_is_own();
    const std::ptrdiff_t before = told("disconnected");
    feed(fpdu(tagged(Rdmap::Write, kCloseStag, 0), {}, crc()));
    if (own && told("disconnected") > before) saw(Situation::PeerCloses, choices_.initiator());
    break;
  }
  case 10:
    if (side_.session.deadline() != kNever)
      side_.now = std::max(side_.now, side_.session.deadline());
    side_.session.on_time(side_.now);
    break;
  case 11: set_largest(std::size_t{input.byte()} * 300); break;
  case 12: side_.events.octets_arrived = input.flag() ? ~std::uint64_t{0} : 0; break;
  case 13: honest_message(input.byte()); break;
  case 14: honest_first(0); break;
  default: honest_startup(input.byte()); break;
  }
  take(~std::size_t{0});
}

} // namespace datum::fuzz
