// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A peer has said that it polls, and does not. The side that published something has to ring it
// (docs/design/progress.md, Polling and backoffs).
#include "pair.h"

namespace datum::test {
namespace {

class Watch : public ::testing::Test {
 protected:
  Watch() {
    pair.connect();
    polling(pair.world.b, true);
    receive_many();
  }
  void receive_many() {
    for (std::uint64_t i = 0; i < 16; ++i) ASSERT_TRUE(pair.passive.receive(8 * i, 8, i).ok());
  }
  static void polling(const std::unique_ptr<Node>& node, bool does) {
    static_cast<void>(node->transport.set_attention(does ? Attention::Polling : Attention::Asleep));
  }
  Instant watch(Duration later) {
    pair.world.now += later;
    return pair.world.a->transport.watch(pair.world.now);
  }
  void send() { ASSERT_TRUE(pair.active.send(0, 8, 1).ok()); }
  int doorbells() const { return pair.world.a->fabric.ports.front()->doorbells - doorbells_before; }
  // The peer polls once and says so.
  void peer_polls() {
    pair.world.b->transport.progress();
    static_cast<void>(pair.world.b->transport.watch(pair.world.now));
  }
  Pair pair;
  int doorbells_before = 0;
};

TEST_F(Watch, NothingPublishedNothingToWatch) {
  peer_polls();
  doorbells_before = doorbells();
  EXPECT_EQ(watch(0), kNever);
  EXPECT_EQ(watch(1'000'000'000), kNever);
  EXPECT_EQ(doorbells(), 0);
}

TEST_F(Watch, APeerThatTakesNothingFor50usIsRungOnce) {
  peer_polls();
  doorbells_before = doorbells();
  send();
  EXPECT_EQ(doorbells(), 0); // the peer polls
  const Instant published = pair.world.now;
  EXPECT_EQ(watch(10'000), published + 60'000);
  EXPECT_EQ(watch(49'999), published + 60'000);
  EXPECT_EQ(doorbells(), 0);
  EXPECT_EQ(watch(1), kNever);
  EXPECT_EQ(doorbells(), 1);
  EXPECT_EQ(watch(1'000'000'000), kNever);
  EXPECT_EQ(doorbells(), 1);
}

TEST_F(Watch, WhatIsPublishedAfterTheDoorbellIsWatchedAgain) {
  peer_polls();
  doorbells_before = doorbells();
  send();
  watch(0);
  watch(50'000);
  ASSERT_EQ(doorbells(), 1);
  send();
  watch(0);
  EXPECT_EQ(doorbells(), 1);
  watch(50'000);
  EXPECT_EQ(doorbells(), 2);
}

TEST_F(Watch, APeerThatTakesSomethingNowAndThenIsNotRung) {
  peer_polls();
  doorbells_before = doorbells();
  for (int i = 0; i < 10; ++i) {
    send();
    watch(30'000);
    peer_polls();
  }
  EXPECT_EQ(watch(60'000), kNever);
  EXPECT_EQ(doorbells(), 0);
}

TEST_F(Watch, APeerThatSleepsHasBeenRungWhenItWasPublished) {
  peer_polls();
  polling(pair.world.b, false);
  doorbells_before = doorbells();
  send();
  EXPECT_EQ(doorbells(), 1);
  EXPECT_EQ(watch(0), kNever);
  EXPECT_EQ(watch(1'000'000), kNever);
  EXPECT_EQ(doorbells(), 1);
}

// docs/design/waiting.md, mend A.
class WatchDirect : public ::testing::Test {
 protected:
  WatchDirect() {
    pair.connect();
    static_cast<void>(pair.world.b->transport.set_attention(Attention::Polling));
    pair.world.settle();
  }
  // Posts a Write, and returns whether it went directly.
  bool write() {
    const int before = port().access.copies;
    const LocalTriplet segment = pair.active.local(0, 8);
    EXPECT_TRUE(
        pair.active.ep
            .post_rdma(Opcode::RdmaWrite, {&segment, 1}, 1, pair.passive.remote(0, 8), kSuppress)
            .ok());
    return port().access.copies != before;
  }
  void leave_lying_until_rung() {
    const int before = port().doorbells;
    static_cast<void>(pair.world.a->transport.watch(pair.world.now));
    pair.world.now += 50'000;
    static_cast<void>(pair.world.a->transport.watch(pair.world.now));
    ASSERT_EQ(port().doorbells, before + 1);
    pair.world.settle(); // the peer takes the doorbell's octets
  }
  LocalPort& port() { return *pair.world.a->fabric.ports.front(); }
  Pair pair{true};
};

// Rules: PROGRESS.9
TEST_F(WatchDirect, AfterAPeerLeftAWriteLyingTheNext16GoDirectly) {
  ASSERT_FALSE(write()) << "it says that it polls";
  leave_lying_until_rung();
  for (int i = 0; i < 16; ++i) EXPECT_TRUE(write()) << i;
  EXPECT_FALSE(write()) << "it is trusted again";
  leave_lying_until_rung();
  for (int i = 0; i < 32; ++i) EXPECT_TRUE(write()) << i;
  EXPECT_FALSE(write());
}

TEST_F(WatchDirect, APeerThatTakesWhatLiesIsTrusted) {
  for (int i = 0; i < 10; ++i) {
    EXPECT_FALSE(write());
    static_cast<void>(pair.world.a->transport.watch(pair.world.now));
    pair.world.now += 30'000;
    static_cast<void>(pair.world.b->transport.progress());
    static_cast<void>(pair.world.b->transport.watch(pair.world.now));
  }
}

} // namespace
} // namespace datum::test
