// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The checks on what the peer asks of our memory: C14 to C19 on its Reads, C20 to C25 on its
// Writes, C31 to C33 on its Atomics.
#include <gtest/gtest.h>

#include "checked_frames.h"

namespace datum::iwarp::test::checks {
namespace {

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

} // namespace
} // namespace datum::iwarp::test::checks
