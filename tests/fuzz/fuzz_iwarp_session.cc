// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/fuzz/fuzz_iwarp_session.cc: a connection, initiator or responder, against a peer that says
// anything in any state, and a consumer that does anything meanwhile. The peer can be honest, too:
// it answers what it was really asked, for otherwise nearly nothing would be accepted. Each input
// is played three times: octets arrive whole, one by one, and placed by the socket layer. All must
// tell and send the same, touch nothing outside what the peer was granted, and end when they are
// asked to.
#include <array>
#include <deque>

#include "input.h"
#include "pair.h"
#include "session/heard.h"
#include "session/situations.h"

using namespace datum;
using namespace datum::iwarp;
using namespace datum::iwarp::test;
using datum::fuzz::Heard;
using datum::fuzz::Input;
using datum::fuzz::require;
using datum::fuzz::saw;
using datum::fuzz::Situation;

namespace {

// The first octet of an input.
constexpr unsigned kInitiator = 0x01;
constexpr unsigned kCrc = 0x02;
constexpr unsigned kHello = 0x04;
constexpr unsigned kExtensions = 0x08;
constexpr unsigned kPatient = 0x10;
constexpr unsigned kConnected = 0x20; // begin in full operation
constexpr unsigned kPeerIsOwn = 0x40;
constexpr unsigned kMore = 0x80; // three more octets

// The second.
constexpr unsigned kMarkers = 0x01; // wanted by the peer
constexpr unsigned kOldRequest = 0x02;
constexpr unsigned kPrivateData = 0x04; // the fourth says how much
constexpr unsigned kLastMsns = 0x08;    // counting begins shortly before 0
constexpr unsigned kRoundTrip = 0x10;
constexpr unsigned kNoExtensions = 0x20;
constexpr unsigned kAnotherPlace = 0x40; // to ask when there is no reply
constexpr unsigned kNotArrived = 0x80;
// The third: the RTR that was agreed on, the Hello of a peer that is our own, what TCP's segments
// take.
constexpr unsigned kForms = 0x03;
constexpr unsigned kHelloSizes = 0x1c;
constexpr unsigned kSegmentSizes = 0xe0;

enum class Delivery { Whole, Octets, Placed };

// The same addresses in every play: they travel in frames. Guards on both sides.
constexpr std::size_t kGuard = 256;
constexpr std::size_t kRegionSize = 16384;
struct Memory {
  std::array<std::byte, kGuard> before;
  std::array<std::byte, kRegionSize> region;
  std::array<std::byte, kGuard> after;
};
alignas(64) Memory writable;
alignas(64) Memory readable;
alignas(64) std::array<std::byte, 70000> sources;
// Where what Reads bring goes: what is read does not come back as something sent.
constexpr std::size_t kMostRead = 8192;
constexpr std::size_t kSinks = 8; // more than there can be at a time
alignas(64) std::array<std::array<std::byte, kMostRead>, kSinks> sinks;
constexpr std::array<std::byte, kRegionSize> kUntouched{};

constexpr Stag kWritable = 0x101;
constexpr Stag kReadable = 0x102;

std::uint64_t address(const void* of) {
  return reinterpret_cast<std::uint64_t>(of);
}

struct Choices {
  explicit Choices(Input& input) : setting(input.byte()) {
    if ((setting & kMore) == 0) return;
    more = input.byte();
    sizes = input.byte();
    private_octets = input.byte();
  }
  bool initiator() const { return (setting & kInitiator) != 0; }
  bool own() const { return (setting & kPeerIsOwn) != 0; }
  std::size_t private_size() const {
    return (more & kPrivateData) != 0 ? 2 * private_octets % 509 : 0;
  }
  std::uint8_t revision() const { return (more & kOldRequest) != 0 ? 1 : 2; }
  std::uint32_t first_msn() const { return (more & kLastMsns) != 0 ? 0xfffffffe : kFirstMsn; }

  unsigned setting;
  unsigned more = 0;
  unsigned sizes = 0;
  unsigned private_octets = 0;
};

Settings settings_of(const Choices& choices) {
  const unsigned setting = choices.setting;
  Settings settings;
  settings.first_msn = choices.first_msn();
  settings.own_extensions = (choices.more & kNoExtensions) == 0;
  settings.crc = (setting & kCrc) != 0;
  settings.hello = (setting & kHello) != 0;
  settings.extensions = (setting & kExtensions) != 0;
  settings.receive_timeout = (setting & kPatient) != 0 ? kSecond : 0;
  return settings;
}

constexpr std::uint16_t kHelloUlpdus[] = {1000, 0xffff, 128, 1460, 127, 64768, 300, 8960};

std::uint64_t hello_offset(std::uint16_t largest, std::uint16_t flags) {
  return encode(Hello{.flags = flags, .largest_ulpdu = largest});
}

class Play {
 public:
  Play(const Choices& choices, Delivery delivery);
  void step(Input& input);
  // What was told and sent.
  std::string finish();

 private:
  static constexpr std::uint64_t kHelloOffset = 0x44545750100103e8;

  static void reset(Memory& memory) {
    memory.before.fill(std::byte{0xaa});
    memory.region.fill(std::byte{0});
    memory.after.fill(std::byte{0xaa});
  }
  static void require_guarded(const Memory& memory) {
    for (std::size_t i = 0; i < kGuard; ++i)
      require(memory.before[i] == std::byte{0xaa} && memory.after[i] == std::byte{0xaa},
              "nothing outside a region is written");
  }
  void be_connected();
  void feed(Octets octets);
  void set_largest(std::size_t ulpdu);
  void peer_startup(Input& input);
  void peer_untagged(Input& input);
  void peer_tagged(Input& input);
  void peer_raw(Input& input);
  void end_frame(Bytes octets, unsigned how);
  void honest(Input& input, unsigned what);
  void honest_startup(unsigned choice);
  void honest_first(std::uint64_t hello);
  void honest_hello(unsigned choice);
  void honest_answer(std::size_t most);
  void honest_ack(std::uint32_t placed);
  void honest_read(unsigned choice);
  void honest_atomic(unsigned choice);
  void honest_terminate(unsigned choice);
  void honest_message(unsigned choice);
  UntaggedHeader next(Rdmap opcode);
  bool crc() const { return side_.session.terms().crc; }
  std::ptrdiff_t told(const char* what) const {
    return std::ranges::count(side_.events.log(), what);
  }
  Wishes wishes() const { return {.revision = choices_.revision(), .reads_in = 4, .reads_out = 4}; }
  WorkRequest& new_work(unsigned choice, std::size_t size);
  void consumer_starts(Input& input, bool now);
  void consumer_answers(unsigned choice);
  void leave_at_once();
  void take(std::size_t most);
  void heard(Octets octets);

  const Choices choices_;
  const Delivery delivery_;
  Side side_;
  Heard heard_;
  Bytes sent_;
  Bytes private_data_;
  std::uint32_t next_msn_[4];
  std::size_t next_sink_ = 0;
  std::deque<WorkRequest> requests_;
  std::deque<std::array<LocalTriplet, 3>> locals_;
  bool accepted_ = false;
  bool closed_ = false;
};

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
  side_.session.set_largest_ulpdu(ulpdu);
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
  // The payload of long frames in larger pieces: one by one it would take most of the time.
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

// How the end of a frame is bent: mostly not.
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

// --- an honest peer ------------------------------------------------------------------------------

UntaggedHeader Play::next(Rdmap opcode) {
  const std::uint32_t queue = queue_of(opcode);
  return untagged(opcode, queue, next_msn_[queue]++);
}

// The frame that the session waits for.
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

// Of an initiator, the RTR that was agreed on.
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

// The oldest Read or Atomic, at most so much of it.
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

// It names the oldest Read or the last Send or Write.
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

// One that fits in the Recv that waits for it, or in the region.
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

// --- the consumer --------------------------------------------------------------------------------

WorkRequest& Play::new_work(unsigned choice, std::size_t size) {
  constexpr Opcode kPlain[] = {Opcode::Send, Opcode::RdmaWrite, Opcode::RdmaRead, Opcode::Send};
  constexpr Opcode kExtended[] = {Opcode::SendInvalidate, Opcode::WriteImmediate, Opcode::FetchAdd,
                                  Opcode::CompareSwap};
  const bool plain = (choice & 0x40U) == 0; // else the request says what it is
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
  // Copied with a CRC, or a little more.
  if ((choice & 8U) != 0) size = 4096 + 32 * (size % 256);
  WorkRequest& work = new_work(choice, size);
  if (now) {
    if (side_.session.start_now(work) == StartResult::Started) leave_at_once();
    return;
  }
  if ((choice & 0x40U) != 0) {
    Request request;
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

// A request, once.
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

bool is_end(const std::string& what) {
  return what == "broken" || what == "disconnected" || what.starts_with("failed");
}

std::string Play::finish() {
  take(~std::size_t{0});
  const Log& log = side_.events.log();
  for (std::size_t i = 0; i + 1 < log.size(); ++i)
    require(!is_end(log[i]), "nothing is told after the end");
  require_guarded(writable);
  require_guarded(readable);
  require(readable.region == kUntouched, "what may only be read is not written");
  // Whatever has happened, it ends in bounded time.
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

std::string play(const std::uint8_t* data, std::size_t size, Delivery delivery) {
  Input input(data, size);
  Play play(Choices(input), delivery);
  while (!input.empty()) play.step(input);
  return play.finish();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string whole = play(data, size, Delivery::Whole);
  require(play(data, size, Delivery::Octets) == whole, "octet by octet is as in one piece");
  require(play(data, size, Delivery::Placed) == whole, "placed from outside is as in one piece");
  return 0;
}
