// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/fuzz/fuzz_iwarp_session.cc: iwarp::Session as initiator or responder, against a peer that
// sends anything in any state, while a consumer makes any call. Some steps of the peer are honest:
// they answer what the session asked, since a session accepts nearly nothing else. Each input is
// played three times: the octets arrive whole, one by one, or placed by the socket layer. All three
// plays must report and send the same, touch no memory that the peer was not granted, and end when
// they are asked to.
#include "session/play.h"

namespace datum::fuzz {
namespace {

SessionSettings settings_of(const Choices& choices) {
  const unsigned setting = choices.setting;
  SessionSettings settings;
  settings.first_msn = choices.first_msn();
  settings.own_extensions = (choices.more & kNoExtensions) == 0;
  settings.crc = (setting & kCrc) != 0;
  settings.hello = (setting & kHello) != 0;
  settings.extensions = (setting & kExtensions) != 0;
  settings.receive_timeout = (setting & kPatient) != 0 ? kSecond : 0;
  return settings;
}

} // namespace

Play::Play(const Choices& choices, Delivery delivery)
    : choices_(choices), delivery_(delivery), side_(settings_of(choices)),
      heard_(choices.initiator(), choices.first_msn()), private_data_(choices.private_size()) {
  reset(writable);
  reset(readable);
  std::ranges::fill(next_msn_, choices.first_msn());
  if ((choices.more & kAnotherPlace) != 0) side_.events.no_reply_handled = NoReply::NotHere;
  if ((choices.more & kNotArrived) != 0) side_.events.octets_arrived = 0;
  if ((choices.more & kRoundTrip) != 0) side_.session.set_round_trip(kSecond / 8);
  constexpr std::size_t kSegmentUlpdus[] = {0, 1442, 128, 8946, 64768, 300, 16384, 70000};
  if ((choices.sizes & kSegmentSizes) != 0)
    set_largest(kSegmentUlpdus[(choices.sizes & kSegmentSizes) >> 5U]);
  side_.events.add_region_at(kWritable, address(writable.region.data()), kRegionSize,
                             kRemoteWrite | kRemoteRead | kRemoteAtomic);
  side_.events.add_region_at(kReadable, address(readable.region.data()), kRegionSize, kRemoteRead);
  if (choices.initiator())
    side_.session.connect(private_data_, wishes(), side_.events, 0);
  else
    side_.session.expect_request(0);
  if ((choices.setting & kConnected) != 0) be_connected();
}

void Play::set_largest(std::size_t ulpdu) {
  heard_.may_be_as_long(std::min(ulpdu, kMostSentUlpdu));
  side_.session.set_segment_size(ulpdu + 6); // a header of 2 octets, a CRC of 4
}

void Play::be_connected() {
  take(~std::size_t{0});
  honest_startup(0);
  if (!choices_.initiator()) consumer_answers(0);
  take(~std::size_t{0});
  const std::uint16_t largest = kHelloUlpdus[(choices_.sizes & kHelloSizes) >> 2U];
  if (choices_.own()) heard_.cut_at(largest);
  honest_first(choices_.own() ? hello_offset(largest, Hello::kTakesExtensions) : 0);
}

void Play::feed(Octets octets) {
  switch (delivery_) {
  case Delivery::Whole: side_.feed(octets); break;
  // Long frames arrive in larger pieces: octet by octet they would take most of the time.
  case Delivery::Octets: side_.feed(octets, octets.size() < 300 ? 1 : 61); break;
  case Delivery::Placed: side_.feed_placing(octets); break;
  }
}

void Play::take(std::size_t most) {
  heard(side_.take_output(most));
  if (side_.session.wants_shutdown()) side_.session.shut_down();
}

void Play::heard(Octets octets) {
  sent_.insert(sent_.end(), octets.begin(), octets.end());
  heard_.hear(octets, side_.session);
}

void Play::peer_startup(Input& input) {
  StartupFrame frame;
  const unsigned flags = input.byte();
  frame.reply = choices_.initiator() != ((flags & 0x80U) != 0);
  frame.markers = (flags & 1U) != 0;
  frame.crc = (flags & 2U) != 0;
  frame.rejected = (flags & 4U) != 0;
  frame.revision = (flags & 8U) != 0 ? input.byte() : 2;
  if ((flags & 16U) == 0) {
    EnhancedData data;
    const unsigned forms = input.byte();
    data.peer_to_peer = (forms & 1U) != 0;
    data.rtr_send = (forms & 2U) != 0;
    data.rtr_write = (forms & 4U) != 0;
    data.rtr_read = (forms & 8U) != 0;
    data.ird = input.byte();
    data.ord = input.byte();
    frame.enhanced = data;
  }
  const Bytes data(input.byte() % 8);
  frame.private_data = data;
  Bytes octets(frame.wire_size());
  encode(frame, octets.data());
  feed(octets);
}

// Most frames end right. Some have a wrong last octet, and some lack their second half.
void Play::end_frame(Bytes octets, unsigned how) {
  if (how % 16 == 1) octets.back() ^= std::byte{1};
  if (how % 16 == 2) octets.resize(octets.size() / 2);
  feed(octets);
}

void Play::peer_untagged(Input& input) {
  const unsigned choice = input.byte();
  UntaggedHeader header;
  header.control.opcode = static_cast<Rdmap>(choice % 16);
  header.control.last = (choice & 0x10U) == 0;
  header.queue = (choice & 0x20U) == 0 ? queue_of(header.control.opcode) : input.byte();
  header.msn = next_msn_[header.queue % 4];
  if ((choice & 0x40U) != 0) header.msn += input.byte();
  const unsigned more = input.byte();
  header.offset = (more & 1U) != 0 ? input.take<std::uint32_t>() : (more >> 1U) % 4 * 8;
  header.invalidate = kWritable;
  Bytes payload;
  switch (header.control.opcode) {
  case Rdmap::ReadRequest:
    payload = octets_of(ReadRequest{
        .sink_stag = 9,
        .sink_offset = input.byte(),
        .size = (more & 8U) != 0 ? input.take<std::uint32_t>() : input.byte(),
        .source_stag = (more & 16U) != 0 ? kWritable : kReadable,
        .source_offset = address(readable.region.data()) +
                         ((more & 32U) != 0 ? input.take<std::uint64_t>() : input.byte())});
    if ((more & 16U) != 0)
      payload = octets_of(ReadRequest{.size = input.byte(),
                                      .source_stag = kWritable,
                                      .source_offset = address(writable.region.data())});
    break;
  case Rdmap::AtomicRequest:
    payload = octets_of(AtomicRequest{.operation = static_cast<AtomicOperation>(input.byte() % 4),
                                      .identifier = 3,
                                      .stag = (more & 16U) != 0 ? kWritable : kReadable,
                                      .offset = address(writable.region.data()) + input.byte(),
                                      .data = input.take<std::uint64_t>(),
                                      .mask = input.byte()});
    break;
  case Rdmap::AtomicResponse:
    payload = octets_of(AtomicResponse{.identifier = input.byte() % 8U, .original = 5});
    break;
  case Rdmap::Immediate:
  case Rdmap::ImmediateSolicited: payload.resize(8); break;
  default:
    payload.resize((more & 128U) != 0 ? input.take<std::uint16_t>() % 20000U : input.byte());
    for (std::size_t i = 0; i < payload.size(); i += 7) payload[i] = std::byte{input.byte()};
  }
  if ((more & 64U) != 0) payload.resize(input.byte());
  if (header.control.last && header.msn == next_msn_[header.queue % 4])
    ++next_msn_[header.queue % 4];
  end_frame(fpdu(header, payload, side_.session.terms().crc), input.byte());
}

void Play::peer_tagged(Input& input) {
  const unsigned choice = input.byte();
  TaggedHeader header;
  header.control.opcode = (choice & 1U) != 0 ? Rdmap::ReadResponse : Rdmap::Write;
  header.control.last = (choice & 2U) == 0;
  const Stag stags[] = {kWritable, 1, 2, 3, kReadable, 0, 0x103, kWritable};
  header.stag = stags[choice >> 2U & 7U];
  switch (choice >> 5U) {
  case 0:
  case 1: header.offset = address(writable.region.data()) + input.byte(); break;
  case 2: header.offset = address(writable.region.data()) + kRegionSize - input.byte(); break;
  case 3: header.offset = std::uint64_t{input.byte()} << 32U; break;
  case 4: header.offset = kHelloOffset; break;
  case 5: header.offset = (std::uint64_t{input.byte()} << 32U) + input.byte(); break;
  case 6: header.offset = ~std::uint64_t{0} - input.byte(); break;
  default: header.offset = input.take<std::uint64_t>(); break;
  }
  const unsigned size = input.byte();
  Bytes payload(size < 250 ? size / 2 : input.take<std::uint16_t>());
  for (std::size_t i = 0; i < payload.size(); i += 5) payload[i] = std::byte{0x77};
  if (header.stag < 4 && (size & 1U) != 0) payload.clear();
  end_frame(fpdu(header, payload, side_.session.terms().crc), input.byte());
}

void Play::peer_raw(Input& input) {
  Bytes octets(input.byte());
  for (std::byte& octet : octets) octet = std::byte{input.byte()};
  if (!octets.empty()) feed(octets);
}

void Play::step(Input& input) {
  const unsigned choice = input.byte();
  switch (choice % 16) {
  case 0:
  case 1:
  case 2: peer_untagged(input); break;
  case 3:
  case 4:
  case 5: peer_tagged(input); break;
  case 6: peer_startup(input); break;
  case 7:
    if ((choice & 0x80U) != 0)
      honest(input, 1 + choice / 16 % 8);
    else
      peer_raw(input);
    break;
  case 8: consumer_starts(input, (choice & 0x10U) != 0); break;
  case 9: consumer_starts(input, false); break;
  case 10:
    if (side_.events.receives_posted() < 64)
      side_.events.post_receive((choice & 0x10U) != 0 ? 30000 : input.byte(), 1 + choice / 32U);
    if ((choice & 0x80U) != 0) {
      side_.session.on_receive_posted(side_.now);
      side_.feed({}, 1);
    }
    break;
  case 11: take((choice & 0x10U) != 0 ? input.byte() : ~std::size_t{0}); break;
  case 12: consumer_answers(choice); break;
  case 13:
    if (choice >= 0x10) {
      honest(input, choice >> 4U);
      break;
    }
    side_.now += Duration{input.byte()} * kSecond / 16;
    side_.session.on_time(side_.now);
    break;
  case 14:
    if ((choice & 0x10U) != 0) side_.events.local_memory_valid ^= true;
    if ((choice & 0x20U) != 0) side_.events.receive_memory_valid ^= true;
    if ((choice & 0x40U) != 0) side_.events.revoke(kWritable);
    if ((choice & 0x80U) != 0) side_.events.invalidation = AccessFault::BadStag;
    break;
  default:
    if ((choice & 0x10U) != 0) {
      side_.session.end_of_stream(side_.now);
    } else if ((choice & 0x20U) != 0) {
      side_.session.lost(side_.now);
    } else if ((choice & 0x40U) != 0) {
      closed_ = true;
      side_.session.close((choice & 0x80U) != 0 ? CloseMode::Abort : CloseMode::Disconnect,
                          side_.now);
    }
  }
}

namespace {

bool is_end(const std::string& what) {
  return what == "broken" || what == "disconnected" || what.starts_with("failed");
}

} // namespace

std::string Play::finish() {
  take(~std::size_t{0});
  const Log& log = side_.events.log();
  for (std::size_t i = 0; i + 1 < log.size(); ++i)
    require(!is_end(log[i]), "nothing is told after the end");
  require_guarded(writable);
  require_guarded(readable);
  require(readable.region == kUntouched, "what may only be read is not written");
  // Whatever has happened, the connection ends in bounded time.
  const std::size_t told = log.size();
  side_.session.close(CloseMode::Disconnect, side_.now);
  require(side_.events.log().size() == told, "nothing is told after close()");
  take(~std::size_t{0});
  for (int i = 0; i < 4 && !side_.session.finished(); ++i) {
    require(side_.session.deadline() != kNever, "who waits for a peer has a deadline");
    side_.now = std::max(side_.now, side_.session.deadline());
    side_.session.on_time(side_.now);
  }
  require(side_.session.finished(), "a closed connection ends");
  std::string all;
  for (const std::string& each : side_.events.log()) all += each + "\n";
  return all + to_hex(sent_);
}

namespace {

std::string play(const std::uint8_t* data, std::size_t size, Delivery delivery) {
  Input input(data, size);
  Play play(Choices(input), delivery);
  while (!input.empty()) play.step(input);
  return play.finish();
}

} // namespace
} // namespace datum::fuzz

using datum::fuzz::Delivery;
using datum::fuzz::play;
using datum::fuzz::require;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string whole = play(data, size, Delivery::Whole);
  require(play(data, size, Delivery::Octets) == whole, "octet by octet is as in one piece");
  require(play(data, size, Delivery::Placed) == whole, "placed from outside is as in one piece");
  return 0;
}
