// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Messages that find no Recv: how long they wait, which waits are counted, and what becomes of the
// messages at an orderly end.
#include "pair.h"

namespace datum::test {
namespace {

constexpr std::uint64_t kLarge = 100'000; // fetched, or in pieces
constexpr std::uint64_t kThreeTurns = 3 * 1024 * 1024;

class RecvWait : public ::testing::TestWithParam<bool> {
 protected:
  explicit RecvWait(bool strict = false) : pair(GetParam(), nullptr, strict) { pair.connect(); }
  // Lets time pass on this side while the peer does not poll.
  void let_pass_here_alone(Duration time) {
    pair.world.now += time;
    bool any = true;
    while (any) {
      any = pair.world.a->timers.run(pair.world.now);
      any = pair.world.a->transport.progress() || any;
      a.adapter.destroy_retired();
    }
  }
  static std::uint64_t counted(const Side& side) {
    return side.adapter.leniencies().uses(Leniency::LongWaitForRecv);
  }
  static void expect_none(Side& side) {
    EXPECT_EQ(side.evd.count(), 0);
    EXPECT_EQ(side.connect_evd.count(), 0);
  }
  void expect_flushed(std::uint64_t cookie) {
    const Event event = a.next();
    EXPECT_EQ(event.status, DtoStatus::Flushed);
    EXPECT_EQ(event.cookie, cookie);
  }
  void expect_sent(std::uint64_t cookie) {
    const Event event = a.next();
    EXPECT_EQ(event.status, DtoStatus::Success);
    EXPECT_EQ(event.cookie, cookie);
  }
  void expect_disconnected() {
    EXPECT_EQ(a.next(a.connect_evd).kind, EventKind::Disconnected);
    EXPECT_EQ(a.ep.state(), EpState::Disconnected);
    pair.world.settle();
    EXPECT_EQ(p.next(p.connect_evd).kind, EventKind::Disconnected);
  }

  Pair pair;
  Side& a = pair.active;
  Side& p = pair.passive;
};

class RecvWaitInStrictMode : public RecvWait {
 protected:
  RecvWaitInStrictMode() : RecvWait(true) {}
};

// Rules: ERR.3
TEST_P(RecvWaitInStrictMode, WithoutARecvForOneSecondTheConnectionBreaks) {
  ASSERT_TRUE(a.send(0, 100, 1).ok());
  pair.world.settle();
  pair.world.advance(kSecond - 1);
  expect_none(a);
  pair.world.advance(1);
  EXPECT_EQ(a.next().status, DtoStatus::ReceiverNotReady);
  EXPECT_EQ(a.next(a.connect_evd).kind, EventKind::Broken);
  EXPECT_EQ(p.next(p.connect_evd).kind, EventKind::Broken);
  EXPECT_EQ(counted(p), 0U);
}

// Each message has a second for itself, which begins when the message is the first that waits. The
// second message may wait longer in total.
// Rules: ERR.3
TEST_P(RecvWaitInStrictMode, MessagesThatWaitInTurnAreNeitherCountedNorTold) {
  ASSERT_TRUE(a.send(0, 100, 1).ok());
  ASSERT_TRUE(a.send(0, 100, 2).ok());
  pair.world.settle();
  testing::internal::CaptureStderr();
  for (std::uint64_t i = 1; i <= 2; ++i) {
    pair.world.advance(kSecond - 1);
    ASSERT_TRUE(p.receive(0, 100, i).ok());
    pair.world.settle();
    expect_sent(i);
  }
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(counted(p), 0U);
}

// Rules: ERR.3.default
TEST_P(RecvWait, ForEverAndCountedOnceForEachThatWaits) {
  ASSERT_TRUE(a.send(0, 100, 1).ok());
  ASSERT_TRUE(a.send(0, kLarge, 2).ok());
  pair.world.settle();
  pair.world.advance(kSecond - 1);
  EXPECT_EQ(counted(p), 0U);
  pair.world.advance(1);
  EXPECT_EQ(counted(p), 2U);
  for (int day = 0; day < 100; ++day) pair.world.advance(24 * 3600 * kSecond);
  EXPECT_EQ(counted(p), 2U);
  expect_none(a);
  ASSERT_TRUE(p.receive(0, 100, 7).ok());
  pair.world.settle();
  EXPECT_EQ(p.next().status, DtoStatus::Success);
  expect_sent(1);
  pair.world.advance(kSecond);
  EXPECT_EQ(counted(p), 2U);
  ASSERT_TRUE(p.receive(0, kLarge, 8).ok());
  pair.world.settle();
  EXPECT_EQ(p.next().value, kLarge);
  expect_sent(2);
  EXPECT_EQ(counted(a), 0U);
}

// Rules: ERR.3.default
TEST_P(RecvWait, WhatIsSetIsToldWhenItIsOver) {
  testing::internal::CaptureStderr();
  p.ep.on_wait_over(0);
  EXPECT_NE(testing::internal::GetCapturedStderr().find(
                ": a message has found no Recv, and DATUM_RNR_TIMEOUT=0 ms is over: "),
            std::string::npos);
}

// Rules: DISC.3.default
TEST_P(RecvWait, AnEndInOrderFlushesWhatFindsNoRecvForASecond) {
  ASSERT_TRUE(p.receive(0, 100, 7).ok());
  ASSERT_TRUE(a.send(0, 100, 1).ok());
  ASSERT_TRUE(a.send(0, 100, 2).ok());
  ASSERT_TRUE(a.send(0, kLarge, 3).ok());
  ASSERT_TRUE(a.send(0, 0, 4).ok());
  pair.world.settle();
  ASSERT_TRUE(a.ep.disconnect(true).ok());
  pair.world.settle();
  expect_sent(1);
  pair.world.advance(kSecond - 1);
  expect_none(a);
  EXPECT_EQ(a.ep.state(), EpState::DisconnectPending);
  pair.world.advance(1);
  for (std::uint64_t cookie = 2; cookie <= 4; ++cookie) expect_flushed(cookie);
  EXPECT_EQ(p.next().status, DtoStatus::Success);
  expect_disconnected();
}

// Rules: DISC.3.default
TEST_P(RecvWait, AMessageInThePiecesOfWhichSomeAreHereHasAnEndToo) {
  ASSERT_TRUE(a.send(0, kLarge, 1).ok());
  pair.world.settle();
  ASSERT_TRUE(a.ep.disconnect(true).ok());
  pair.world.advance(kSecond);
  expect_flushed(1);
  expect_disconnected();
}

// Rules: DISC.3.default
TEST_P(RecvWait, WhileAnEndIsPendingEachMessageHasASecondForItself) {
  for (std::uint64_t i = 1; i <= 3; ++i) ASSERT_TRUE(a.send(0, 100, i).ok());
  pair.world.settle();
  ASSERT_TRUE(a.ep.disconnect(true).ok());
  for (std::uint64_t i = 1; i <= 2; ++i) {
    pair.world.advance(kSecond - 1);
    ASSERT_TRUE(p.receive(0, 100, i).ok());
    pair.world.settle();
    EXPECT_EQ(p.next().status, DtoStatus::Success);
    expect_sent(i);
  }
  pair.world.advance(kSecond - 1);
  expect_none(a);
  pair.world.advance(1);
  expect_flushed(3);
  expect_disconnected();
}

// The peer has a Recv, but this side does not know of it.
// Rules: DISC.3 DISC.3.default
TEST_P(RecvWait, AnEndInOrderWaitsForAPeerThatHasNotLookedYet) {
  ASSERT_TRUE(p.receive(0, 100, 7).ok());
  ASSERT_TRUE(a.send(0, 100, 1).ok());
  ASSERT_TRUE(a.ep.disconnect(true).ok());
  for (int i = 0; i < 100; ++i) let_pass_here_alone(kSecond);
  expect_none(a);
  EXPECT_EQ(a.ep.state(), EpState::DisconnectPending);
  pair.world.settle();
  expect_sent(1);
  EXPECT_EQ(p.next().status, DtoStatus::Success);
  expect_disconnected();
}

// Rules: DISC.3 DISC.3.default
TEST_P(RecvWait, AnEndInOrderWaitsForACopyThatTakesLong) {
  ASSERT_TRUE(p.receive(0, kThreeTurns, 7).ok());
  ASSERT_TRUE(a.send(0, kThreeTurns, 1).ok());
  ASSERT_TRUE(a.ep.disconnect(true).ok());
  pair.world.b->transport.progress(); // one turn of it
  for (int i = 0; i < 100; ++i) let_pass_here_alone(kSecond);
  expect_none(a);
  EXPECT_EQ(a.ep.state(), EpState::DisconnectPending);
  pair.world.settle();
  expect_sent(1);
  EXPECT_EQ(p.next().value, kThreeTurns);
  expect_disconnected();
}

// Rules: DISC.10
TEST_P(RecvWait, AnAbruptEndWaitsForNoRecv) {
  ASSERT_TRUE(a.send(0, 100, 1).ok());
  ASSERT_TRUE(a.send(0, kLarge, 2).ok());
  pair.world.settle();
  ASSERT_TRUE(a.ep.disconnect(true).ok());
  ASSERT_TRUE(a.ep.disconnect(false).ok());
  expect_flushed(1);
  expect_flushed(2);
  expect_disconnected();
}

// All endpoints of two adapters share the ring, so no message that waits may stay in it.
// Rules: ERR.15
TEST_P(RecvWait, HoldsUpNoOtherEndpoint) {
  Side from(*pair.world.a);
  Side to(*pair.world.b);
  pair.connect(from, to);
  // More messages than may be under way, from a sender that posts all it can.
  std::uint64_t posted = 0;
  while (posted < 200 && a.send(0, posted % 2 == 0 ? 8192 : 0, posted).ok()) ++posted;
  pair.world.settle();
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    ASSERT_TRUE(to.receive(0, 4096, i).ok());
    ASSERT_TRUE(from.send(0, 4096, i).ok());
    pair.world.settle();
    ASSERT_EQ(to.next().cookie, i);
    ASSERT_EQ(from.next().cookie, i);
  }
  expect_none(a);
  for (std::uint64_t i = 0; i < posted; ++i) {
    ASSERT_TRUE(p.receive(0, 8192, i).ok());
    pair.world.settle();
    ASSERT_EQ(p.next().value, i % 2 == 0 ? 8192U : 0U);
    expect_sent(i);
  }
}

INSTANTIATE_TEST_SUITE_P(RingOnlyAndDirect, RecvWait, ::testing::Bool(),
                         [](const auto& flavour) { return flavour.param ? "direct" : "ring"; });
INSTANTIATE_TEST_SUITE_P(RingOnlyAndDirect, RecvWaitInStrictMode, ::testing::Bool(),
                         [](const auto& flavour) { return flavour.param ? "direct" : "ring"; });

} // namespace
} // namespace datum::test
