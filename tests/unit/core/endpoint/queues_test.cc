// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The queues of an EP: requests, and Recvs with their segments.
#include <gtest/gtest.h>

#include <vector>

#include "core/endpoint/receive_queue.h"
#include "core/endpoint/request_queue.h"

namespace datum {
namespace {

PostedRequest request(std::uint64_t cookie) {
  PostedRequest made;
  made.cookie = cookie;
  return made;
}

TEST(RequestQueue, HoldsAsManyAsItsDepthAndNoMore) {
  RequestQueue queue(5, 2); // not a power of two
  EXPECT_TRUE(queue.empty());
  for (std::uint64_t i = 0; i < 5; ++i) {
    EXPECT_FALSE(queue.full());
    queue.push(request(i));
  }
  EXPECT_TRUE(queue.full());
  EXPECT_EQ(queue.count(), 5);
  queue.mark_started();
  queue.retire();
  EXPECT_FALSE(queue.full());
}

TEST(RequestQueue, PositionsCountOnRoundAndRound) {
  RequestQueue queue(3, 1);
  for (std::uint64_t i = 0; i < 100; ++i) {
    queue.push(request(i));
    EXPECT_EQ(queue.posted(), i + 1);
    EXPECT_EQ(queue.started(), i);
    EXPECT_EQ(queue.retired(), i);
    EXPECT_EQ(queue.at(i).cookie, i);
    queue.mark_started();
    queue.retire();
    EXPECT_TRUE(queue.empty());
  }
}

TEST(RequestQueue, ARequestKeepsItsAddress) {
  RequestQueue queue(4, 1);
  const PostedRequest* first = &queue.push(request(1));
  for (std::uint64_t i = 2; i < 5; ++i) queue.push(request(i));
  EXPECT_EQ(&queue.at(0), first);
  EXPECT_EQ(first->cookie, 1U);
  queue.start_all();
  EXPECT_EQ(queue.started(), 4U);
}

TEST(RequestQueue, APairCountsAsOne) {
  RequestQueue queue(2, 1);
  for (std::uint64_t pairs = 0; pairs < 2; ++pairs) {
    EXPECT_FALSE(queue.full());
    queue.make_room_for_pair();
    queue.begin_pair();
    queue.push(request(pairs));
    queue.push(request(pairs));
  }
  EXPECT_TRUE(queue.full());
  queue.start_all();
  queue.retire();
  queue.end_first_half();
  EXPECT_TRUE(queue.full()) << "one half is there still";
  queue.retire();
  EXPECT_FALSE(queue.full());
}

TEST(RequestQueue, RoomForPairsIsMadeWhateverIsPosted) {
  RequestQueue queue(4, 1);
  // A request may be at another place in the new queue than in the old one.
  for (std::uint64_t i = 0; i != 3; ++i) {
    queue.push(request(100));
    queue.mark_started();
    queue.retire();
  }
  queue.push(request(0));
  queue.push(request(1));
  for (std::uint64_t pair = 2; pair != 4; ++pair) {
    EXPECT_FALSE(queue.full());
    queue.make_room_for_pair();
    queue.begin_pair();
    queue.push(request(pair));
    queue.push(request(pair));
  }
  EXPECT_TRUE(queue.full());
  EXPECT_EQ(queue.count(), 6);
  constexpr std::uint64_t kExpected[] = {0, 1, 2, 2, 3, 3};
  for (std::uint64_t i = 0; i != 6; ++i) EXPECT_EQ(queue.at(3 + i).cookie, kExpected[i]) << i;
}

TEST(RequestQueue, WhatAChannelWasGivenStaysWhereItWas) {
  RequestQueue queue(1, 1);
  EXPECT_FALSE(queue.full());
  queue.resize(2, 1);
  const LocalTriplet segment{1, 100, 10};
  WorkRequest work;
  work.length = 10;
  work.local = {&segment, 1};
  queue.keep(work);
  queue.push(request(5));
  const WorkRequest* given = &queue.work(0);
  queue.mark_started();
  queue.make_room_for_pair();
  EXPECT_NE(given, &queue.work(0));
  for (const WorkRequest* each : {given, const_cast<const WorkRequest*>(&queue.work(0))}) {
    EXPECT_EQ(each->length, 10U);
    ASSERT_EQ(each->local.size(), 1U);
    EXPECT_EQ(each->local[0].address, 100U);
  }
  EXPECT_NE(given->local.data(), queue.work(0).local.data());
}

TEST(RequestQueue, KeepsACopyOfTheSegments) {
  RequestQueue queue(2, 3);
  for (std::uint64_t i = 0; i < 2; ++i) {
    std::vector<LocalTriplet> segments{{1, 100 + i, 10}, {2, 200 + i, 20}};
    WorkRequest work;
    work.opcode = Opcode::RdmaWrite;
    work.length = 30;
    work.local = segments;
    queue.keep(work);
    queue.push(request(i));
    segments.assign(2, LocalTriplet{});
  }
  for (std::uint64_t i = 0; i < 2; ++i) {
    const WorkRequest& kept = queue.work(i);
    ASSERT_EQ(kept.local.size(), 2U);
    EXPECT_EQ(kept.local[0].address, 100 + i);
    EXPECT_EQ(kept.local[1].address, 200 + i);
    EXPECT_EQ(kept.local[1].length, 20U);
    EXPECT_EQ(kept.opcode, Opcode::RdmaWrite);
  }
}

TEST(RequestQueue, AnEmptyOneTakesAnotherDepth) {
  RequestQueue queue(1, 1);
  for (std::uint64_t i = 0; i < 7; ++i) {
    queue.push(request(i));
    queue.mark_started();
    queue.retire();
  }
  queue.resize(9, 4);
  EXPECT_EQ(queue.depth(), 9);
  EXPECT_EQ(queue.iov(), 4);
  for (std::uint64_t i = 7; i < 16; ++i) queue.push(request(i));
  EXPECT_TRUE(queue.full());
  for (std::uint64_t i = 7; i < 16; ++i) EXPECT_EQ(queue.at(i).cookie, i);
}

TEST(RequestQueue, OneOfNoDepthIsFullAndEmpty) {
  const RequestQueue queue(0, 0);
  EXPECT_TRUE(queue.full());
  EXPECT_TRUE(queue.empty());
}

void push(ReceiveQueue& queue, std::uint64_t cookie) {
  const LocalTriplet segments[] = {{3, cookie * 16, 8}, {4, cookie * 16 + 8, 8}};
  queue.push(cookie, 0, segments, 16);
}
void expect_front(const ReceiveQueue& queue, std::uint64_t cookie) {
  EXPECT_EQ(queue.front().cookie, cookie);
  EXPECT_EQ(queue.front().capacity, 16U);
  ASSERT_EQ(queue.front_segments().size(), 2U);
  EXPECT_EQ(queue.front_segments()[0].address, cookie * 16);
  EXPECT_EQ(queue.front_segments()[1].address, cookie * 16 + 8);
}

TEST(ReceiveQueue, GivesBackInPostingOrderRoundAndRound) {
  ReceiveQueue queue(3, 2);
  push(queue, 0);
  for (std::uint64_t i = 1; i < 50; ++i) {
    push(queue, i);
    expect_front(queue, i - 1);
    queue.pop();
    EXPECT_EQ(queue.count(), 1);
  }
}

TEST(ReceiveQueue, AnotherDepthKeepsOrderAndContents) {
  ReceiveQueue queue(4, 2);
  for (std::uint64_t i = 0; i < 3; ++i) push(queue, i);
  queue.pop();
  queue.pop();
  for (std::uint64_t i = 3; i < 6; ++i) push(queue, i); // across the end of the array
  EXPECT_TRUE(queue.full());
  queue = queue.resized(6, 3);
  EXPECT_EQ(queue.depth(), 6);
  EXPECT_EQ(queue.iov(), 3);
  push(queue, 6);
  push(queue, 7);
  EXPECT_TRUE(queue.full());
  for (std::uint64_t i = 2; i < 8; ++i) {
    expect_front(queue, i);
    queue.pop();
  }
  EXPECT_TRUE(queue.empty());
}

} // namespace
} // namespace datum
