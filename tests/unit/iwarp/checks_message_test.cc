// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The checks on incoming FPDUs in the order in which Inbound makes them. Here: C1 to C13, on
// headers and messages, and C30, on Immediate Data. If an FPDU breaks two rules at once, the
// earlier check decides (check_order_test.cc).
#include <gtest/gtest.h>

#include "checked_frames.h"

namespace datum::iwarp::test::checks {
namespace {

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

} // namespace
} // namespace datum::iwarp::test::checks
