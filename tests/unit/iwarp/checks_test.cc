// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The checks on incoming FPDUs, C1 to C38, in the order in which Inbound makes them; the second
// test of C13 stands behind C26, since it needs a Reader. If an FPDU breaks two rules at once, the
// earlier check decides. expect_refused() and expect_taken() feed the frames twice: whole, and
// octet by octet.
#include <gtest/gtest.h>

#include "refused.h"

namespace datum::iwarp::test {
namespace {

constexpr Stag kRegion = Target::kRegion;
constexpr Access kBoth = kRemoteRead | kRemoteWrite;

Bytes raw(std::string_view hex) {
  Bytes octets = from_hex(hex);
  const std::uint32_t value = crc32c(octets);
  for (unsigned i = 0; i < 4; ++i)
    octets.push_back(static_cast<std::byte>(value >> (8 * i) & 0xffU));
  return octets;
}

// The Target takes every frame, and the consumer gets the events of `log`.
void expect_taken(const Frames& frames, const Log& log) {
  for (const std::size_t piece : {std::size_t{1}, std::size_t{100000}}) {
    SCOPED_TRACE(piece == 1 ? "octet by octet" : "whole");
    Target target;
    for (const Bytes& each : frames(target)) target.feed(each, piece);
    EXPECT_EQ(target.terminate_code(), "");
    EXPECT_EQ(target.events.log(), log);
  }
}

Bytes read_request(Stag stag, std::uint64_t from, std::uint32_t size, std::uint32_t msn = 1) {
  return fpdu(untagged(Rdmap::ReadRequest, 1, msn), octets_of(ReadRequest{.sink_stag = 0xaa5502,
                                                                          .sink_offset = 0x2000,
                                                                          .size = size,
                                                                          .source_stag = stag,
                                                                          .source_offset = from}));
}

Bytes atomic_request(Stag stag, std::uint64_t at, std::uint32_t msn = 1,
                     AtomicOperation operation = AtomicOperation::FetchAdd) {
  return fpdu(untagged(Rdmap::AtomicRequest, 1, msn),
              octets_of(AtomicRequest{
                  .operation = operation, .identifier = 9, .stag = stag, .offset = at, .data = 1}));
}

Bytes write(Stag stag, std::uint64_t to, std::size_t size, bool last = true) {
  return fpdu(tagged(Rdmap::Write, stag, to, last), pattern(size, 3, 1));
}

Bytes send(std::uint32_t msn, std::size_t size, std::uint32_t offset = 0, bool last = true) {
  return fpdu(untagged(Rdmap::Send, 0, msn, offset, last), pattern(size, 3, 1));
}

// Rules: iwarp.C1
TEST(IwarpChecks, C1UlpduShorterThanItsHeader) {
  expect_refused(
      [](Target&) {
        return Several{raw("000dc140000000010000000000000000"
                           "00")};
      },
      {"1/0/00", false});
  expect_refused(
      [](Target&) {
        return Several{raw("00114143000000000000000000000001000000"
                           "00")};
      },
      {"1/0/00", false});
  expect_refused([](Target&) { return Several{raw("0000c1400000")}; }, {"1/0/00", false});
  // The length is checked before the version, which is wrong as well.
  expect_refused([](Target&) { return Several{raw("0004c2400000")}; }, {"1/0/00", false});
}

// Rules: iwarp.C2
TEST(IwarpChecks, C2DdpVersion) {
  TaggedHeader old = tagged(Rdmap::Write, 1, 0);
  old.control.ddp_version = 0;
  expect_refused([&](Target&) { return Several{fpdu(old)}; }, {"1/1/04", false});
  UntaggedHeader newer = untagged(Rdmap::Send, 0, 1);
  newer.control.ddp_version = 2;
  newer.control.rdmap_version = 0; // wrong as well, but checked later
  expect_refused([&](Target&) { return Several{fpdu(newer)}; }, {"1/2/06", false});
}

// Rules: iwarp.C3
TEST(IwarpChecks, C3RdmapVersion) {
  UntaggedHeader header = untagged(static_cast<Rdmap>(12), 0, 1);
  header.control.rdmap_version = 2;
  expect_refused([&](Target&) { return Several{fpdu(header)}; }, {"0/2/05", false});
}

// Rules: iwarp.C4
TEST(IwarpChecks, C4UnknownOpcode) {
  for (const unsigned opcode : {12U, 13U, 14U, 15U}) {
    const auto unknown = static_cast<Rdmap>(opcode);
    expect_refused([&](Target&) { return Several{fpdu(untagged(unknown, 5, 9))}; },
                   {"0/2/06", false});
    expect_refused([&](Target&) { return Several{fpdu(tagged(unknown, 1, 0))}; },
                   {"0/2/06", false});
  }
}

// Rules: iwarp.C4
TEST(IwarpChecks, C4ExtensionsThatWereNotAgreedOn) {
  SessionSettings settings;
  settings.extensions = false;
  for (const Rdmap opcode :
       {Rdmap::Immediate, Rdmap::ImmediateSolicited, Rdmap::AtomicRequest, Rdmap::AtomicResponse})
    expect_refused(
        [&](Target&) { return Several{fpdu(untagged(opcode, queue_of(opcode), 1), Bytes(8))}; },
        {"0/2/06", false}, settings);
}

// Rules: iwarp.C5
TEST(IwarpChecks, C5TaggedBitAgainstOpcode) {
  for (const Rdmap opcode :
       {Rdmap::ReadRequest, Rdmap::Send, Rdmap::SendInvalidate, Rdmap::SendSolicited,
        Rdmap::SendSolicitedInvalidate, Rdmap::Terminate, Rdmap::Immediate, Rdmap::AtomicRequest})
    expect_refused([&](Target&) { return Several{fpdu(tagged(opcode, 1, 2), Bytes(8))}; },
                   {"0/2/06"});
  for (const Rdmap opcode : {Rdmap::Write, Rdmap::ReadResponse})
    expect_refused([&](Target&) { return Several{fpdu(untagged(opcode, 5, 9), Bytes(8))}; },
                   {"0/2/06"});
}

// Rules: iwarp.C6
TEST(IwarpChecks, C6AnythingLegalMayBeTheFirstFpdu) {
  expect_taken([](Target&) { return Several{send(1, 5)}; }, {"received 5"});
  expect_taken([](Target& target) { return Several{write(kRegion, target.base(), 5)}; }, {});
  expect_taken([](Target& target) { return Several{read_request(kRegion, target.base(), 5)}; }, {});
  expect_taken([](Target&) { return Several{fpdu(untagged(Rdmap::Immediate, 0, 1), Bytes(8))}; },
               {"immediate 0 behind 0"});
}

// Rules: iwarp.C7
TEST(IwarpChecks, C7QueueOfTheOpcode) {
  for (const std::uint32_t queue : {1U, 2U, 3U, 4U, 0xffffffffU})
    expect_refused([&](Target&) { return Several{fpdu(untagged(Rdmap::Send, queue, 9))}; },
                   {"1/2/01"});
  expect_refused(
      [](Target&) { return Several{fpdu(untagged(Rdmap::ReadRequest, 0, 1), Bytes(28))}; },
      {"1/2/01"});
  expect_refused(
      [](Target&) { return Several{fpdu(untagged(Rdmap::AtomicResponse, 1, 1), Bytes(12))}; },
      {"1/2/01"});
}

// Rules: iwarp.C8
TEST(IwarpChecks, C8MsnBehindOrAhead) {
  expect_refused([](Target&) { return Several{send(0, 4)}; }, {"1/2/03"});
  // An MSN ahead. The offset and the length are wrong as well, but checked later.
  expect_refused([](Target&) { return Several{send(2, 100, 7)}; }, {"1/2/03"});
  expect_refused(
      [](Target& t) {
        t.events.post_receive(64);
        return Several{send(1, 4), send(1, 4)};
      },
      {"1/2/03"});
  // Reads and Atomics share one sequence of MSNs.
  expect_refused(
      [](Target& t) {
        return Several{read_request(kRegion, t.base(), 4), atomic_request(kRegion, t.base(), 1)};
      },
      {"1/2/03"});
  // In the middle of a message no other message can begin.
  expect_refused([](Target&) { return Several{send(1, 4, 0, false), send(2, 4)}; }, {"1/2/03"});
}

// Rules: iwarp.C8
TEST(IwarpChecks, C8EveryQueueCountsForItself) {
  expect_taken(
      [](Target& t) {
        t.events.post_receive(8);
        return Several{send(1, 4), read_request(kRegion, t.base(), 4, 1), send(2, 4),
                       atomic_request(kRegion, t.base(), 2)};
      },
      {"received 4", "received 4"});
}

// Rules: iwarp.C9
TEST(IwarpChecks, C9NoBuffer) {
  // There is no Recv. The offset is wrong as well, but checked later.
  expect_refused([](Target&) { return Several{send(1, 4), send(2, 4, 3)}; }, {"1/2/02"});
  expect_refused(
      [](Target&) {
        return Several{send(1, 4), fpdu(untagged(Rdmap::Immediate, 0, 2), Bytes(7))};
      },
      {"1/2/02"});
  // The peer sends more Reads than the Target serves at a time.
  expect_refused(
      [](Target& t) {
        std::vector<Bytes> all;
        Bytes together;
        for (std::uint32_t msn = 1; msn <= 5; ++msn) {
          const Bytes one = read_request(kRegion, t.base(), 4, msn);
          together.insert(together.end(), one.begin(), one.end());
        }
        // Nothing takes the Target's output, so its answers to the first four Reads stay queued.
        // Its IRD is four. The fifth Read is one too many, and the Terminate has to echo it.
        t.feed(Octets(together).first(together.size() / 5 * 4));
        all.emplace_back(together.end() - static_cast<std::ptrdiff_t>(together.size() / 5),
                         together.end());
        return all;
      },
      {"1/2/02"});
  // An Atomic Response without an Atomic Request.
  expect_refused(
      [](Target&) { return Several{fpdu(untagged(Rdmap::AtomicResponse, 3, 1), Bytes(12))}; },
      {"1/2/02"});
}

// Rules: iwarp.C10
TEST(IwarpChecks, C10MessageOffset) {
  expect_refused([](Target&) { return Several{send(1, 100, 4)}; }, {"1/2/04"});
  expect_refused([](Target&) { return Several{send(1, 4, 0, false), send(1, 4, 5)}; }, {"1/2/04"});
  expect_refused([](Target&) { return Several{send(1, 4, 0, false), send(1, 4, 3)}; }, {"1/2/04"});
  expect_refused(
      [](Target&) { return Several{fpdu(untagged(Rdmap::ReadRequest, 1, 1, 4), Bytes(28))}; },
      {"1/2/04"});
  expect_refused(
      [](Target&) { return Several{fpdu(untagged(Rdmap::Immediate, 0, 1, 4), Bytes(8))}; },
      {"1/2/04"});
}

// Rules: iwarp.C9 iwarp.C10
TEST(IwarpChecks, C9ImmediateDataWithoutARecvAndWithAnOffset) {
  for (const Rdmap opcode : {Rdmap::Immediate, Rdmap::ImmediateSolicited})
    expect_refused(
        [&](Target&) {
          return Several{send(1, 4), fpdu(untagged(opcode, 0, 2, 4), Bytes(8))};
        },
        {"1/2/02"});
}

// Rules: iwarp.C10 iwarp.W8
TEST(IwarpChecks, C10ImmediateDataThatWaitsWithAnOffset) {
  expect_refused(
      [](Target&) {
        return Several{send(1, 4), fpdu(untagged(Rdmap::Immediate, 0, 2, 4), Bytes(8))};
      },
      {"1/2/04"}, {.extensions = true});
}

// Rules: iwarp.C11
TEST(IwarpChecks, C11LongerThanTheReceive) {
  const Log log{"receive failed: status 2", "broken"};
  expect_refused([](Target&) { return Several{send(1, 65)}; }, {"1/2/05", true, false, log});
  expect_refused(
      [](Target&) {
        return Several{send(1, 60, 0, false), send(1, 5, 60)};
      },
      {"1/2/05", true, false, log});
  // An FPDU that continues the message with another opcode and is too long is refused for its
  // length: the opcode is checked later (C12).
  expect_refused(
      [](Target&) {
        return Several{send(1, 60, 0, false), fpdu(untagged(Rdmap::Immediate, 0, 1, 60), Bytes(8))};
      },
      {"1/2/05", true, false, log});
  // A message exactly as long as the Recv is taken.
  expect_taken(
      [](Target&) {
        return Several{send(1, 60, 0, false), send(1, 4, 60)};
      },
      {"received 64"});
}

// Rules: iwarp.C12
TEST(IwarpChecks, C12OpcodeAndStagOfTheFirstSegment) {
  expect_refused(
      [](Target&) {
        return Several{send(1, 4, 0, false),
                       fpdu(untagged(Rdmap::SendSolicited, 0, 1, 4), Bytes(4))};
      },
      {"0/2/06"});
  // Immediate Data is a message of its own and continues no other.
  for (const Rdmap opcode : {Rdmap::Immediate, Rdmap::ImmediateSolicited})
    expect_refused(
        [&](Target&) {
          return Several{send(1, 4, 0, false), fpdu(untagged(opcode, 0, 1, 4), Bytes(8))};
        },
        {"0/2/06"});
  UntaggedHeader first = untagged(Rdmap::SendInvalidate, 0, 1, 0, false);
  first.invalidate = 5;
  UntaggedHeader second = untagged(Rdmap::SendInvalidate, 0, 1, 4);
  second.invalidate = 6;
  expect_refused(
      [&](Target&) {
        return Several{fpdu(first, Bytes(4)), fpdu(second, Bytes(4))};
      },
      {"0/2/06"});
  // In a plain Send the STag to invalidate is ignored.
  first.control.opcode = second.control.opcode = Rdmap::Send;
  expect_taken(
      [&](Target&) {
        return Several{fpdu(first, Bytes(4)), fpdu(second, Bytes(4))};
      },
      {"received 8"});
}

// Rules: iwarp.C13
TEST(IwarpChecks, C13AnotherMessageOfTheSameClassUnfinished) {
  expect_refused(
      [](Target& t) {
        return Several{send(1, 4, 0, false), read_request(kRegion, t.base(), 4)};
      },
      {"0/2/06"});
  expect_refused(
      [](Target& t) {
        return Several{write(kRegion, t.base(), 4, false), fpdu(tagged(Rdmap::ReadResponse, 1, 0))};
      },
      {"0/2/06"});
  // Messages of different classes may be interleaved.
  expect_taken(
      [](Target& t) {
        return Several{send(1, 4, 0, false), write(kRegion, t.base(), 4), send(1, 4, 4)};
      },
      {"received 8"});
  expect_taken(
      [](Target& t) {
        return Several{write(kRegion, t.base(), 4, false), send(1, 4),
                       write(kRegion, t.base() + 4, 4)};
      },
      {"received 4"});
}

// Rules: iwarp.C14
TEST(IwarpChecks, C14ReadRequestOfOneSegmentAnd28Octets) {
  for (const std::size_t size : {0U, 27U, 29U, 1000U})
    expect_refused(
        [&](Target&) {
          return Several{fpdu(untagged(Rdmap::ReadRequest, 1, 1), Bytes(size, std::byte{1}))};
        },
        {"0/2/ff"});
  expect_refused(
      [](Target&) {
        return Several{fpdu(untagged(Rdmap::ReadRequest, 1, 1, 0, false), Bytes(28, std::byte{1}))};
      },
      {"0/2/ff"});
}

// Rules: iwarp.C15
TEST(IwarpChecks, C15ReadFromAnStagThatNamesNothing) {
  for (const Stag stag : {Stag{0}, kRegion ^ 0xffU, kRegion + 0x100})
    expect_refused([&](Target& t) { return Several{read_request(stag, t.base(), 4)}; },
                   {"0/1/00", true, true});
  expect_refused(
      [](Target& t) {
        t.events.revoke(kRegion);
        return Several{read_request(kRegion, t.base(), 4)};
      },
      {"0/1/00", true, true});
}

// Rules: iwarp.C15
TEST(IwarpChecks, C15ReadOfNothingNamesNothing) {
  expect_taken([](Target&) { return Several{read_request(0xdeadbeef, ~0ULL, 0)}; }, {});
}

// Rules: iwarp.C16
TEST(IwarpChecks, C16ReadAcrossZonesAndEndpoints) {
  expect_refused(
      [](Target& t) {
        std::byte* memory = t.events.add_region(0x55, 64, kLocalRead, StandIn::kZone + 1);
        return Several{read_request(0x55, reinterpret_cast<std::uint64_t>(memory), 4)};
      },
      {"0/1/03", true, true});
  expect_refused(
      [](Target& t) {
        std::byte* memory =
            t.events.add_region(0x55, 64, kBoth, StandIn::kZone, StandIn::kEndpoint + 1);
        return Several{read_request(0x55, reinterpret_cast<std::uint64_t>(memory), 4)};
      },
      {"0/1/03", true, true});
}

// Rules: iwarp.C17
TEST(IwarpChecks, C17ReadWithoutTheRight) {
  expect_refused(
      [](Target& t) {
        t.events.add_region(0x55, 64, kRemoteWrite | kLocalRead | kLocalWrite);
        return Several{read_request(0x55, ~0ULL, 4)}; // wraps as well, but that is checked later
      },
      {"0/1/02", true, true});
}

// Rules: iwarp.C18
TEST(IwarpChecks, C18ReadThatWraps) {
  expect_refused([](Target&) { return Several{read_request(kRegion, ~0ULL - 2, 4)}; },
                 {"0/1/04", true, true});
}

// Rules: iwarp.C19
TEST(IwarpChecks, C19ReadOutsideTheRegion) {
  expect_refused([](Target& t) { return Several{read_request(kRegion, t.base() - 1, 4)}; },
                 {"0/1/01", true, true});
  expect_refused([](Target& t) { return Several{read_request(kRegion, t.base() + 0xfffd, 4)}; },
                 {"0/1/01", true, true});
  expect_refused([](Target& t) { return Several{read_request(kRegion, t.base(), 0xffffffff)}; },
                 {"0/1/01", true, true});
  expect_taken(
      [](Target& t) {
        return Several{read_request(kRegion, t.base() + 0xfffc, 4),
                       read_request(kRegion, t.base(), 0x10000, 2)};
      },
      {});
}

// Rules: iwarp.C20
TEST(IwarpChecks, C20WriteToAnStagThatNamesNothing) {
  for (const Stag stag : {Stag{0}, kRegion ^ 0xffU, kRegion + 0x100})
    expect_refused([&](Target& t) { return Several{write(stag, t.base(), 4)}; }, {"1/1/00"});
}

// Rules: iwarp.C20
TEST(IwarpChecks, C20WriteOfNothingNamesNothing) {
  expect_taken(
      [](Target&) {
        return Several{write(0xdeadbeef, ~0ULL, 0), send(1, 1)};
      },
      {"received 1"});
}

// Rules: iwarp.C21
TEST(IwarpChecks, C21WriteAcrossZonesAndEndpoints) {
  expect_refused(
      [](Target& t) {
        std::byte* memory = t.events.add_region(0x55, 64, kRemoteRead, StandIn::kZone + 1);
        return Several{write(0x55, reinterpret_cast<std::uint64_t>(memory), 4)};
      },
      {"1/1/02"});
  expect_refused(
      [](Target& t) {
        std::byte* memory =
            t.events.add_region(0x55, 64, kBoth, StandIn::kZone, StandIn::kEndpoint + 1);
        return Several{write(0x55, reinterpret_cast<std::uint64_t>(memory), 4)};
      },
      {"1/1/02"});
}

// Rules: iwarp.C22
TEST(IwarpChecks, C22WriteWithoutTheRight) {
  expect_refused(
      [](Target& t) {
        t.events.add_region(0x55, 64, kRemoteRead | kLocalRead | kLocalWrite);
        return Several{write(0x55, ~0ULL, 4)}; // wraps as well, but that is checked later
      },
      {"1/1/00"});
}

// Rules: iwarp.C23
TEST(IwarpChecks, C23WriteThatWraps) {
  expect_refused([](Target&) { return Several{write(kRegion, ~0ULL - 2, 4)}; }, {"1/1/03"});
}

// Rules: iwarp.C24
TEST(IwarpChecks, C24WriteOutsideTheRegion) {
  expect_refused([](Target& t) { return Several{write(kRegion, t.base() - 1, 4)}; }, {"1/1/01"});
  expect_refused([](Target& t) { return Several{write(kRegion, t.base() + 0xfffd, 4)}; },
                 {"1/1/01"});
  expect_refused([](Target& t) { return Several{write(kRegion, t.base() + 0x10001, 4)}; },
                 {"1/1/01"});
  expect_taken([](Target& t) { return Several{write(kRegion, t.base() + 0xfffc, 4)}; }, {});
}

// Rules: iwarp.C24
TEST(IwarpChecks, C24NothingOfARefusedWriteIsPlaced) {
  Target target;
  const auto* memory = reinterpret_cast<const std::byte*>(target.base());
  target.feed(write(kRegion, target.base() + 0xfffd, 4), 1);
  EXPECT_EQ(target.terminate_code(), "1/1/01");
  EXPECT_EQ(to_hex(Octets(memory + 0xfffd, 3)), "000000");
}

// Rules: iwarp.C25
TEST(IwarpChecks, C25EachSegmentOfAWriteIsCheckedByItself) {
  expect_taken(
      [](Target& t) {
        std::byte* other = t.events.add_region(0x55, 64, kBoth);
        return Several{write(kRegion, t.base(), 4, false),
                       write(0x55, reinterpret_cast<std::uint64_t>(other) + 9, 4), send(1, 1)};
      },
      {"received 1"});
  expect_refused(
      [](Target& t) {
        return Several{write(kRegion, t.base(), 4, false), write(kRegion, t.base() + 0x10000, 4)};
      },
      {"1/1/01"});
}

Frames respond(std::deque<Reader>& readers,
               const std::function<std::vector<Bytes>(const ReadRequest&)>& frames) {
  return [&readers, frames](Target& target) {
    readers.emplace_back(target);
    return frames(readers.back().request);
  };
}

Bytes response(Stag stag, std::uint64_t offset, std::size_t size, bool last = true) {
  return fpdu(tagged(Rdmap::ReadResponse, stag, offset, last), pattern(size, 5, 2));
}

const Log kBadResponse{"read failed: status 5 behind 0", "broken"};

// Rules: iwarp.C26
TEST(IwarpChecks, C26ReadResponseThatNobodyAskedFor) {
  expect_refused([](Target&) { return Several{response(1, 0, 4)}; }, {"1/0/00"});
  std::deque<Reader> readers;
  expect_refused(respond(readers,
                         [](const ReadRequest& r) {
                           return Several{response(r.sink_stag, r.sink_offset, 100),
                                          response(r.sink_stag, r.sink_offset, 100)};
                         }),
                 {"1/0/00"});
}

// Rules: iwarp.C13
TEST(IwarpChecks, C13WriteBeforeTheEndOfAReadResponse) {
  std::deque<Reader> readers;
  expect_refused(
      respond(
          readers,
          [](const ReadRequest& r) {
            return Several{response(r.sink_stag, r.sink_offset, 60, false), write(kRegion, 0, 0)};
          }),
      {"0/2/06"});
}

// Rules: iwarp.C27
TEST(IwarpChecks, C27ReadResponseToAnotherStag) {
  std::deque<Reader> readers;
  expect_refused(respond(readers,
                         [](const ReadRequest& r) {
                           return Several{response(r.sink_stag + 1, r.sink_offset + 1, 100)};
                         }),
                 {"1/1/00", true, false, kBadResponse});
}

// Rules: iwarp.C28
TEST(IwarpChecks, C28ReadResponseElsewhereOrTooLong) {
  std::deque<Reader> readers;
  for (const int shift : {-1, 1})
    expect_refused(respond(readers,
                           [&](const ReadRequest& r) {
                             return Several{
                                 response(r.sink_stag,
                                          r.sink_offset + static_cast<std::uint64_t>(shift), 100)};
                           }),
                   {"1/1/01", true, false, kBadResponse});
  expect_refused(respond(readers,
                         [](const ReadRequest& r) {
                           return Several{response(r.sink_stag, r.sink_offset, 101)};
                         }),
                 {"1/1/01", true, false, kBadResponse});
  expect_refused(respond(readers,
                         [](const ReadRequest& r) {
                           return Several{response(r.sink_stag, r.sink_offset, 60, false),
                                          response(r.sink_stag, r.sink_offset + 60, 41)};
                         }),
                 {"1/1/01", true, false, kBadResponse});
}

// Rules: iwarp.C29
TEST(IwarpChecks, C29ReadResponseEndsExactlyWithTheRead) {
  std::deque<Reader> readers;
  expect_refused(respond(readers,
                         [](const ReadRequest& r) {
                           return Several{response(r.sink_stag, r.sink_offset, 99)};
                         }),
                 {"1/1/01", true, false, kBadResponse});
  expect_refused(respond(readers,
                         [](const ReadRequest& r) {
                           return Several{response(r.sink_stag, r.sink_offset, 100, false)};
                         }),
                 {"1/1/01", true, false, kBadResponse});
  expect_refused(respond(readers,
                         [](const ReadRequest& r) {
                           return Several{response(r.sink_stag, r.sink_offset, 0)};
                         }),
                 {"1/1/01", true, false, kBadResponse});
  expect_taken(respond(readers,
                       [](const ReadRequest& r) {
                         return Several{response(r.sink_stag, r.sink_offset, 60, false),
                                        response(r.sink_stag, r.sink_offset + 60, 40)};
                       }),
               {"read done"});
  EXPECT_EQ(to_hex(Octets(readers.back().memory).last(40)), to_hex(pattern(40, 5, 2)));
}

// Rules: iwarp.C30
TEST(IwarpChecks, C30ImmediateDataOfOneSegmentAnd8Octets) {
  for (const std::size_t size : {0U, 7U, 9U})
    expect_refused(
        [&](Target&) { return Several{fpdu(untagged(Rdmap::Immediate, 0, 1), Bytes(size))}; },
        {"0/2/ff"});
  expect_refused(
      [](Target&) {
        return Several{fpdu(untagged(Rdmap::ImmediateSolicited, 0, 1, 0, false), Bytes(8))};
      },
      {"0/2/ff"});
  expect_taken(
      [](Target&) {
        return Several{
            fpdu(untagged(Rdmap::ImmediateSolicited, 0, 1), from_hex("0102030405060708"))};
      },
      {"immediate 16909060 behind 84281096 solicited"});
}

// Rules: iwarp.C31
TEST(IwarpChecks, C31AtomicRequestOfOneSegmentAnd52Octets) {
  for (const std::size_t size : {0U, 51U, 53U})
    expect_refused(
        [&](Target&) { return Several{fpdu(untagged(Rdmap::AtomicRequest, 1, 1), Bytes(size))}; },
        {"0/2/ff"});
  expect_refused(
      [](Target&) {
        return Several{fpdu(untagged(Rdmap::AtomicRequest, 1, 1, 0, false), Bytes(52))};
      },
      {"0/2/ff"});
  for (const unsigned operation : {1U, 3U, 15U})
    expect_refused(
        [&](Target&) {
          return Several{atomic_request(0xdead, 1, 1, static_cast<AtomicOperation>(operation))};
        },
        {"0/2/06"});
}

// Rules: iwarp.C32
TEST(IwarpChecks, C32AtomicNeedsItsRightToEightOctets) {
  expect_refused([](Target& t) { return Several{atomic_request(0x99, t.base() + 4)}; }, {"0/1/00"});
  expect_refused(
      [](Target& t) {
        std::byte* memory = t.events.add_region(0x55, 64, kRemoteAtomic, StandIn::kZone + 1);
        return Several{atomic_request(0x55, reinterpret_cast<std::uint64_t>(memory))};
      },
      {"0/1/03"});
  expect_refused(
      [](Target& t) {
        std::byte* memory = t.events.add_region(0x55, 64, kBoth);
        return Several{atomic_request(0x55, reinterpret_cast<std::uint64_t>(memory))};
      },
      {"0/1/02"});
  expect_refused([](Target&) { return Several{atomic_request(kRegion, ~0ULL - 6)}; }, {"0/1/04"});
  expect_refused([](Target& t) { return Several{atomic_request(kRegion, t.base() + 0xfff9)}; },
                 {"0/1/01"});
}

// Rules: iwarp.C33
TEST(IwarpChecks, C33AtomicOnAMisalignedAddress) {
  for (const unsigned shift : {1U, 2U, 4U, 7U})
    expect_refused([&](Target& t) { return Several{atomic_request(kRegion, t.base() + shift)}; },
                   {"0/2/07"});
}

// Rules: iwarp.C34
TEST(IwarpChecks, C34AtomicResponseThatFits) {
  struct Setting {
    std::uint32_t identifier;
    std::size_t size;
    bool last;
    std::uint32_t offset;
    const char* code;
  };
  for (const Setting& setting :
       {Setting{1, 12, true, 0, ""}, Setting{2, 12, true, 0, "0/2/ff"},
        Setting{1, 11, true, 0, "0/2/ff"}, Setting{1, 13, true, 0, "0/2/ff"},
        Setting{1, 12, false, 0, "0/2/ff"}, Setting{1, 12, true, 4, "1/2/04"}}) {
    Target target;
    std::uint64_t result = 0;
    const LocalTriplet local = triplet(&result, sizeof result);
    const WorkRequest work = read_of(std::span(&local, 1), 0x77, nullptr);
    target.feed(fpdu(tagged(Rdmap::Write, 1, 0)));
    OutboundRequest request;
    request.opcode = Rdmap::AtomicRequest;
    request.work = &work;
    ASSERT_EQ(target.session.start_extension(request), StartResult::Started);
    target.take_output();
    Bytes payload = octets_of(AtomicResponse{.identifier = setting.identifier, .original = 77});
    payload.resize(setting.size);
    target.feed(fpdu(untagged(Rdmap::AtomicResponse, 3, 1, setting.offset, setting.last), payload));
    EXPECT_EQ(target.terminate_code(), setting.code);
    EXPECT_EQ(result, *setting.code == '\0' ? 77U : 0U);
  }
}

// Rules: iwarp.C34
TEST(IwarpChecks, C34AtomicsAndReadsAreAnsweredInOneOrder) {
  std::deque<Reader> readers;
  // The oldest request is a Read.
  expect_refused(respond(readers,
                         [](const ReadRequest&) {
                           return Several{fpdu(untagged(Rdmap::AtomicResponse, 3, 1),
                                               octets_of(AtomicResponse{.identifier = 1}))};
                         }),
                 {"1/2/02"});
}

// Rules: iwarp.C35
TEST(IwarpChecks, C35TerminateIsParsedWithinItsLengthAndNeverAnswered) {
  // The first three payloads announce a header or a Read Request that is missing or cut off. The
  // last two are too short for the control field. Each comes with a wrong queue, MSN and offset.
  for (const char* payload : {"1101c000", "1101e0000022", "1101e0000022c14012345601", "11", ""}) {
    for (const std::size_t piece : {std::size_t{1}, std::size_t{1000}}) {
      Target target;
      target.feed(fpdu(untagged(Rdmap::Terminate, 5, 9, 3), from_hex(payload)), piece);
      EXPECT_EQ(target.terminate_code(), "");
      EXPECT_EQ(target.events.log(), Log{"broken"});
      EXPECT_TRUE(target.session.wants_shutdown());
      EXPECT_EQ(target.session.odd_terminate(), untagged(Rdmap::Terminate, 5, 9, 3));
    }
  }
  // This Terminate is longer than any that RFC 5040 defines.
  Target target;
  target.feed(fpdu(untagged(Rdmap::Terminate, 2, 1), Bytes(3000, std::byte{0xff})), 7);
  EXPECT_EQ(target.terminate_code(), "");
  EXPECT_EQ(target.events.log(), Log{"broken"});
  EXPECT_EQ(target.session.odd_terminate(), std::nullopt);
}

// Rules: iwarp.C35
TEST(IwarpChecks, C35ATerminateThatNoSegmentMayBringIsNoticedAndCounts) {
  for (const UntaggedHeader& odd :
       {untagged(Rdmap::Terminate, 0, 1), untagged(Rdmap::Terminate, 2, 0),
        untagged(Rdmap::Terminate, 2, 2), untagged(Rdmap::Terminate, 2, 1, 1),
        untagged(Rdmap::Terminate, 2, 1, 0, false)}) {
    Target target;
    target.feed(fpdu(odd, from_hex("01010000")));
    EXPECT_EQ(target.session.odd_terminate(), odd);
    EXPECT_EQ(target.session.last_error(), (ErrorCode{0, 1, 1}));
    EXPECT_EQ(target.events.log(), Log{"broken"});
  }
}

// Rules: iwarp.C36
TEST(IwarpChecks, C36CrcBeforeDelivery) {
  const auto corrupt = [](Bytes octets) {
    octets[octets.size() - 1] ^= std::byte{1};
    return octets;
  };
  expect_refused([&](Target&) { return Several{corrupt(send(1, 4))}; }, {"2/0/02", false});
  expect_refused([&](Target& t) { return Several{corrupt(write(kRegion, t.base(), 100))}; },
                 {"2/0/02", false});
  expect_refused([&](Target& t) { return Several{corrupt(read_request(kRegion, t.base(), 4))}; },
                 {"2/0/02", false});
  expect_refused(
      [&](Target&) { return Several{corrupt(fpdu(untagged(Rdmap::Terminate, 2, 1), Bytes(4)))}; },
      {"2/0/02", false});
  // The CRC covers the pad.
  expect_refused(
      [&](Target&) {
        Bytes octets = send(1, 3);
        octets[octets.size() - 5] = std::byte{1};
        return Several{octets};
      },
      {"2/0/02", false});
  // A wrong MSN is reported before a wrong CRC.
  expect_refused([&](Target&) { return Several{corrupt(send(9, 4))}; }, {"1/2/03"});
}

// Rules: iwarp.C36
TEST(IwarpChecks, C36TheLastLineOfAWriteWaitsForTheCrc) {
  Target target;
  const auto* memory = reinterpret_cast<const std::byte*>(target.base());
  Bytes octets = write(kRegion, target.base(), 200);
  octets.back() ^= std::byte{1};
  target.feed(octets, 1);
  EXPECT_EQ(target.terminate_code(), "2/0/02");
  EXPECT_EQ(to_hex(Octets(memory + 192, 8)), "0000000000000000");
}

// Rules: iwarp.C36
TEST(IwarpChecks, C36WithoutCrcTheFieldIsNotLookedAt) {
  SessionSettings settings;
  settings.crc = false;
  Side side(settings);
  side.session.expect_request(0);
  side.feed_hex("4d504120494420526571204672616d6500010000"); // a request without C
  side.session.accept({}, {}, side.events, 0);
  EXPECT_EQ(to_hex(side.take_output()), "4d504120494420526570204672616d6500010000");
  side.events.take_log();
  side.events.post_receive(8);
  Bytes octets = fpdu(untagged(Rdmap::Send, 0, 1), pattern(4, 1, 1), false);
  octets[octets.size() - 1] = std::byte{0x5a};
  side.feed(octets, 3);
  EXPECT_EQ(side.events.log(), Log{"received 4"});
}

// Rules: iwarp.C37
TEST(IwarpChecks, C37NothingAfterATerminateIsLookedAt) {
  for (const std::size_t piece : {std::size_t{1}, std::size_t{1000}}) {
    Target target;
    Bytes octets = fpdu(untagged(Rdmap::Terminate, 2, 1), from_hex("00000000"));
    for (const Bytes& more : {send(1, 4), Bytes(100, std::byte{0xee})})
      octets.insert(octets.end(), more.begin(), more.end());
    target.feed(octets, piece);
    EXPECT_EQ(target.events.log(), Log{"broken"});
    EXPECT_EQ(target.terminate_code(), "");
    EXPECT_EQ(target.held_back(), 0U) << "it is taken, and thrown away";
  }
}

// Rules: iwarp.C38
TEST(IwarpChecks, C38InvalidationAtDelivery) {
  struct Setting {
    AccessFault answer;
    const char* code;
  };
  UntaggedHeader header = untagged(Rdmap::SendInvalidate, 0, 1);
  header.invalidate = 0x4711;
  for (const Setting& setting :
       {Setting{AccessFault::BadStag, "0/2/09"}, Setting{AccessFault::WrongZone, "0/1/09"}})
    expect_refused(
        [&](Target& t) {
          t.events.invalidation = setting.answer;
          return Several{fpdu(header, Bytes(4))};
        },
        {.code = setting.code, .log = {"receive failed: status 4", "broken"}});
  expect_taken([&](Target&) { return Several{fpdu(header, Bytes(4))}; },
               {"invalidated 18193", "received 4"});
  header.control.opcode = Rdmap::SendSolicitedInvalidate;
  expect_taken([&](Target&) { return Several{fpdu(header, Bytes(4))}; },
               {"invalidated 18193", "received 4 solicited"});
}

} // namespace
} // namespace datum::iwarp::test
