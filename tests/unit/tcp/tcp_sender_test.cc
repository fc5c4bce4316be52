// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// TcpSender: what leaves by the socket of a connection, within the call that posts it or in a turn.
#include "transport/tcp/tcp_sender.h"

#include <deque>

#include "bare_socket.h"

namespace datum::test {
namespace {

class Sender : public ::testing::Test, protected BareSocket {
 protected:
  explicit Sender(PeerIs kind = PeerIs::Own) : BareSocket(kind) {}
  // Starts a Send of `size` octets.
  void start(std::size_t size) {
    LocalTriplet& local = locals_.emplace_back(iwarp::test::triplet(data_.data(), size));
    const WorkRequest& work = requests_.emplace_back(iwarp::test::send_of(std::span(&local, 1)));
    ASSERT_EQ(session.start(work), StartResult::Started);
  }
  // Waits until the peer's TCP has everything.
  void await_all() const {
    while (unacknowledged(socket.get()) != 0) continue;
  }
  void post_and_look_soon() {
    time.stop();
    for (unsigned i = 0; i < waiting::kSoonInARow; ++i) {
      context.habit.posted(context.now());
      context.habit.looked(context.now());
    }
    ASSERT_TRUE(context.habit.comes_back_soon());
  }

  Bytes data_ = Bytes(300 * 1024);
  std::deque<LocalTriplet> locals_;
  std::deque<WorkRequest> requests_;
  WindowWatch window_{8 * kSecond};
  TcpSender sender_{context, socket, session, window_};
};

// Rules: tcp.S1
TEST_F(Sender, ARequestLeavesWithItsPostAndNobodyIsTold) {
  start(100);
  EXPECT_TRUE(sender_.send_at_once(TcpTurn::kAll));
  EXPECT_EQ(events.log(), Log{});
  EXPECT_TRUE(window_.under_way());
  await_all();
  EXPECT_GT(hear(), 100U);
  EXPECT_FALSE(sender_.send_at_once(TcpTurn::kAll)) << "there is nothing more";
}

TEST_F(Sender, NothingLeavesAtOnceThatNobodyWatches) {
  socket.unwatch();
  start(100);
  EXPECT_FALSE(sender_.send_at_once(TcpTurn::kAll));
  EXPECT_FALSE(window_.under_way());
}

// Rules: tcp.S1
TEST_F(Sender, OfAShareSomethingIsLeft) {
  start(300 * 1024);
  EXPECT_FALSE(sender_.send_at_once(1));
  EXPECT_TRUE(session.has_output());
  await_all();
  EXPECT_LT(hear(), 100U * 1024);
}

TEST_F(Sender, AResetThatAPostRunsIntoIsKnown) {
  reset();
  start(100);
  EXPECT_FALSE(sender_.send_at_once(TcpTurn::kAll));
  EXPECT_TRUE(socket.was_reset());
  EXPECT_EQ(events.log(), Log{});
}

// Rules: tcp.S5
TEST_F(Sender, WithoutAHabitNoRequestWaits) {
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(sender_.may_wait());
}

// Rules: tcp.S2
TEST_F(Sender, OfThoseWhoComeBackSoonRequestsWaitThatAreNotAlone) {
  post_and_look_soon();
  EXPECT_FALSE(sender_.may_wait()) << "the first is alone";
  EXPECT_TRUE(sender_.may_wait());
  ++context.turns;
  EXPECT_TRUE(sender_.may_wait()) << "there were several";
  ++context.turns;
  EXPECT_FALSE(sender_.may_wait());
}

// Rules: tcp.S2
TEST_F(Sender, OneThatIsAloneWaitsBehindManyOnTheirWay) {
  post_and_look_soon();
  for (int i = 0; i < 5; ++i) {
    start(8);
    sender_.transmit(true, TcpTurn::kAll);
  }
  EXPECT_TRUE(sender_.may_wait());
}

TEST_F(Sender, AShortPostBehindAnotherIsCountedWithoutALookAtTheClock) {
  post_and_look_soon();
  sender_.watch_poster(8);
  EXPECT_TRUE(context.habit.waits());
  sender_.watch_poster(8);
  time.ahead += waiting::kSoon + waiting::kOnePost;
  context.habit.looked(context.now());
  EXPECT_TRUE(context.habit.comes_back_soon()) << "the second had its time";
  sender_.watch_poster(8);
  time.ahead += waiting::kSoon;
  sender_.watch_poster(5000);
  time.ahead += waiting::kSoon;
  context.habit.looked(context.now());
  EXPECT_TRUE(context.habit.comes_back_soon()) << "a long one starts the time anew";
}

TEST_F(Sender, InATurnEverythingLeaves) {
  start(100);
  start(100 * 1024);
  const TcpSender::Outcome outcome = sender_.transmit(true, TcpTurn::kAll);
  EXPECT_FALSE(outcome.turn_is_over);
  EXPECT_EQ(outcome.error, 0);
  EXPECT_FALSE(session.has_output());
  EXPECT_LT(context.turn.to_send(), TcpTurn::kAll);
  EXPECT_TRUE(window_.under_way());
}

// Rules: tcp.S3
TEST_F(Sender, ATurnThatIsOverSaysSo) {
  start(100);
  EXPECT_TRUE(sender_.transmit(true, 0).turn_is_over);
  EXPECT_EQ(context.turn.to_send(), TcpTurn::kAll) << "nothing left";
  start(100 * 1024);
  EXPECT_TRUE(sender_.transmit(true, 1).turn_is_over);
  EXPECT_LT(context.turn.to_send(), TcpTurn::kAll);
}

TEST_F(Sender, AnAcknowledgementWaitsForWhatMayTakeItAlong) {
  events.post_receive(10);
  session.feed(message(1, 10), 0);
  EXPECT_TRUE(session.owes_ack());
  sender_.transmit(false, TcpTurn::kAll);
  EXPECT_TRUE(session.owes_ack());
  sender_.transmit(true, TcpTurn::kAll);
  EXPECT_FALSE(session.owes_ack());
}

TEST_F(Sender, ASocketThatIsFullIsWaitedForOnce) {
  for (int i = 0; i < 1000 && !sender_.full(); ++i) {
    if (!session.has_output()) start(300 * 1024);
    EXPECT_EQ(sender_.transmit(true, TcpTurn::kAll).error, 0);
  }
  EXPECT_TRUE(sender_.full());
  EXPECT_FALSE(sender_.send_at_once(TcpTurn::kAll));
  EXPECT_TRUE(sender_.on_writable());
  EXPECT_FALSE(sender_.full());
  EXPECT_FALSE(sender_.on_writable());
}

// The reactor reports which sockets have room again. Its order decides which connection sends
// first.
TEST_F(Sender, NothingLeavesAtOnceWhileTheSocketIsTakenForFull) {
  const Bytes much(1024 * 1024);
  while (::send(socket.get(), much.data(), much.size(), MSG_NOSIGNAL | MSG_DONTWAIT) > 0) continue;
  start(100);
  sender_.transmit(true, TcpTurn::kAll);
  ASSERT_TRUE(sender_.full());
  while (unacknowledged(socket.get()) != 0) hear();
  EXPECT_FALSE(sender_.send_at_once(TcpTurn::kAll));
  EXPECT_TRUE(session.has_output());
  EXPECT_TRUE(sender_.on_writable());
  EXPECT_TRUE(sender_.send_at_once(TcpTurn::kAll));
}

TEST_F(Sender, AnErrorIsHandedOnAndTheSessionNotTouched) {
  reset();
  start(100);
  const TcpSender::Outcome outcome = sender_.transmit(true, TcpTurn::kAll);
  EXPECT_EQ(outcome.error, ECONNRESET);
  EXPECT_TRUE(socket.was_reset());
  EXPECT_EQ(events.log(), Log{});
}

class SenderToForeignPeer : public Sender {
 protected:
  SenderToForeignPeer() : Sender(PeerIs::Foreign) {}
};

// Rules: iwarp.O8
TEST_F(SenderToForeignPeer, WhatLeftWithItsPostIsToldLaterOnce) {
  start(100);
  EXPECT_FALSE(sender_.send_at_once(TcpTurn::kAll)) << "there is something to tell";
  EXPECT_EQ(events.log(), Log{});
  sender_.tell_sent();
  sender_.tell_sent();
  EXPECT_EQ(events.log(), Log{"placed 1"});
}

} // namespace
} // namespace datum::test
