// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A session whose messages arrive before their Recvs are posted (decision 305).
#include <gtest/gtest.h>

#include "pair.h"

namespace datum::iwarp::test {
namespace {

// A Target whose only Recv is taken.
struct Waiting : Target {
  explicit Waiting(const SessionSettings& settings = patient()) : Target(settings) {
    feed(send(1, 1));
    events.take_log();
    take_output();
  }
  static SessionSettings patient() {
    SessionSettings settings;
    settings.extensions = true;
    return settings;
  }
  static Bytes send(std::uint32_t msn, std::size_t size, std::uint32_t offset = 0,
                    bool last = true) {
    return fpdu(untagged(Rdmap::Send, 0, msn, offset, last), pattern(size, 3, msn));
  }
  void post(std::size_t size) {
    events.post_receive(size);
    session.on_receive_posted(now);
    feed({}, 1); // feeds what the session had not taken
  }
};

// Rules: iwarp.W1
TEST(IwarpWaiting, TheNextReceiveTakesIt) {
  for (const std::size_t piece : {std::size_t{1}, std::size_t{100000}}) {
    Waiting side;
    side.feed(Waiting::send(2, 10), piece);
    side.feed(Waiting::send(3, 20), piece);
    EXPECT_EQ(side.events.log(), Log{});
    side.post(16);
    EXPECT_EQ(side.events.log(), Log{"received 10"});
    side.post(20);
    EXPECT_EQ(side.events.log(), (Log{"received 10", "received 20"}));
    EXPECT_EQ(to_hex(side.events.received(2)), to_hex(pattern(20, 3, 3)));
    side.post(8);
    side.feed(Waiting::send(4, 5), piece);
    EXPECT_EQ(side.events.log().back(), "received 5");
  }
}

// Rules: iwarp.W2
TEST(IwarpWaiting, NotForLongerThanSetAndEachMessageForItself) {
  Waiting side;
  side.now = 100;
  side.feed(Waiting::send(2, 10));
  EXPECT_EQ(side.session.deadline(), 100 + kSecond);
  side.now = 200;
  side.feed(Waiting::send(3, 10));
  EXPECT_EQ(side.session.deadline(), 100 + kSecond);
  side.now = 300;
  side.post(10);
  EXPECT_EQ(side.session.deadline(), 300 + kSecond);
  side.session.on_time(300 + kSecond - 1);
  EXPECT_EQ(side.events.take_log(), Log{"received 10"});
  side.session.on_time(300 + kSecond);
  EXPECT_EQ(side.terminate_code(), "1/2/02");
  EXPECT_EQ(to_hex(Octets(side.terminate().header).first(18)),
            "414300000000000000000000000300000000");
  EXPECT_EQ(side.events.log(), Log{"broken"});
}

// Rules: iwarp.W3
TEST(IwarpWaiting, WhatFollowsIsCarriedOut) {
  Waiting side;
  side.feed(Waiting::send(2, 10));
  side.feed(fpdu(tagged(Rdmap::Write, Target::kRegion, side.base()), pattern(4, 1, 9)));
  EXPECT_EQ(to_hex(Octets(reinterpret_cast<const std::byte*>(side.base()), 4)), "090a0b0c");
  side.feed(fpdu(untagged(Rdmap::Terminate, 2, 1), Bytes(4)));
  EXPECT_EQ(side.events.log(), Log{"broken"});
}

// Rules: iwarp.W3
TEST(IwarpWaiting, TheEndOfTheStreamIsNoticed) {
  Waiting side;
  side.feed(Waiting::send(2, 10));
  side.session.end_of_stream(0);
  EXPECT_EQ(side.events.log(), Log{"disconnected"});
}

// Rules: iwarp.W4
TEST(IwarpWaiting, BoundedThenTcpHoldsThePeer) {
  for (const std::size_t size : {0U, 100U, 5000U, 40000U}) {
    Waiting side;
    std::uint32_t msn = 2;
    std::size_t octets = 0;
    while (side.held_back() == 0 && msn < 10000) {
      side.feed(Waiting::send(msn++, size));
      octets += size;
    }
    EXPECT_LE(octets, 64U * 1024 + 2 * size);
    EXPECT_LT(msn, 1000U) << "empty ones are bounded, too";
    EXPECT_EQ(side.events.log(), Log{});
    for (std::uint32_t i = 2; i < msn; ++i) side.post(size);
    EXPECT_EQ(side.held_back(), 0U);
    EXPECT_EQ(side.events.log(), Log(msn - 2, "received " + std::to_string(size)));
    for (std::uint32_t i = 2; i < msn; ++i)
      EXPECT_TRUE(side.events.received(i - 1) == pattern(size, 3, i));
  }
}

// Each message counts 128 octets more than its payload has.
// Rules: iwarp.W4 ENV.15
TEST(IwarpWaiting, TheBoundIsTheOneThatIsSet) {
  for (const bool one_more : {false, true}) {
    SessionSettings settings = Waiting::patient();
    settings.most_unexpected = one_more ? 5 * 1024 : 4 * 1024;
    Waiting side(settings);
    for (std::uint32_t msn = 2; msn < 6; ++msn) side.feed(Waiting::send(msn, 896));
    EXPECT_EQ(side.held_back(), 0U);
    side.feed(Waiting::send(6, 896));
    EXPECT_EQ(side.held_back() != 0, !one_more);
    side.feed(Waiting::send(7, 896));
    EXPECT_NE(side.held_back(), 0U);
  }
}

// Rules: iwarp.W5
TEST(IwarpWaiting, MessageLargerThanTheBound) {
  Waiting side;
  const Bytes data = pattern(200000, 3, 1);
  for (std::uint32_t at = 0; at < data.size(); at += 50000)
    side.feed(fpdu(untagged(Rdmap::Send, 0, 2, at, at + 50000 == data.size()),
                   Octets(data).subspan(at, 50000)));
  EXPECT_GT(side.held_back(), 100000U);
  side.post(200000);
  EXPECT_EQ(side.held_back(), 0U);
  EXPECT_EQ(side.events.log(), Log{"received 200000"});
  EXPECT_TRUE(side.events.received(1) == data);
}

// Rules: iwarp.W6
TEST(IwarpWaiting, ReceivePostedAtEveryOctetOfTheMessage) {
  Bytes octets = Waiting::send(2, 30, 0, false);
  const Bytes second = fpdu(untagged(Rdmap::Send, 0, 2, 30), pattern(20, 3, 92));
  octets.insert(octets.end(), second.begin(), second.end());
  for (std::size_t at = 0; at <= octets.size(); ++at) {
    Waiting side;
    side.feed(Octets(octets).first(at));
    side.post(50);
    side.feed(Octets(octets).subspan(at));
    EXPECT_EQ(side.events.log(), Log{"received 50"}) << at;
    EXPECT_TRUE(side.events.received(1) == pattern(50, 3, 2)) << at;
  }
}

// Rules: iwarp.W7
TEST(IwarpWaiting, TooLongForTheReceiveItGets) {
  for (const std::size_t at : {std::size_t{30}, std::size_t{44}}) {
    Waiting side;
    const Bytes octets = Waiting::send(2, 20);
    side.feed(Octets(octets).first(at));
    side.post(19);
    side.feed(Octets(octets).subspan(at));
    EXPECT_EQ(side.terminate_code(), "1/2/05");
    EXPECT_EQ(side.events.log(), (Log{"receive failed: status 2", "broken"}));
  }
}

// Rules: iwarp.W8
TEST(IwarpWaiting, ImmediateDataAndInvalidationWaitAsWell) {
  Waiting side;
  side.feed(fpdu(untagged(Rdmap::ImmediateSolicited, 0, 2), from_hex("0102030405060708")));
  UntaggedHeader header = untagged(Rdmap::SendInvalidate, 0, 3);
  header.invalidate = 99;
  side.feed(fpdu(header, Bytes(3)));
  side.post(3);
  EXPECT_EQ(side.events.log(), Log{"immediate 16909060 behind 84281096 solicited"});
  side.events.invalidation = AccessFault::WrongZone;
  side.post(3);
  EXPECT_EQ(side.terminate_code(), "0/1/09");
  EXPECT_EQ(to_hex(Octets(side.terminate().header).first(18)),
            "414400000063000000000000000300000000");
}

// Rules: iwarp.W9
TEST(IwarpWaiting, WritesBehindAWaitingSendAreAcknowledgedBehindIt) {
  Pair pair;
  pair.connect();
  const std::byte* memory = pair.passive.events.add_region(0x501, 64, kRemoteWrite);
  const Bytes data = pattern(8, 1, 1);
  const LocalTriplet local = triplet(data.data(), data.size());
  const WorkRequest send = send_of(std::span(&local, 1));
  const WorkRequest write = write_of(std::span(&local, 1), 0x501, memory);
  ASSERT_EQ(pair.active.session.start(write), StartResult::Started);
  ASSERT_EQ(pair.active.session.start(send), StartResult::Started);
  ASSERT_EQ(pair.active.session.start(write), StartResult::Started);
  pair.pump();
  EXPECT_EQ(pair.active.events.take_log(), Log{"placed 1"});
  pair.passive.events.post_receive(8);
  pair.passive.session.on_receive_posted(0);
  pair.pump();
  EXPECT_EQ(pair.active.events.take_log(), Log{"placed 2"});
}

} // namespace
} // namespace datum::iwarp::test
