// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The connection of an endpoint, without a peer: the events for the consumer, and when they come.
#include "bare_world.h"
#include "core/endpoint/endpoint.h"

namespace datum {
namespace {

class Connections : public testing::Test, protected test::BareWorld {
 protected:
  static constexpr std::uint32_t kForEver = 0xffffffff;

  Connections() { endpoint_.issue_token(handles); }

  EndpointParts parts() {
    EndpointParts parts;
    parts.zone = &zone;
    parts.recv_evd = parts.request_evd = completions_.get();
    parts.connect_evd = {.own = evd_.get()};
    return parts;
  }
  Status connect(std::uint32_t timeout_us = kForEver) {
    return endpoint_.connect({}, 9, timeout_us, {});
  }
  void connect_and_establish(std::int32_t peer_reads_in = 4) {
    ASSERT_TRUE(connect().ok());
    endpoint_.on_established({}, peer_reads_in);
    expect_event(EventKind::Established);
  }
  void expect_event(EventKind kind) {
    Event event;
    ASSERT_TRUE(evd_->dequeue(event).ok());
    EXPECT_EQ(event.kind, kind);
    EXPECT_EQ(event.object, endpoint_.token());
  }

  std::unique_ptr<EventDispatcher> evd_ = make_evd(1);
  std::unique_ptr<EventDispatcher> completions_ = make_evd();
  Endpoint endpoint_{services, parts(), nullptr, attributes, Endpoint::Origin::Consumer};
  Connection& connection_ = endpoint_.connection();
};

TEST_F(Connections, AnAttemptEndsWhenTheConsumersTimeIsOver) {
  ASSERT_TRUE(connect(1000).ok());
  EXPECT_EQ(connection_.state(), EpState::ActivePending);
  timers.run(999 * kMicrosecond);
  EXPECT_EQ(evd_->count(), 0);
  timers.run(1000 * kMicrosecond);
  expect_event(EventKind::TimedOut);
  EXPECT_EQ(connection_.state(), EpState::Disconnected);
  EXPECT_EQ(connection_.channel(), nullptr);
  EXPECT_EQ(context.tally().timed_out, 1U);
}

TEST_F(Connections, AnAnswerEndsTheConsumersTime) {
  ASSERT_TRUE(connect(1000).ok());
  endpoint_.on_established({}, 4);
  timers.run(kSecond);
  EXPECT_EQ(connection_.state(), EpState::Connected);
  EXPECT_EQ(context.tally().established, 1U);
}

TEST_F(Connections, TheTimeOfAnAttemptIsNotThatOfTheNext) {
  ASSERT_TRUE(connect(1000).ok());
  endpoint_.on_connect_failed(ConnectFailure::Unreachable, {});
  expect_event(EventKind::Unreachable);
  ASSERT_TRUE(endpoint_.reset().ok());
  ASSERT_TRUE(connect().ok());
  timers.run(kSecond);
  EXPECT_EQ(connection_.state(), EpState::ActivePending);
}

TEST_F(Connections, NobodyListensIsTheAnswerOnlyAfterTheGrace) {
  ASSERT_TRUE(connect().ok());
  endpoint_.on_connect_failed(ConnectFailure::NobodyListens, {});
  EXPECT_EQ(connection_.state(), EpState::ActivePending);
  EXPECT_EQ(connection_.channel(), nullptr);
  context.destroy_retired();
  time.time = kMillisecond;
  timers.run(time.time);
  ASSERT_NE(connection_.channel(), nullptr) << "it was asked again";
  time.time = 50 * kMillisecond;
  endpoint_.on_connect_failed(ConnectFailure::NobodyListens, {});
  expect_event(EventKind::NonPeerRejected);
  EXPECT_EQ(connection_.state(), EpState::Disconnected);
}

TEST_F(Connections, AChannelThatClosesBeforeItsAnswerIsARefusal) {
  ASSERT_TRUE(connect().ok());
  endpoint_.on_closed(CloseReason::Broken);
  expect_event(EventKind::NonPeerRejected);
}

TEST_F(Connections, OneThatNobodyCanHearOfEnds) {
  ASSERT_TRUE(connect().ok());
  ASSERT_TRUE(evd_->post_software(1).ok());
  endpoint_.on_established({}, 4);
  EXPECT_EQ(connection_.state(), EpState::Disconnected);
  EXPECT_EQ(connection_.channel(), nullptr);
  EXPECT_EQ(evd_->count(), 1) << "only what was there";
}

TEST_F(Connections, TheNewsThatWasLostIsThatOfTheLastConnection) {
  ForeignEvd other(*evd_, 1);
  connect_and_establish();
  connection_.establishment_lost(other, 1);
  EXPECT_EQ(connection_.state(), EpState::Connected) << "of another EVD";
  evd_->release();
}

// Rules: READ.9
TEST_F(Connections, AsManyReadsAsBothSidesAllow) {
  connect_and_establish(3);
  EXPECT_EQ(endpoint_.requests().reads_out(), 3);
  ASSERT_TRUE(endpoint_.disconnect(false).ok());
  expect_event(EventKind::Disconnected);
  ASSERT_TRUE(endpoint_.reset().ok());
  connect_and_establish(99);
  EXPECT_EQ(endpoint_.requests().reads_out(), 4) << "max_rdma_read_out";
}

TEST_F(Connections, TheEndFlushesBeforeItIsReported) {
  connect_and_establish();
  ASSERT_TRUE(endpoint_.post_send({}, 5, 0).ok());
  ASSERT_TRUE(endpoint_.post_recv({}, 6, 0).ok());
  endpoint_.on_closed(CloseReason::Disconnected);
  test::expect_completions(*completions_, {{5, DtoStatus::Flushed}, {6, DtoStatus::Flushed}});
  expect_event(EventKind::Disconnected);
  EXPECT_EQ(context.tally().ended_by_peer, 1U);
}

TEST_F(Connections, APeerWhoseChannelBreaksIsToldSo) {
  connect_and_establish();
  endpoint_.on_closed(CloseReason::Broken);
  expect_event(EventKind::Broken);
  EXPECT_EQ(context.tally().broken, 1U);
}

TEST_F(Connections, TheHardWatermarkBreaksWhatHasJustBeenReported) {
  endpoint_.set_watermarks(kWatermarkInfinite, 1);
  for (std::uint64_t cookie = 1; cookie != 3; ++cookie)
    ASSERT_TRUE(endpoint_.post_recv({}, cookie, 0).ok());
  ASSERT_TRUE(connect().ok());
  endpoint_.on_established({}, 4);
  expect_event(EventKind::Established);
  EXPECT_EQ(connection_.state(), EpState::Disconnected);
  test::expect_completions(*completions_, {{1, DtoStatus::Flushed}, {2, DtoStatus::Flushed}});
}

TEST_F(Connections, AnEndInOrderWithoutRequestsComesAtOnce) {
  connect_and_establish();
  ASSERT_TRUE(endpoint_.disconnect(true).ok());
  expect_event(EventKind::Disconnected);
  EXPECT_EQ(endpoint_.tally().disconnects, 1U);
}

TEST_F(Connections, AnEndInOrderComesWithTheLastRequest) {
  connect_and_establish();
  ASSERT_TRUE(endpoint_.post_send({}, 5, 0).ok());
  ASSERT_TRUE(endpoint_.disconnect(true).ok());
  EXPECT_EQ(connection_.state(), EpState::DisconnectPending);
  EXPECT_FALSE(endpoint_.post_send({}, 6, 0).ok()) << "nothing more is taken";
  ASSERT_TRUE(endpoint_.disconnect(false).ok());
  test::expect_completions(*completions_, {{5, DtoStatus::Flushed}});
  expect_event(EventKind::Disconnected);
}

TEST_F(Connections, AnotherConnectEvdIsToldNothingOfTheOldPrivateData) {
  const std::byte said[] = {std::byte{1}};
  ASSERT_TRUE(connect().ok());
  endpoint_.on_established(said, 4);
  ASSERT_TRUE(endpoint_.disconnect(false).ok());
  ASSERT_TRUE(endpoint_.reset().ok());
  const std::unique_ptr<EventDispatcher> other = make_evd();
  EndpointParts changed = parts();
  changed.connect_evd = {.own = other.get()};
  ASSERT_TRUE(endpoint_.modify(Endpoint::kConnectEvd, changed, attributes).ok());
  Event event;
  ASSERT_TRUE(evd_->dequeue(event).ok());
  EXPECT_EQ(event.data, nullptr);
  EXPECT_EQ(event.size, 0U);
  ASSERT_TRUE(connect().ok());
  endpoint_.on_established({}, 4);
  EXPECT_EQ(evd_->count(), 0);
  EXPECT_EQ(other->count(), 1);
  ASSERT_TRUE(endpoint_.disconnect(false).ok());
  ASSERT_TRUE(endpoint_.reset().ok());
  ASSERT_TRUE(endpoint_.modify(Endpoint::kConnectEvd, parts(), attributes).ok());
}

} // namespace
} // namespace datum
