// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The requests of DAT 2.0 between two sessions: Sends that invalidate, Immediate Data, Atomics.
// Regions whose octets peers count from zero.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "pair.h"

namespace datum::iwarp::test {
namespace {

WorkRequest invalidating(std::span<const LocalTriplet> local, Stag stag, bool solicited) {
  WorkRequest work = send_of(local, solicited);
  work.opcode = Opcode::SendInvalidate;
  work.extra.note = {Opcode::SendInvalidate, stag, 0};
  return work;
}

WorkRequest immediate(std::uint32_t number, std::uint64_t written, bool solicited) {
  WorkRequest work = send_of({}, solicited);
  work.opcode = Opcode::WriteImmediate;
  work.extra.note = {Opcode::WriteImmediate, number, written};
  return work;
}

WorkRequest atomic(Opcode opcode, std::span<const LocalTriplet> local, Stag stag, std::uint64_t at,
                   const AtomicOperands& operands) {
  WorkRequest work = read_of(local, stag, nullptr);
  work.opcode = opcode;
  work.remote.address = at;
  work.extra.atomic = operands;
  return work;
}

// Rules: iwarp.T18
TEST(IwarpExtended, MessagesWithNotes) {
  Pair pair;
  pair.connect();
  for (int i = 0; i < 4; ++i) pair.passive.events.post_receive(16);
  const Bytes data = pattern(9, 1, 1);
  const LocalTriplet local = triplet(data.data(), data.size());
  const WorkRequest works[] = {invalidating(std::span(&local, 1), 77, false),
                               invalidating(std::span(&local, 1), 78, true),
                               immediate(0x12345678, 0xffffffff, false), immediate(9, 0, true)};
  for (const WorkRequest& work : works)
    ASSERT_EQ(pair.active.session.start(work), StartResult::Started);
  pair.pump();
  EXPECT_EQ(pair.passive.events.log(),
            (Log{"invalidated 77", "received 9", "invalidated 78", "received 9 solicited",
                 "immediate 305419896 behind 4294967295", "immediate 9 behind 0 solicited"}));
  EXPECT_EQ(pair.passive.events.received(0), data);
  EXPECT_EQ(pair.active.events.log(), Log{"placed 4"});
}

// Rules: iwarp.T18
TEST(IwarpExtended, AMessageOfTheWireIsAnImmediate) {
  Pair pair;
  pair.connect();
  ASSERT_EQ(pair.active.session.start_now(immediate(0x01020304, 5, false)), StartResult::Started);
  const std::vector<Bytes> sent = ulpdus(pair.active.take_output());
  ASSERT_EQ(sent.size(), 1U);
  EXPECT_EQ(to_hex(sent[0]), "414800000000000000000000000100000000"
                             "0102030400000005");
}

// Rules: iwarp.T18
TEST(IwarpExtended, Atomics) {
  Pair pair;
  pair.connect();
  std::byte* memory = pair.passive.events.add_region(0x501, 64, kRemoteAtomic);
  const std::uint64_t before = 0xffffffffU;
  std::memcpy(memory + 8, &before, sizeof before);
  const auto at = reinterpret_cast<std::uint64_t>(memory) + 8;
  std::array<std::uint64_t, 4> results{};
  std::array<LocalTriplet, 4> local;
  for (std::size_t i = 0; i < 4; ++i) local[i] = triplet(&results[i], 8);
  const auto sink = [&](std::size_t i) { return std::span(&local[i], 1); };
  const WorkRequest works[] = {
      atomic(Opcode::FetchAdd, sink(0), 0x501, at, {2, 0}),
      atomic(Opcode::CompareSwap, sink(1), 0x501, at, {7, 8}),
      atomic(Opcode::CompareSwap, sink(2), 0x501, at, {7, 0x100000001}),
      atomic(Opcode::FetchAdd, sink(3), 0x501, at, {1, 0}),
  };
  for (const WorkRequest& work : works)
    ASSERT_EQ(pair.active.session.start(work), StartResult::Started);
  pair.pump();
  EXPECT_EQ(pair.active.events.log(), Log(4, "read done"));
  EXPECT_EQ(results[0], 0xffffffffU);
  EXPECT_EQ(results[1], 0x100000001U);
  EXPECT_EQ(results[2], 0x100000001U);
  EXPECT_EQ(results[3], 7U);
  std::uint64_t after = 0;
  std::memcpy(&after, memory + 8, sizeof after);
  EXPECT_EQ(after, 8U);
}

// Rules: iwarp.T18
TEST(IwarpExtended, AMisalignedAtomicIsAnAccessThatIsNotAllowed) {
  Pair pair;
  pair.connect();
  const std::byte* memory = pair.passive.events.add_region(0x501, 64, kRemoteAtomic);
  std::uint64_t result = 0;
  const LocalTriplet local = triplet(&result, 8);
  const WorkRequest work = atomic(Opcode::FetchAdd, std::span(&local, 1), 0x501,
                                  reinterpret_cast<std::uint64_t>(memory) + 4, {1, 0});
  ASSERT_EQ(pair.active.session.start(work), StartResult::Started);
  pair.pump();
  EXPECT_EQ(pair.active.events.log(), (Log{"read failed: status 6 behind 0", "broken"}));
}

// Rules: iwarp.T18
TEST(IwarpExtended, WhatCannotBeInvalidatedFailsBothEnds) {
  Pair pair;
  pair.connect();
  pair.passive.events.post_receive(16);
  pair.passive.events.invalidation = AccessFault::BadStag;
  const WorkRequest work = invalidating({}, 77, false);
  ASSERT_EQ(pair.active.session.start(work), StartResult::Started);
  pair.pump();
  EXPECT_EQ(pair.passive.events.log(), (Log{"receive failed: status 4", "broken"}));
  EXPECT_EQ(pair.active.events.log(), (Log{"request failed: status 6 behind 0", "broken"}));
}

// An initiator whose peer has accepted, and has not sent its first FPDU yet.
struct Undecided : Side {
  Undecided() {
    session.connect({}, {.reads_in = 16, .reads_out = 16}, events, 0);
    take_output();
    feed_hex(kReply);
    take_output();
    events.take_log();
  }
};

// Rules: iwarp.T19
TEST(IwarpExtended, HeldBackUntilThePeerSaysHello) {
  for (const bool is_immediate : {false, true}) {
    Undecided side;
    std::uint64_t result = 0;
    const LocalTriplet local = triplet(&result, 8);
    const WorkRequest work =
        is_immediate ? immediate(1, 0, false)
                     : atomic(Opcode::FetchAdd, std::span(&local, 1), 0x501, 0x1000, {1, 0});
    ASSERT_EQ(side.session.start(work), StartResult::Started);
    EXPECT_FALSE(side.session.has_output());
    side.feed(fpdu(tagged(Rdmap::Write, kHelloStag, encode(Hello{Hello::kTakesExtensions, 1000}))));
    const std::vector<Bytes> sent = ulpdus(side.take_output());
    ASSERT_EQ(sent.size(), 1U);
    EXPECT_EQ(to_hex(Octets(sent[0]).first(2)), is_immediate ? "4148" : "414a");
  }
}

// Rules: iwarp.T19
TEST(IwarpExtended, HeldBackAndThenNotTaken) {
  Undecided side;
  const WorkRequest work = immediate(1, 0, false);
  ASSERT_EQ(side.session.start(work), StartResult::Started);
  side.feed(fpdu(tagged(Rdmap::Write, kHelloStag, encode(Hello{0, 1000}))));
  EXPECT_TRUE(side.session.has_output());
  side.take_output();
  EXPECT_EQ(side.events.log(), (Log{"request failed: status 7 behind 0", "broken"}));
}

// Rules: iwarp.T20
TEST(IwarpExtended, RegionsThatCountFromZero) {
  constexpr std::size_t kSize = 200000;
  for (const bool in_pieces : {false, true}) {
    Pair pair;
    if (in_pieces) pair.random.emplace(5);
    pair.connect();
    std::byte* memory =
        pair.passive.events.add_region(0x501, kSize, kRemoteRead | kRemoteWrite | kRemoteAtomic);
    pair.passive.events.count_from_zero(0x501);
    const Bytes data = pattern(kSize - 100, 3, 1);
    const LocalTriplet local = triplet(data.data(), data.size());
    WorkRequest write = write_of(std::span(&local, 1), 0x501, nullptr);
    write.remote.address = 67;
    ASSERT_EQ(pair.active.session.start(write), StartResult::Started);
    pair.pump();
    EXPECT_TRUE(std::equal(data.begin(), data.end(), memory + 67));
    Bytes back(data.size());
    const LocalTriplet sink = triplet(back.data(), back.size());
    WorkRequest read = read_of(std::span(&sink, 1), 0x501, nullptr);
    read.remote.address = 67;
    ASSERT_EQ(pair.active.session.start(read), StartResult::Started);
    pair.pump();
    EXPECT_TRUE(back == data);
    std::uint64_t result = 1;
    const LocalTriplet answer = triplet(&result, 8);
    const WorkRequest add =
        atomic(Opcode::FetchAdd, std::span(&answer, 1), 0x501, kSize - 8, {40, 0});
    ASSERT_EQ(pair.active.session.start(add), StartResult::Started);
    pair.pump();
    EXPECT_EQ(result, 0U);
    std::uint64_t word = 0;
    std::memcpy(&word, memory + kSize - 8, sizeof word);
    EXPECT_EQ(word, 40U);
    EXPECT_EQ(pair.active.events.log(), (Log{"placed 1", "read done", "read done"}));
  }
}

} // namespace
} // namespace datum::iwarp::test
