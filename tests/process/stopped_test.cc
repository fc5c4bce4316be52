// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Peers that are stopped, die, or execute another program in the middle of a connection.
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>

#include "connected_peer.h"
#include "connection.h"
#include "two_processes.h"
#include "variable.h"

namespace datum::test {

namespace {

// A connection to a second process, which has posted nothing.
class PeerThat : public testing::Test, protected ConnectedPeer {
 protected:
  void SetUp() override {
    ASSERT_NO_FATAL_FAILURE(connect());
    expect_connection_event(side_->connect_evd(), DAT_CONNECTION_EVENT_ESTABLISHED, side_->ep());
    ASSERT_EQ(process_->ask("wait"), "0x04001");
  }
  void post() {
    EXPECT_DAT_OK(post_recv(side_->ep(), {buffer_->segment()}, 1));
    EXPECT_DAT_OK(post_send(side_->ep(), {buffer_->segment()}, 2));
  }
  void expect_flushed() {
    expect_dto(side_->recv_evd(), side_->ep(), 1, DAT_DTO_ERR_FLUSHED);
    expect_dto(side_->request_evd(), side_->ep(), 2, DAT_DTO_ERR_FLUSHED);
  }
};

TEST_F(PeerThat, IsStoppedHoldsUpNeitherPostsNorAnAbruptDisconnect) {
  process_->stop();
  post();
  EXPECT_NO_EVENT(side_->request_evd());
  EXPECT_DAT_OK(dat_ep_disconnect(side_->ep(), DAT_CLOSE_ABRUPT_FLAG));
  expect_connection_event(side_->connect_evd(), DAT_CONNECTION_EVENT_DISCONNECTED, side_->ep());
  expect_flushed();
  process_->go_on();
  EXPECT_EQ(process_->ask("wait"), "0x04005") << "it hears of the end when it goes on";
}

TEST_F(PeerThat, IsStoppedAndGoesOnMissesNothing) {
  process_->stop();
  EXPECT_DAT_OK(post_send(side_->ep(), {buffer_->segment()}, 2));
  process_->go_on();
  EXPECT_EQ(process_->ask("receive"), "4096");
  expect_dto(side_->request_evd(), side_->ep(), 2);
}

TEST_F(PeerThat, IsStoppedDoesNotHoldUpTheEndOfTheAdapter) {
  listener_.reset();
  process_->stop();
  post();
  side_->give_up();
  buffer_->lmr().release();
  EXPECT_DAT_OK(dat_ia_close(ia_.release(), DAT_CLOSE_ABRUPT_FLAG));
  process_->go_on();
  EXPECT_EQ(process_->ask("wait"), "0x04005");
}

TEST_F(PeerThat, BecomesAnotherProgramIsABrokenConnection) {
  post();
  process_->send("exec");
  expect_connection_event(side_->connect_evd(), DAT_CONNECTION_EVENT_BROKEN, side_->ep());
  expect_flushed();
  process_->kill();
}

// The child has copies of all descriptors of the peer.
TEST_F(PeerThat, BecomesAnotherProgramAndHasAChildIsABrokenConnection) {
  ASSERT_EQ(process_->ask("fork"), "forked");
  process_->send("exec");
  expect_connection_event(side_->connect_evd(), DAT_CONNECTION_EVENT_BROKEN, side_->ep());
  process_->kill();
}

class PeerOverTcpThat : public PeerThat {
  const Variable transport_{"DATUM_TRANSPORT", "tcp"};
};

TEST_F(PeerOverTcpThat, DiesAndHasAChildIsABrokenConnection) {
  ASSERT_EQ(process_->ask("fork"), "forked");
  post();
  process_->kill();
  expect_connection_event(side_->connect_evd(), DAT_CONNECTION_EVENT_BROKEN, side_->ep());
  expect_flushed();
}

TEST_F(PeerOverTcpThat, BecomesAnotherProgramAndHasAChildIsABrokenConnection) {
  ASSERT_EQ(process_->ask("fork"), "forked");
  process_->send("exec");
  expect_connection_event(side_->connect_evd(), DAT_CONNECTION_EVENT_BROKEN, side_->ep());
  process_->kill();
}

class PeerOverTcpWithATimeLimitThat : public PeerOverTcpThat {
  const Variable limit_{"DATUM_PEER_TIMEOUT", "1000"};
};

// The peer is stopped, but its kernel still answers.
// Rules: ENV.9
TEST_F(PeerOverTcpWithATimeLimitThat, TakesNothingForLongerIsStillThere) {
  constexpr std::size_t kMoreThanTcpHolds = std::size_t{48} << 20U;
  constexpr DAT_TIMEOUT kThreeTimes = 3'000'000;
  Buffer large = side_->buffer(kMoreThanTcpHolds);
  process_->stop();
  EXPECT_DAT_OK(post_send(side_->ep(), {large.segment()}, 3));
  DAT_EVENT event{};
  DAT_COUNT left = 0;
  EXPECT_DAT_TYPE(dat_evd_wait(side_->connect_evd(), kThreeTimes, 1, &event, &left),
                  DAT_TIMEOUT_EXPIRED);
  process_->kill();
  expect_connection_event(side_->connect_evd(), DAT_CONNECTION_EVENT_BROKEN, side_->ep());
}

// A child of the dead listener has copies of the listening sockets. A connect must still be refused
// at once, and the qualifier must be free.
void expect_nothing_left_of_a_listener_that_died() {
  const Ia ia = open_ia();
  Side side(ia);
  PeerProcess process = PeerProcess::of_this_program();
  const DAT_CONN_QUAL qualifier = std::stoull(process.ask("listen"));
  ASSERT_EQ(process.ask("fork"), "forked");
  process.kill();
  EXPECT_DAT_OK(connect(side.ep(), address_of(ia), qualifier));
  expect_connection_event(side.connect_evd(), DAT_CONNECTION_EVENT_NON_PEER_REJECTED, side.ep());
  const Evd requests = create_evd(ia, DAT_EVD_CR_FLAG);
  const Psp psp = create_psp(ia, qualifier, requests);
}

TEST(DeadListener, WithAChildLeavesNothing) {
  expect_nothing_left_of_a_listener_that_died();
}

TEST(DeadListener, OnSharedMemoryAloneWithAChildLeavesNothing) {
  const Variable transport("DATUM_TRANSPORT", "shm");
  expect_nothing_left_of_a_listener_that_died();
}

TEST(DeadListener, OverTcpWithAChildLeavesNothing) {
  const Variable transport("DATUM_TRANSPORT", "tcp");
  expect_nothing_left_of_a_listener_that_died();
}

TEST(StoppedListener, LeavesAConnectToItsTimeLimit) {
  const Ia ia = open_ia();
  Side side(ia);
  PeerProcess process = PeerProcess::of_this_program();
  const DAT_CONN_QUAL qualifier = std::stoull(process.ask("listen"));
  process.stop();
  EXPECT_DAT_OK(connect(side.ep(), address_of(ia), qualifier, {}, 100'000));
  expect_connection_event(side.connect_evd(), DAT_CONNECTION_EVENT_TIMED_OUT, side.ep());
  process.go_on();
  EXPECT_EQ(process.ask("close"), "closed");
}

} // namespace

} // namespace datum::test
