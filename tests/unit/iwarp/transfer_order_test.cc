// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The order in which requests and responses leave: how many Reads at a time, whose turn is next,
// and how much is made ready for TCP.
#include <gtest/gtest.h>

#include <algorithm>

#include "transfer_sides.h"

namespace datum::iwarp::test::transfer {
namespace {

// Rules: iwarp.T8
TEST(IwarpTransfer, OrdIsKeptHoweverManyReadsAreStarted) {
  PairOptions options;
  options.passive_wishes.reads_in = 1;
  options.active_wishes.reads_out = 1;
  Pair pair(options);
  pair.connect();
  const std::byte* memory = pair.passive.events.add_region(0x501, 64, kRemoteRead);
  Bytes data(64);
  const LocalTriplet local = triplet(data.data(), data.size());
  for (int i = 0; i < 1000; ++i)
    pair.active.events.start_on_room.push_back(read_of(std::span(&local, 1), 0x501, memory));
  pair.active.events.on_room();
  pair.pump();
  EXPECT_EQ(pair.active.events.log(), Log(1000, "read done"));
  EXPECT_EQ(pair.passive.events.log(), Log{});
}

// Rules: iwarp.T8
TEST(IwarpTransfer, RtrReadCountsUntilItIsAnswered) {
  Side side;
  side.session.connect({}, {.reads_in = 1, .reads_out = 1}, side.events, 0);
  side.take_output();
  side.feed_hex("4d504120494420526570204672616d655002000480014001"); // read form, IRD 1
  EXPECT_EQ(ulpdus(side.take_output()).size(), 1U);
  Bytes data(8);
  const LocalTriplet local = triplet(data.data(), data.size());
  const WorkRequest work = read_of(std::span(&local, 1), 0x501, nullptr);
  ASSERT_EQ(side.session.start(work), StartResult::Started);
  EXPECT_EQ(ulpdus(side.take_output()).size(), 0U);
  side.feed(fpdu(tagged(Rdmap::ReadResponse, 1, 0)));
  const std::vector<Bytes> frames = ulpdus(side.take_output());
  ASSERT_EQ(frames.size(), 1U);
  // MSN 2 of queue 1.
  EXPECT_EQ(to_hex(Octets(frames[0]).first(18)), "414100000000000000010000000200000000");
}

// Rules: iwarp.T9
TEST(IwarpTransfer, PeerThatServesNoReads) {
  PairOptions options;
  options.passive_wishes.reads_in = 0;
  Pair pair(options);
  pair.connect();
  Bytes data(8);
  const LocalTriplet local = triplet(data.data(), data.size());
  const WorkRequest work = read_of(std::span(&local, 1), 0x501, nullptr);
  ASSERT_EQ(pair.active.session.start(work), StartResult::Started);
  EXPECT_EQ(pair.active.events.log(), Log{}) << "not from within start()";
  pair.pump();
  EXPECT_EQ(pair.active.events.log(), (Log{"read failed: status 7 behind 0", "broken"}));
}

// Rules: iwarp.T10
TEST(IwarpTransfer, ResponsesGoBetweenTheMessagesOfALongWrite) {
  Pair pair;
  pair.connect();
  const Bytes data = pattern(4 << 20, 3, 1);
  const LocalTriplet local = triplet(data.data(), data.size());
  const std::byte* sink = pair.passive.events.add_region(0x501, data.size(), kRemoteWrite);
  const std::byte* source = pair.active.events.add_region(0x502, 64, kRemoteRead);
  const WorkRequest write = write_of(std::span(&local, 1), 0x501, sink);
  ASSERT_EQ(pair.active.session.start(write), StartResult::Started);
  pair.active.take_output(100000); // the Write is under way
  Bytes read_data(64);
  const LocalTriplet read_local = triplet(read_data.data(), read_data.size());
  const WorkRequest read = read_of(std::span(&read_local, 1), 0x502, source);
  ASSERT_EQ(pair.passive.session.start(read), StartResult::Started);
  pair.active.feed(pair.passive.take_output());
  // The response leaves behind the first message of the Write. That message has 1 MiB. Three more
  // follow.
  std::size_t behind = 0;
  bool found = false;
  while (!found && pair.active.session.has_output()) {
    std::array<Octets, 256> pieces;
    const std::size_t count = pair.active.session.output(pieces, 0);
    std::size_t sent = 0;
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t at = 0; at + 18 <= pieces[i].size() && pieces[i].size() < 2000; ++at)
        found = found || to_hex(pieces[i].subspan(at, 2)) == "c142";
      sent += pieces[i].size();
    }
    behind += sent;
    pair.active.session.sent(sent, 0);
  }
  EXPECT_TRUE(found);
  EXPECT_LT(behind, 1500000U);
}

// Rules: iwarp.T11
TEST(IwarpTransfer, OwnMessagesDoNotStarveResponses) {
  Pair pair;
  pair.connect();
  std::byte* memory = pair.passive.events.add_region(0x501, 64, kRemoteRead);
  Bytes data(64);
  const LocalTriplet local = triplet(data.data(), data.size());
  const WorkRequest read = read_of(std::span(&local, 1), 0x501, memory);
  ASSERT_EQ(pair.active.session.start(read), StartResult::Started);
  for (int i = 0; i < 100; ++i)
    pair.passive.events.start_on_room.push_back(send_of(std::span(&local, 1)));
  pair.passive.feed(pair.active.take_output());
  pair.passive.events.on_room();
  const std::vector<Bytes> frames = ulpdus(pair.passive.take_output());
  std::size_t response = frames.size();
  for (std::size_t i = 0; i < frames.size(); ++i)
    if (to_hex(Octets(frames[i]).first(2)) == "c142") response = i;
  EXPECT_LE(response, 6U);
}

// Rules: iwarp.T12
TEST(IwarpTransfer, ReadStartsBehindTheMessagesBeforeIt) {
  Pair pair;
  pair.connect();
  const std::byte* memory = pair.passive.events.add_region(0x501, 64, kRemoteRead);
  Bytes data(64);
  const LocalTriplet local = triplet(data.data(), data.size());
  const WorkRequest send = send_of(std::span(&local, 1));
  const WorkRequest read = read_of(std::span(&local, 1), 0x501, memory);
  ASSERT_EQ(pair.active.session.start(send), StartResult::Started);
  ASSERT_EQ(pair.active.session.start(read), StartResult::Started);
  pair.pump();
  EXPECT_EQ(pair.active.events.log(), Log{}) << "the Send waits for a Recv";
  pair.passive.events.post_receive(64);
  pair.passive.session.on_receive_posted(0);
  pair.pump();
  EXPECT_EQ(pair.active.events.log(), (Log{"placed 1", "read done"}));
}

// Rules: iwarp.T14
TEST(IwarpTransfer, SmallMessagesShareOneGatheringCall) {
  Pair pair;
  pair.connect();
  const Bytes data = pattern(8, 1, 1);
  const LocalTriplet local = triplet(data.data(), data.size());
  const WorkRequest work = send_of(std::span(&local, 1));
  for (int i = 0; i < 256; ++i)
    ASSERT_EQ(pair.active.session.start_now(work), StartResult::Started);
  std::array<Octets, 8> pieces;
  ASSERT_EQ(pair.active.session.output(pieces, 0), 1U);
  EXPECT_EQ(pieces[0].size(), 256U * 32U);
}

// The session builds FPDUs as long as fewer octets than the bound wait for TCP. Each FPDU has 1024
// octets.
// Rules: iwarp.T22 ENV.17
TEST(IwarpTransfer, NoMoreIsMadeThanTcpShouldTake) {
  for (const std::size_t bound : {4 * 1024U, 4 * 1024U + 1, 5 * 1024U}) {
    SessionSettings settings;
    settings.most_unsent = bound;
    Target side(settings);
    side.session.set_segment_size(1460);
    const Bytes data = pattern(1000, 1, 1);
    const LocalTriplet local = triplet(data.data(), data.size());
    const std::vector<WorkRequest> requests(20, send_of(std::span(&local, 1)));
    std::size_t taken = 0;
    while (taken < requests.size() && side.session.start(requests[taken]) == StartResult::Started)
      ++taken;
    std::array<Octets, 64> pieces;
    std::size_t waiting = 0;
    const std::size_t count = side.session.output(pieces, 0);
    for (const Octets& piece : std::span(pieces).first(count)) waiting += piece.size();
    EXPECT_EQ(waiting, bound == 4 * 1024U ? 4096U : 5120U);
    EXPECT_EQ(taken, waiting / 1024 + 1) << "the last of them waits for room";
  }
}

// A request that found no room leaves first in the next call, together with others. Alone it would
// cost a system call of its own.
// Rules: iwarp.T23
TEST(IwarpTransfer, WhatThereIsRoomForLeavesTogether) {
  SessionSettings settings;
  settings.most_unsent = 4 * 1024;
  Target side(settings);
  side.session.set_segment_size(1460);
  const Bytes data = pattern(1000, 1, 1);
  const LocalTriplet local = triplet(data.data(), data.size());
  side.events.start_on_room.assign(20, send_of(std::span(&local, 1)));
  side.events.on_room();
  for (int call = 0; call < 5; ++call) {
    std::array<Octets, 64> pieces;
    std::size_t size = 0;
    const std::size_t count = side.session.output(pieces, 0);
    for (const Octets& piece : std::span(pieces).first(count)) size += piece.size();
    EXPECT_EQ(size, 4U * 1024U) << "call " << call;
    side.session.sent(size, 0);
  }
  EXPECT_FALSE(side.session.has_output());
}

// Rules: iwarp.T15
TEST(IwarpTransfer, StartWithinTheCallNeedsNothingAfterwards) {
  Sender side(false);
  side.take_output();
  side.session.set_segment_size(1448);
  {
    Bytes data = pattern(1000, 1, 1);
    LocalTriplet local = triplet(data.data(), data.size());
    WorkRequest work = send_of(std::span(&local, 1));
    ASSERT_EQ(side.session.start_now(work), StartResult::Started);
    std::fill(data.begin(), data.end(), std::byte{0});
    local = {};
    work = {};
  }
  const std::vector<Bytes> frames = ulpdus(side.take_output());
  ASSERT_EQ(frames.size(), 1U);
  EXPECT_EQ(to_hex(Octets(frames[0]).subspan(18)), to_hex(pattern(1000, 1, 1)));
  // start_now() does not begin Reads, nor messages that are too large to copy.
  Bytes data(100000);
  const LocalTriplet local = triplet(data.data(), data.size());
  const WorkRequest large = send_of(std::span(&local, 1));
  EXPECT_EQ(side.session.start_now(large), StartResult::Later);
  const LocalTriplet few = triplet(data.data(), 8);
  EXPECT_EQ(side.session.start_now(read_of(std::span(&few, 1), 1, nullptr)), StartResult::Later);
  EXPECT_FALSE(side.session.has_output());
}

} // namespace
} // namespace datum::iwarp::test::transfer
