// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The order of the checks on incoming FPDUs. If a frame fails two checks, the session reports the
// earlier check. The test covers each kind of message, and each pair of its checks that one frame
// can fail. The checks are numbered as in decision 410.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <ostream>
#include <string>

#include "refused.h"
#include "transport/iwarp/crc32c.h"

namespace datum::iwarp::test {
namespace {

constexpr Stag kPlace = 0x5501; // a region of 64 octets
constexpr std::size_t kPlaceSize = 64;
constexpr std::uint32_t kPlacesForReads = 4;
constexpr auto kUnknown = static_cast<Rdmap>(12);

enum class Asked : std::uint8_t { Nothing, Read, Atomic };
enum class Where : std::uint8_t { Inside, Misaligned, Outside, Wrapping };

// The state in which the frame meets its receiver.
struct Meets {
  bool extensions = true;
  bool receive = true;       // a Recv for the frame, or for the message that it continues
  bool places_taken = false; // Reads without an answer take all places
  Asked asked = Asked::Nothing;
  bool write_open = false;
  bool response_open = false;
  bool send_open = false; // a Send has begun: four of its octets have come
  Rdmap first = Rdmap::Send;
  Stag first_invalidate = 0;
  std::uint32_t zone = StandIn::kZone;
  Access access = kRemoteRead | kRemoteWrite | kRemoteAtomic;
  AccessFault invalidation = AccessFault::None;
  bool operator==(const Meets&) const = default;
};

// One frame of a kind. It is legal unless a test changes a member.
struct Attempt {
  explicit Attempt(Rdmap of) : kind(of) {
    control.tagged = is_tagged(kind);
    control.last = true;
    control.opcode = kind;
    switch (kind) {
    case Rdmap::ReadResponse:
      meets.asked = Asked::Read;
      size = 100;
      break;
    case Rdmap::AtomicResponse: meets.asked = Asked::Atomic; break;
    case Rdmap::Terminate: // these members do not matter in a Terminate (decision 411)
      queue = 5;
      msn_shift = 8;
      offset_shift = 3;
      control.last = false;
      break;
    default: break;
    }
    if (kind != Rdmap::Terminate) queue = queue_of(kind);
    if (is_invalidating(kind)) invalidate = 0x4711;
  }
  Rdmap kind;
  Meets meets;
  Control control;
  bool cut = false; // the frame ends one octet before the end of its header
  bool good_crc = true;
  std::uint32_t queue = 0;
  std::uint32_t msn_shift = 0;
  std::uint32_t offset_shift = 0;
  Stag invalidate = 0;
  bool good_stag = true;
  Where where = Where::Inside;
  std::size_t size = 8;      // of the data of a Send, a Write or a Read Response
  bool short_record = false; // the payload lacks its last octet
  AtomicOperation operation = AtomicOperation::FetchAdd;
  std::uint32_t identifier_shift = 0;
  std::uint64_t sink_shift = 0;
};

// The addresses and STags that a legal frame names.
struct World {
  std::uint64_t base = 0x10000;
  ReadRequest read{.sink_stag = 1, .sink_offset = 0x100000000};
};

std::uint64_t address(const Attempt& attempt, const World& world) {
  switch (attempt.where) {
  case Where::Misaligned: return world.base + 4;
  case Where::Outside: return world.base + kPlaceSize;
  case Where::Wrapping: return ~std::uint64_t{6};
  case Where::Inside: break;
  }
  return world.base;
}

Bytes payload(const Attempt& attempt, const World& world) {
  const Stag stag = attempt.good_stag ? kPlace : kPlace + 1;
  const std::uint64_t at = address(attempt, world);
  Bytes octets;
  switch (attempt.kind) {
  case Rdmap::ReadRequest:
    octets = octets_of(ReadRequest{.size = 8, .source_stag = stag, .source_offset = at});
    break;
  case Rdmap::AtomicRequest:
    octets = octets_of(AtomicRequest{.operation = attempt.operation, .stag = stag, .offset = at});
    break;
  case Rdmap::AtomicResponse:
    octets = octets_of(AtomicResponse{.identifier = 1 + attempt.identifier_shift});
    break;
  case Rdmap::Terminate: octets = Bytes(4); break;
  default: octets = pattern(attempt.size, 3, 1);
  }
  if (attempt.short_record) octets.pop_back();
  return octets;
}

Bytes ulpdu(const Attempt& attempt, const World& world) {
  Bytes octets;
  if (attempt.control.tagged) {
    TaggedHeader header{.control = attempt.control,
                        .stag = attempt.good_stag ? kPlace : kPlace + 1,
                        .offset = address(attempt, world)};
    if (attempt.kind == Rdmap::ReadResponse) {
      header.stag = world.read.sink_stag + (attempt.good_stag ? 0 : 1);
      header.offset = world.read.sink_offset + attempt.sink_shift;
    }
    octets = octets_of(header);
  } else {
    const bool sends = is_send(attempt.kind) || is_immediate(attempt.kind);
    const std::uint32_t done = sends && attempt.meets.send_open ? 4 : 0;
    std::uint32_t msn = 1;
    if (attempt.meets.places_taken) msn += kPlacesForReads;
    if (!attempt.meets.receive) ++msn;
    octets = octets_of(UntaggedHeader{.control = attempt.control,
                                      .invalidate = attempt.invalidate,
                                      .queue = attempt.queue,
                                      .msn = msn + attempt.msn_shift,
                                      .offset = done + attempt.offset_shift});
  }
  if (attempt.cut) {
    octets.pop_back();
    return octets;
  }
  const Bytes behind = payload(attempt, world);
  octets.insert(octets.end(), behind.begin(), behind.end());
  return octets;
}

Bytes frame_of(const Attempt& attempt, const World& world) {
  const Bytes inside = ulpdu(attempt, world);
  Bytes octets{static_cast<std::byte>(inside.size() >> 8U), static_cast<std::byte>(inside.size())};
  octets.insert(octets.end(), inside.begin(), inside.end());
  octets.resize((octets.size() + 3) / 4 * 4);
  const std::uint32_t crc = crc32c(octets) ^ (attempt.good_crc ? 0U : 1U);
  for (unsigned i = 0; i < 4; ++i) octets.push_back(static_cast<std::byte>(crc >> (8 * i)));
  return octets;
}

// Brings a Target into the state of `attempt.meets`, and makes the frame for it.
class Prepared {
 public:
  Several set(const Attempt& attempt, Target& target) {
    const Meets& meets = attempt.meets;
    World world;
    world.base = reinterpret_cast<std::uint64_t>(
        target.events.add_region(kPlace, kPlaceSize, meets.access, meets.zone));
    target.events.invalidation = meets.invalidation;
    if (meets.asked == Asked::Read || meets.response_open) {
      readers_.emplace_back(target);
      world.read = readers_.back().request;
    }
    if (meets.asked == Asked::Atomic) ask_atomic(target);
    if (meets.response_open)
      target.feed(
          fpdu(tagged(Rdmap::ReadResponse, world.read.sink_stag, world.read.sink_offset, false),
               Bytes(60)));
    if (meets.write_open)
      target.feed(fpdu(tagged(Rdmap::Write, Target::kRegion, target.base(), false), Bytes(4)));
    if (!meets.receive) target.feed(fpdu(untagged(Rdmap::Send, 0, 1), Bytes(4)));
    // The test takes no output from here on, so these Reads stay without an answer.
    for (std::uint32_t msn = 1; meets.places_taken && msn <= kPlacesForReads; ++msn)
      target.feed(
          fpdu(untagged(Rdmap::ReadRequest, 1, msn),
               octets_of(ReadRequest{
                   .size = 4, .source_stag = Target::kRegion, .source_offset = target.base()})));
    if (meets.send_open) {
      UntaggedHeader first = untagged(meets.first, 0, 1, 0, false);
      first.invalidate = meets.first_invalidate;
      target.feed(fpdu(first, Bytes(4)));
    }
    return {frame_of(attempt, world)};
  }

 private:
  void ask_atomic(Target& target) {
    local_ = triplet(&result_, sizeof result_);
    work_ = read_of(std::span(&local_, 1), 0x77, nullptr);
    target.feed(fpdu(tagged(Rdmap::Write, 1, 0)));
    OutboundRequest request;
    request.opcode = Rdmap::AtomicRequest;
    request.work = &work_;
    EXPECT_EQ(target.session.start_extension(request), StartResult::Started);
    target.take_output();
  }

  std::deque<Reader> readers_;
  std::uint64_t result_ = 0;
  LocalTriplet local_;
  WorkRequest work_;
};

enum class Echo : std::uint8_t { None, Header, Request };

struct Breach {
  const char* check;
  const char* code;
  Echo echo;
  void (*commit)(Attempt&);
  const char* told = nullptr; // the event before "broken", if there is one
};
using Breaches = std::vector<Breach>;

constexpr const char* kByTag = "1/1/04 or 1/2/06";

Breaches operator+(Breaches first, const Breaches& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

const Breaches kControl{
    {"1", "1/0/00", Echo::None, [](Attempt& s) { s.cut = true; }},
    {"2", kByTag, Echo::None, [](Attempt& s) { s.control.ddp_version = 2; }},
    {"3", "0/2/05", Echo::None, [](Attempt& s) { s.control.rdmap_version = 2; }},
    {"4", "0/2/06", Echo::None, [](Attempt& s) { s.control.opcode = kUnknown; }},
};
const Breaches kNotAgreed{{"4, not agreed on", "0/2/06", Echo::None, [](Attempt& s) {
                             s.meets.extensions = false;
                             s.meets.asked = Asked::Nothing;
                           }}};
const Breaches kTag{
    {"5", "0/2/06", Echo::Header, [](Attempt& s) { s.control.tagged = !s.control.tagged; }}};
const Breaches kQueue{
    {"7", "1/2/01", Echo::Header, [](Attempt& s) { s.queue = 5; }},
    {"8", "1/2/03", Echo::Header, [](Attempt& s) { s.msn_shift = 1; }},
};
const Breaches kReceive{{"9", "1/2/02", Echo::Header, [](Attempt& s) { s.meets.receive = false; }}};
const Breaches kOffset{{"10", "1/2/04", Echo::Header, [](Attempt& s) { s.offset_shift = 1; }}};
const Breaches kLength{
    {"11", "1/2/05", Echo::Header, [](Attempt& s) { s.size = 65; }, "receive failed: status 2"}};
const Breaches kContinued{{"12", "0/2/06", Echo::Header, [](Attempt& s) {
                             s.meets.send_open = true;
                             s.meets.first =
                                 s.kind == Rdmap::Send ? Rdmap::SendSolicited : Rdmap::Send;
                           }}};
const Breaches kContinuedStag{{"12, another STag", "0/2/06", Echo::Header, [](Attempt& s) {
                                 s.meets.send_open = true;
                                 s.meets.first = s.kind;
                                 s.meets.first_invalidate = s.invalidate + 1;
                               }}};
const Breaches kSendOpen{
    {"13", "0/2/06", Echo::Header, [](Attempt& s) { s.meets.send_open = true; }}};
const Breaches kPlaces{
    {"9", "1/2/02", Echo::Header, [](Attempt& s) { s.meets.places_taken = true; }}};
const Breaches kCrc{{"36", "2/0/02", Echo::None, [](Attempt& s) { s.good_crc = false; }}};
const Breaches kInvalidation{
    {"38, unknown", "0/2/09", Echo::Header,
     [](Attempt& s) { s.meets.invalidation = AccessFault::BadStag; }, "receive failed: status 4"},
    {"38, another zone", "0/1/09", Echo::Header,
     [](Attempt& s) { s.meets.invalidation = AccessFault::WrongZone; }, "receive failed: status 4"},
};

void name_nothing(Attempt& s) {
  s.good_stag = false;
}
void leave_zone(Attempt& s) {
  s.meets.zone = StandIn::kZone + 1;
}
void wrap(Attempt& s) {
  s.where = Where::Wrapping;
}
void leave_region(Attempt& s) {
  s.where = Where::Outside;
}
void shorten(Attempt& s) {
  s.short_record = true;
}
void go_on(Attempt& s) {
  s.control.last = false;
}

const Breaches kSendChecks = kControl + kTag + kQueue + kReceive + kOffset + kLength + kContinued;
const Breaches kInvalidateChecks = kSendChecks + kContinuedStag + kCrc + kInvalidation;
const Breaches kImmediateChecks = kControl + kNotAgreed + kTag + kQueue + kReceive + kOffset +
                                  kContinued +
                                  Breaches{
                                      {"30, length", "0/2/ff", Echo::Header, shorten},
                                      {"30, L", "0/2/ff", Echo::Header, go_on},
                                  } +
                                  kCrc;
const Breaches kReadRequestChecks =
    kControl + kTag + kQueue + kPlaces + kOffset + kSendOpen +
    Breaches{
        {"14, length", "0/2/ff", Echo::Header, shorten},
        {"14, L", "0/2/ff", Echo::Header, go_on},
        {"15", "0/1/00", Echo::Request, name_nothing},
        {"16", "0/1/03", Echo::Request, leave_zone},
        {"17", "0/1/02", Echo::Request, [](Attempt& s) { s.meets.access = kRemoteWrite; }},
        {"18", "0/1/04", Echo::Request, wrap},
        {"19", "0/1/01", Echo::Request, leave_region},
    } +
    kCrc;
const Breaches kAtomicRequestChecks =
    kControl + kNotAgreed + kTag + kQueue + kPlaces + kOffset + kSendOpen +
    Breaches{
        {"31, length", "0/2/ff", Echo::Header, shorten},
        {"31, L", "0/2/ff", Echo::Header, go_on},
        {"31, operation", "0/2/06", Echo::Header,
         [](Attempt& s) { s.operation = static_cast<AtomicOperation>(1); }},
        {"32, STag", "0/1/00", Echo::Header, name_nothing},
        {"32, zone", "0/1/03", Echo::Header, leave_zone},
        {"32, right", "0/1/02", Echo::Header,
         [](Attempt& s) { s.meets.access = kRemoteRead | kRemoteWrite; }},
        {"32, wrap", "0/1/04", Echo::Header, wrap},
        {"32, bounds", "0/1/01", Echo::Header, leave_region},
        {"33", "0/2/07", Echo::Header, [](Attempt& s) { s.where = Where::Misaligned; }},
    } +
    kCrc;
constexpr const char* kWrongAnswer = "read failed: status 5 behind 0";
const Breaches kAtomicResponseChecks =
    kControl + kNotAgreed + kTag + kQueue +
    Breaches{
        {"9, nothing asked", "1/2/02", Echo::Header,
         [](Attempt& s) { s.meets.asked = Asked::Nothing; }},
        {"9, a Read asked", "1/2/02", Echo::Header,
         [](Attempt& s) { s.meets.asked = Asked::Read; }},
    } +
    kOffset + kSendOpen +
    Breaches{
        {"34, length", "0/2/ff", Echo::Header, shorten, kWrongAnswer},
        {"34, L", "0/2/ff", Echo::Header, go_on, kWrongAnswer},
        {"34, identifier", "0/2/ff", Echo::Header, [](Attempt& s) { s.identifier_shift = 1; },
         kWrongAnswer},
    } +
    kCrc;
const Breaches kWriteChecks =
    kControl + kTag +
    Breaches{
        {"13", "0/2/06", Echo::Header, [](Attempt& s) { s.meets.response_open = true; }},
        {"20", "1/1/00", Echo::Header, name_nothing},
        {"21", "1/1/02", Echo::Header, leave_zone},
        {"22", "1/1/00", Echo::Header, [](Attempt& s) { s.meets.access = kRemoteRead; }},
        {"23", "1/1/03", Echo::Header, wrap},
        {"24", "1/1/01", Echo::Header, leave_region},
    } +
    kCrc;
const Breaches kReadResponseChecks =
    kControl + kTag +
    Breaches{
        {"13", "0/2/06", Echo::Header, [](Attempt& s) { s.meets.write_open = true; }},
        {"26, nothing asked", "1/0/00", Echo::Header,
         [](Attempt& s) { s.meets.asked = Asked::Nothing; }},
        {"26, an Atomic asked", "1/0/00", Echo::Header,
         [](Attempt& s) { s.meets.asked = Asked::Atomic; }, kWrongAnswer},
        {"27", "1/1/00", Echo::Header, name_nothing, kWrongAnswer},
        {"28, TO", "1/1/01", Echo::Header, [](Attempt& s) { s.sink_shift = 1; }, kWrongAnswer},
        {"28, length", "1/1/01", Echo::Header, [](Attempt& s) { s.size = 101; }, kWrongAnswer},
        {"29", "1/1/01", Echo::Header, go_on, kWrongAnswer},
    } +
    kCrc;

struct Kind {
  const char* name;
  Rdmap opcode;
  const Breaches* checks;
  int pairs; // how many pairs of these checks one frame can fail
};
std::ostream& operator<<(std::ostream& out, const Kind& kind) {
  return out << kind.name;
}

const Breaches kPlainSendChecks = kSendChecks + kCrc;
const Breaches kTerminateChecks = kControl + kTag + kCrc;

class IwarpCheckOrder : public testing::TestWithParam<Kind> {
 protected:
  static void expect(const Attempt& attempt, const Breach& breach) {
    Prepared prepared;
    Expected expected{.code = breach.code,
                      .header = breach.echo != Echo::None,
                      .request = breach.echo == Echo::Request};
    if (breach.code == kByTag) expected.code = attempt.control.tagged ? "1/1/04" : "1/2/06";
    if (breach.told != nullptr) expected.log.insert(expected.log.begin(), breach.told);
    expect_refused([&](Target& target) { return prepared.set(attempt, target); }, expected,
                   {.extensions = attempt.meets.extensions, .receive_timeout = 0});
  }
  static bool same(const Attempt& one, const Attempt& other) {
    return one.meets == other.meets && frame_of(one, {}) == frame_of(other, {});
  }
  // True if the attempt has no Recv left, but needs a Recv that holds an unfinished message.
  static bool impossible(const Attempt& attempt) {
    return !attempt.meets.receive && attempt.meets.send_open;
  }
};

// The refusals below prove something only if the unchanged frame is taken.
// Rules: iwarp.C6
TEST_P(IwarpCheckOrder, AFrameThatBreaksNothingIsTaken) {
  const Attempt attempt(GetParam().opcode);
  for (const std::size_t piece : {std::size_t{1}, std::size_t{100000}}) {
    Prepared prepared;
    Target target;
    for (const Bytes& frame : prepared.set(attempt, target)) target.feed(frame, piece);
    EXPECT_EQ(target.terminate_code(), "");
    const Log log = target.events.log();
    EXPECT_EQ(std::count(log.begin(), log.end(), "broken"),
              attempt.kind == Rdmap::Terminate ? 1 : 0);
  }
}

// Rules: iwarp.C39
TEST_P(IwarpCheckOrder, TheEarlierOfTwoDecides) {
  const Breaches& checks = *GetParam().checks;
  int pairs = 0;
  for (auto earlier = checks.begin(); earlier != checks.end(); ++earlier) {
    SCOPED_TRACE(std::string("check ") + earlier->check);
    Attempt alone(GetParam().opcode);
    earlier->commit(alone);
    expect(alone, *earlier);
    for (auto later = earlier + 1; later != checks.end(); ++later) {
      SCOPED_TRACE(std::string("and check ") + later->check);
      Attempt both(GetParam().opcode);
      later->commit(both);
      const Attempt without = both;
      earlier->commit(both);
      if (impossible(both) || same(both, alone) || same(both, without)) continue;
      expect(both, *earlier);
      ++pairs;
    }
  }
  EXPECT_EQ(pairs, GetParam().pairs);
}

INSTANTIATE_TEST_SUITE_P(
    Of, IwarpCheckOrder,
    testing::Values(Kind{"Send", Rdmap::Send, &kPlainSendChecks, 60},
                    Kind{"SendInvalidate", Rdmap::SendInvalidate, &kInvalidateChecks, 97},
                    Kind{"SendSolicited", Rdmap::SendSolicited, &kPlainSendChecks, 60},
                    Kind{"SendSolicitedInvalidate", Rdmap::SendSolicitedInvalidate,
                         &kInvalidateChecks, 97},
                    Kind{"Immediate", Rdmap::Immediate, &kImmediateChecks, 85},
                    Kind{"ImmediateSolicited", Rdmap::ImmediateSolicited, &kImmediateChecks, 85},
                    Kind{"ReadRequest", Rdmap::ReadRequest, &kReadRequestChecks, 143},
                    Kind{"ReadResponse", Rdmap::ReadResponse, &kReadResponseChecks, 73},
                    Kind{"AtomicRequest", Rdmap::AtomicRequest, &kAtomicRequestChecks, 197},
                    Kind{"AtomicResponse", Rdmap::AtomicResponse, &kAtomicResponseChecks, 111},
                    Kind{"Write", Rdmap::Write, &kWriteChecks, 61},
                    Kind{"Terminate", Rdmap::Terminate, &kTerminateChecks, 15}),
    [](const auto& one) { return std::string(one.param.name); });

} // namespace
} // namespace datum::iwarp::test
