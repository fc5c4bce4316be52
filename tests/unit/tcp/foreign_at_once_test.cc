// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Requests to a foreign peer leave within the call that posts them, and complete in the next turn.
// The peer may end in between.
#include <gtest/gtest.h>
#include <poll.h>

#include "caller.h"
#include "station.h"

namespace datum::test {
namespace {

using Log = std::vector<std::string>;

class ForeignAtOnce : public testing::Test {
 protected:
  ForeignAtOnce() {
    stranger_.say_hex(kPlain);
    std::unique_ptr<IncomingConnection> asked;
    stations_.run_until([&] { return (asked = far().take_request()) != nullptr; });
    socket_ = far().reactor.last();
    channel_ = asked->accept({}, events_, {});
    far().turn();
    stranger_.hear(20); // with unread octets TCP would reset the connection at its end
    // Its first FPDU is no Hello.
    stranger_.say(iwarp::test::fpdu(iwarp::test::tagged(iwarp::Rdmap::Write, 1, 0), {}, false));
    look();
    EXPECT_EQ(events_.take_log(), Log{"established  reads 0"});
  }
  // A Send without payload.
  void post() { EXPECT_EQ(channel_->start(WorkRequest{}), StartResult::Started); }
  // Reads what has come. This is no turn, so nothing is reported.
  void look() {
    await_octets(socket_);
    far().reactor.handle_all();
  }
  // As in a poll, the turn comes before the read.
  void poll() {
    far().transport->progress();
    far().reactor.handle_all();
    far().transport->progress(); // the next turn reports ends
  }
  void await_reset() const {
    pollfd one{socket_, 0, 0};
    ::poll(&one, 1, 5000);
    EXPECT_NE(one.revents & POLLHUP, 0);
  }
  Station& far() { return stations_.far; }

  TwoStations stations_;
  int socket_ = -1;
  Caller stranger_{stations_.qualifier()};
  iwarp::test::StandIn events_;
  std::unique_ptr<Channel> channel_;
};

// Rules: iwarp.E4 tcp.S1
TEST_F(ForeignAtOnce, AResetThatAPostRunsIntoIsNoEndInOrder) {
  stranger_.reset();
  await_reset();
  post();
  look();
  poll();
  EXPECT_EQ(events_.log(), Log{"broken"});
}

// After the reset the session drops what it still had to send. It does not wait for the peer's end.
// Rules: iwarp.E4 tcp.S1
TEST_F(ForeignAtOnce, NothingIsLeftOfOneThatIsClosedAfterAPostRanIntoAReset) {
  const iwarp::test::Bytes data(50'000);
  const LocalTriplet local = iwarp::test::triplet(data.data(), data.size());
  const std::size_t before = far().reactor.size();
  stranger_.reset();
  await_reset();
  EXPECT_EQ(channel_->start(iwarp::test::send_of(std::span(&local, 1))), StartResult::Started);
  channel_->close(CloseMode::Disconnect);
  poll();
  EXPECT_EQ(far().reactor.size(), before - 1);
}

// The TCP of a peer that has closed answers the post with a reset.
// Rules: iwarp.E1 tcp.S1
TEST_F(ForeignAtOnce, AnEndInOrderIsOneThoughPostsFollowIt) {
  stranger_.close();
  await_end(socket_);
  post();
  await_reset();
  post();
  poll();
  EXPECT_EQ(events_.log(), (Log{"placed 1", "disconnected"}));
}

// A completion that comes a little later costs the poster less than the early end of a backoff.
// Rules: tcp.S6
TEST_F(ForeignAtOnce, NobodyIsInAHurryToBeTold) {
  for (int i = 1; i <= 3; ++i) post();
  EXPECT_EQ(far().prompt_wakes(), 0U);
  poll();
  EXPECT_EQ(events_.log(), Log{"placed 3"});
}

// TCP had the request before the end came.
// Rules: iwarp.O8 tcp.S1
TEST_F(ForeignAtOnce, WhatHasLeftIsToldBeforeTheEndThatComesBehindIt) {
  post();
  stranger_.finish();
  look();
  poll();
  EXPECT_EQ(events_.log(), (Log{"placed 1", "disconnected"}));
}

// Rules: iwarp.O8 tcp.S1
TEST_F(ForeignAtOnce, WhatHasLeftIsToldBeforeAReset) {
  post();
  stranger_.reset();
  await_reset();
  look();
  poll();
  EXPECT_EQ(events_.log(), (Log{"placed 1", "broken"}));
}

// Rules: iwarp.O8 iwarp.E11
TEST_F(ForeignAtOnce, WhatHasLeftIsToldBeforeATerminate) {
  post();
  const iwarp::UntaggedHeader header = iwarp::test::untagged(iwarp::Rdmap::Terminate, 2, 1);
  stranger_.say(iwarp::test::fpdu(header, iwarp::test::Bytes(4), false));
  look();
  poll();
  EXPECT_EQ(events_.log(), (Log{"placed 1", "broken"}));
}

// Rules: iwarp.O8
TEST_F(ForeignAtOnce, WhatHasLeftIsToldBeforeItsAnswer) {
  events_.post_receive(1);
  post();
  stranger_.say(iwarp::test::fpdu(iwarp::test::untagged(iwarp::Rdmap::Send, 0, 1), {}, false));
  look();
  EXPECT_EQ(events_.log(), (Log{"placed 1", "received 0"}));
}

} // namespace
} // namespace datum::test
