// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Two sessions in full operation: every kind of message, of every size, however the octets arrive;
// and the moment of which a message with a CRC is.
#include <gtest/gtest.h>

#include <algorithm>

#include "transfer_sides.h"

namespace datum::iwarp::test::transfer {
namespace {

// Sizes around all limits: of pads, of copies, of FPDUs, of messages.
constexpr std::size_t kSizes[] = {0,     1,     3,      4,      63,      64,      65,     1023,
                                  1024,  1025,  1424,   1428,   8191,    32768,   64750,  64754,
                                  64755, 65536, 100000, 262144, 1048576, 1048577, 3000000};

PairOptions with_crc(bool crc) {
  PairOptions options;
  options.active.crc = options.passive.crc = crc;
  return options;
}

// How octets arrive in a test.
struct Arrival {
  const char* name;
  std::size_t piece;
  unsigned seed;
};
const Arrival kArrivals[] = {{"whole", 0, 0}, {"in pieces", 1000, 0}, {"at random", 0, 17}};

void set(Pair& pair, const Arrival& arrival) {
  pair.piece = arrival.piece;
  if (arrival.seed != 0) pair.random.emplace(arrival.seed);
}

std::vector<LocalTriplet> cut(const Bytes& data, std::size_t segments) {
  std::vector<LocalTriplet> local;
  for (std::size_t i = 0; i < segments; ++i) {
    const std::size_t from = data.size() * i / segments;
    const std::size_t to = data.size() * (i + 1) / segments;
    local.push_back(triplet(data.data() + from, to - from));
  }
  return local;
}

// Rules: iwarp.T1
TEST(IwarpTransfer, SendsOfEverySize) {
  for (const bool crc : {false, true}) {
    for (const Arrival& arrival : kArrivals) {
      Pair pair(with_crc(crc));
      set(pair, arrival);
      pair.connect();
      std::size_t count = 0;
      for (const std::size_t size : kSizes) {
        SCOPED_TRACE(std::string(arrival.name) + " " + std::to_string(size));
        pair.passive.events.post_receive(size, 1 + size % 3);
        const Bytes data = pattern(size, 7, static_cast<unsigned>(size));
        const std::vector<LocalTriplet> local = cut(data, 1 + size % 5);
        const WorkRequest work = send_of(local, size % 2 == 1);
        ASSERT_EQ(pair.active.session.start(work), StartResult::Started);
        pair.pump();
        EXPECT_EQ(pair.active.events.take_log(), Log{"placed 1"});
        EXPECT_EQ(pair.passive.events.take_log(),
                  Log{"received " + std::to_string(size) + (size % 2 == 1 ? " solicited" : "")});
        ASSERT_TRUE(pair.passive.events.received(count++) == data);
      }
    }
  }
}

// Rules: iwarp.T2
TEST(IwarpTransfer, WritesOfEverySize) {
  for (const bool crc : {false, true}) {
    for (const Arrival& arrival : kArrivals) {
      Pair pair(with_crc(crc));
      set(pair, arrival);
      pair.connect();
      const std::byte* memory = pair.passive.events.add_region(0x501, 3000100, kRemoteWrite);
      for (const std::size_t size : kSizes) {
        SCOPED_TRACE(std::string(arrival.name) + " " + std::to_string(size));
        const Bytes data = pattern(size, 7, static_cast<unsigned>(size) + 1);
        const std::vector<LocalTriplet> local = cut(data, 1 + size % 5);
        const std::byte* to = memory + size % 67;
        const WorkRequest work = write_of(local, 0x501, to);
        ASSERT_EQ(pair.active.session.start(work), StartResult::Started);
        pair.pump();
        EXPECT_EQ(pair.active.events.take_log(), Log{"placed 1"});
        EXPECT_EQ(pair.passive.events.take_log(), Log{});
        ASSERT_TRUE(std::equal(data.begin(), data.end(), to));
      }
    }
  }
}

// Rules: iwarp.T3
TEST(IwarpTransfer, ReadsOfEverySize) {
  for (const bool crc : {false, true}) {
    for (const Arrival& arrival : kArrivals) {
      Pair pair(with_crc(crc));
      set(pair, arrival);
      pair.connect();
      std::byte* memory = pair.passive.events.add_region(0x501, 3000100, kRemoteRead);
      const Bytes source = pattern(3000100, 11, 5);
      std::copy(source.begin(), source.end(), memory);
      for (const std::size_t size : kSizes) {
        SCOPED_TRACE(std::string(arrival.name) + " " + std::to_string(size));
        Bytes data(size);
        const std::vector<LocalTriplet> local = cut(data, 1 + size % 5);
        const std::size_t from = size % 67;
        const WorkRequest work = read_of(local, 0x501, memory + from);
        ASSERT_EQ(pair.active.session.start(work), StartResult::Started);
        pair.pump();
        EXPECT_EQ(pair.active.events.take_log(), Log{"read done"});
        ASSERT_TRUE(std::equal(data.begin(), data.end(),
                               source.begin() + static_cast<std::ptrdiff_t>(from)));
      }
    }
  }
}

// Rules: iwarp.T4
TEST(IwarpTransfer, AtomicsInOrderWithReads) {
  Pair pair;
  pair.connect();
  std::byte* memory = pair.passive.events.add_region(0x501, 64, kRemoteRead | kRemoteAtomic);
  std::uint64_t value = 0x0000000100000002;
  std::memcpy(memory + 8, &value, sizeof value);
  std::array<std::uint64_t, 4> results{};
  std::array<LocalTriplet, 4> local;
  for (std::size_t i = 0; i < 4; ++i) local[i] = triplet(&results[i], 8);
  std::array<WorkRequest, 4> work;
  for (std::size_t i = 0; i < 4; ++i) work[i] = read_of(std::span(&local[i], 1), 0x501, memory + 8);
  const auto at = reinterpret_cast<std::uint64_t>(memory + 8);
  const AtomicRequest add{.stag = 0x501, .offset = at, .data = 5, .mask = 0};
  const AtomicRequest swap{.operation = AtomicOperation::CompareSwap,
                           .stag = 0x501,
                           .offset = at,
                           .data = 0x99,
                           .mask = ~std::uint64_t{0},
                           .compare = 0x0000000100000007};
  for (std::size_t i = 0; i < 4; ++i) {
    OutboundRequest request;
    request.opcode = i % 2 == 0 ? Rdmap::AtomicRequest : Rdmap::ReadRequest;
    request.work = &work[i];
    request.atomic = i == 0 ? add : swap;
    ASSERT_EQ(pair.active.session.start_extension(request), StartResult::Started);
  }
  pair.pump();
  EXPECT_EQ(pair.active.events.log(), Log(4, "read done"));
  EXPECT_EQ(results[0], 0x0000000100000002U);
  EXPECT_EQ(results[1], 0x0000000100000007U);
  EXPECT_EQ(results[2], 0x0000000100000007U);
  EXPECT_EQ(results[3], 0x99U);
}

// Rules: iwarp.T4
TEST(IwarpTransfer, WhatAtomicsDo) {
  AtomicRequest add{.data = 0x01ff, .mask = 0x8080};
  // Two fields of eight bits, and one of the other bits. No carry leaves its field.
  EXPECT_EQ(applied(add, 0x0101), 0x0200U);
  add = {.data = 1, .mask = 0};
  EXPECT_EQ(applied(add, ~std::uint64_t{0}), 0U);
  add = {.data = 1, .mask = std::uint64_t{1} << 31U};
  EXPECT_EQ(applied(add, 0x00000000ffffffff), 0U);
  add = {.data = 1, .mask = ~std::uint64_t{0}}; // every bit is a field
  EXPECT_EQ(applied(add, 3), 2U);
  AtomicRequest swap{.operation = AtomicOperation::CompareSwap,
                     .data = 0xabcd,
                     .mask = 0x00ff,
                     .compare = 0x1200,
                     .compare_mask = 0xff00};
  EXPECT_EQ(applied(swap, 0x1234), 0x12cdU);
  EXPECT_EQ(applied(swap, 0x1334), 0x1334U);
}

// Rules: iwarp.T5
TEST(IwarpTransfer, ImmediateDataAndInvalidation) {
  Pair pair;
  pair.connect();
  for (int i = 0; i < 3; ++i) pair.passive.events.post_receive(16);
  OutboundRequest request;
  request.opcode = Rdmap::ImmediateSolicited;
  request.immediate = 0x0102030405060708;
  ASSERT_EQ(pair.active.session.start_extension(request), StartResult::Started);
  const Bytes data = pattern(9, 1, 1);
  const LocalTriplet local = triplet(data.data(), data.size());
  const WorkRequest work = send_of(std::span(&local, 1));
  for (const Rdmap opcode : {Rdmap::SendInvalidate, Rdmap::SendSolicitedInvalidate}) {
    request.opcode = opcode;
    request.work = &work;
    request.invalidate = 77;
    ASSERT_EQ(pair.active.session.start_extension(request), StartResult::Started);
  }
  pair.pump();
  EXPECT_EQ(pair.passive.events.log(),
            (Log{"immediate 16909060 behind 84281096 solicited", "invalidated 77", "received 9",
                 "invalidated 77", "received 9 solicited"}));
  EXPECT_EQ(pair.active.events.log(), Log{"placed 3"});
}

// Rules: iwarp.T5
TEST(IwarpTransfer, ExtensionsOnlyToPeersThatTakeThem) {
  PairOptions options;
  options.active.hello = false;
  Pair pair(options);
  pair.connect();
  OutboundRequest request;
  request.opcode = Rdmap::Immediate;
  ASSERT_EQ(pair.active.session.start_extension(request), StartResult::Started);
  pair.pump();
  EXPECT_EQ(pair.active.events.log(), (Log{"request failed: status 7 behind 0", "broken"}));
}

// Rules: iwarp.T13
TEST(IwarpTransfer, SequenceNumbersOfAnotherMessageBegin) {
  // Four Sends have the MSNs 1, 2, 3 and 4 on the wire.
  Sender side(false);
  side.take_output();
  const Bytes data = pattern(4, 1, 1);
  const LocalTriplet local = triplet(data.data(), data.size());
  const WorkRequest work = send_of(std::span(&local, 1));
  std::string numbers;
  for (int i = 0; i < 4; ++i) {
    ASSERT_EQ(side.session.start_now(work), StartResult::Started);
    for (const Bytes& frame : ulpdus(side.take_output()))
      numbers += to_hex(Octets(frame).subspan(10, 4)) + " ";
  }
  EXPECT_EQ(numbers, "00000001 00000002 00000003 00000004 ");
}

// Rules: iwarp.T16
TEST(IwarpTransfer, ResponseWithCrcIsOfOneMoment) {
  // The owner of the region may write to it meanwhile. That must not make the CRC wrong.
  Pair pair;
  pair.connect();
  std::byte* memory = pair.passive.events.add_region(0x501, 8192, kRemoteRead);
  Bytes data(8192);
  const LocalTriplet local = triplet(data.data(), data.size());
  const WorkRequest read = read_of(std::span(&local, 1), 0x501, memory);
  ASSERT_EQ(pair.active.session.start(read), StartResult::Started);
  pair.passive.feed(pair.active.take_output());
  std::array<Octets, 8> pieces;
  const std::size_t count = pair.passive.session.output(pieces, 0);
  std::fill(memory, memory + 8192, std::byte{0x5a});
  for (std::size_t i = 0; i < count; ++i) pair.active.feed(pieces[i]);
  EXPECT_EQ(pair.active.events.log(), Log{"read done"});
}

// Rules: iwarp.T21
TEST(IwarpTransfer, MessageWithCrcIsOfTheMomentOfItsPost) {
  // Programs written for RDMA adapters do change the buffers of posted requests. That must not end
  // their connection.
  Pair pair;
  pair.connect();
  std::byte* target = pair.passive.events.add_region(0x501, 8192, kRemoteWrite);
  Bytes data = pattern(8192, 1, 1);
  const LocalTriplet local = triplet(data.data(), data.size());
  const WorkRequest write = write_of(std::span(&local, 1), 0x501, target);
  ASSERT_EQ(pair.active.session.start(write), StartResult::Started);
  std::fill(data.begin(), data.end(), std::byte{0x5a});
  pair.passive.feed(pair.active.take_output());
  EXPECT_EQ(to_hex(Octets(target, 8192)), to_hex(pattern(8192, 1, 1)));
  EXPECT_EQ(pair.passive.events.log(), Log{});
}

// Rules: iwarp.T21
TEST(IwarpTransfer, MessageWithCrcThatWaitedForRoomIsOfLaterMoments) {
  Pair pair;
  pair.connect();
  std::byte* target = pair.passive.events.add_region(0x501, 8192, kRemoteWrite);
  Bytes data = pattern(8192, 1, 1);
  const LocalTriplet local = triplet(data.data(), data.size());
  const WorkRequest write = write_of(std::span(&local, 1), 0x501, target);
  int started = 0;
  while (started != 100 && pair.active.session.start(write) == StartResult::Started) ++started;
  ASSERT_GT(started, 1);
  ASSERT_LT(started, 100) << "all found room";
  std::fill(data.begin(), data.end(), std::byte{0x5a});
  for (Bytes sent = pair.active.take_output(); !sent.empty(); sent = pair.active.take_output())
    pair.passive.feed(sent);
  EXPECT_EQ(target[8191], std::byte{0x5a});
  EXPECT_EQ(pair.passive.events.log(), Log{}) << "no CRC was wrong";
}

} // namespace
} // namespace datum::iwarp::test::transfer
