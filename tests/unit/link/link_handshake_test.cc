// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A handshake alone: its messages, the effect of each answer, and each way in which it ends.
#include "bare_link.h"
#include "transport/link/link_handshake.h"

namespace datum::test {
namespace {

constexpr ConnQual kAsked = 4000;
constexpr std::byte kWords[3] = {std::byte{1}, std::byte{2}, std::byte{3}};

// The objects that a handshake uses.
struct Parts {
  Parts(LinkTransport& transport, const CountingFrame::Start& start) : frame(transport, start) {}
  CountingFrame frame;
  LinkSender sender{frame};
  LinkReceiver receiver{frame};
};

class Active : public ::testing::Test, protected BareLink {
 protected:
  Active() {
    CountingFrame::Start start{.state = LinkState::Dialling, .events = &endpoint};
    start.options.zone = 11;
    parts_.emplace(transport(), start);
    handshake_.emplace(parts_->frame, LinkHandshake::Neighbours{parts_->sender, parts_->receiver},
                       ConnQual{50'000});
  }
  void publish() { name_ = world.b->fabric.publish(kAsked).value(); }
  void dial() {
    ASSERT_TRUE(handshake_->dial({}, kAsked, kWords).ok());
    world.a->fabric.progress();
  }
  void request() {
    publish();
    dial();
    ASSERT_EQ(next().type, RecordType::Connect);
  }
  bool accepted(std::uint32_t number, std::uint32_t says_length = sizeof kWords) {
    RecordHeader answer = record(RecordType::Accept, sizeof kWords);
    answer.connect.number = number;
    answer.connect.reads_in = 3;
    answer.connect.private_data_size = says_length;
    return handshake_->on_accept(answer, kWords);
  }
  LinkState state() const { return parts_->frame.state(); }

  std::unique_ptr<PublishedName> name_;
  std::optional<Parts> parts_;
  std::optional<LinkHandshake> handshake_;
};

TEST_F(Active, ARequestSaysWhoAsksWhom) {
  publish();
  dial();
  EXPECT_EQ(state(), LinkState::Requested);
  const RecordHeader asked = next();
  EXPECT_EQ(asked.type, RecordType::Connect);
  EXPECT_EQ(asked.connect.qualifier, kAsked);
  EXPECT_EQ(asked.connect.number, CountingFrame::kNumber);
  EXPECT_EQ(asked.connect.zone, 11U);
  EXPECT_EQ(asked.connect.port, 50'000U);
  EXPECT_EQ(payload, std::vector<std::byte>(kWords, kWords + 3));
}

TEST_F(Active, AnAcceptIsConfirmed) {
  request();
  EXPECT_TRUE(accepted(kPeerNumber));
  EXPECT_EQ(state(), LinkState::Open);
  EXPECT_EQ(endpoint.peer_reads_in, 3);
  const RecordHeader confirmed = next();
  EXPECT_EQ(confirmed.type, RecordType::Confirm);
  EXPECT_EQ(confirmed.connection, kPeerNumber);
  EXPECT_TRUE(parts_->sender.confirm_has_left());
  EXPECT_FALSE(accepted(kPeerNumber)) << "once only";
}

TEST_F(Active, AConfirmThatFindsNoRoomHoldsBackWhatIsCopied) {
  request();
  fill_ring();
  EXPECT_TRUE(accepted(kPeerNumber));
  EXPECT_FALSE(parts_->sender.confirm_has_left());
}

TEST_F(Active, AnAcceptThatMakesNoSenseIsRefused) {
  request();
  EXPECT_FALSE(accepted(0));
  EXPECT_FALSE(accepted(kPeerNumber, 2));
  EXPECT_EQ(state(), LinkState::Requested);
}

TEST_F(Active, ARefusalNamesItsReason) {
  request();
  EXPECT_TRUE(
      handshake_->on_refuse(record(RecordType::Refuse, 0, record_flag::kByConsumer), kWords));
  EXPECT_EQ(endpoint.connect_failure, ConnectFailure::PeerRejected);
  EXPECT_EQ(state(), LinkState::Closed);
  EXPECT_FALSE(handshake_->on_refuse(record(RecordType::Refuse), kWords));
}

TEST_F(Active, AFailedDialIsReportedFromWork) {
  dial();
  EXPECT_EQ(state(), LinkState::Failing);
  EXPECT_EQ(parts_->frame.works, 1);
  EXPECT_FALSE(endpoint.connect_failure);
  handshake_->report_failed_connect();
  EXPECT_EQ(endpoint.connect_failure, ConnectFailure::NobodyListens);
}

TEST_F(Active, ALinkThatHasNoNumberLeftIsNoLink) {
  publish();
  parts_->frame.full = true;
  dial();
  EXPECT_EQ(state(), LinkState::Failing);
  EXPECT_EQ(next().type, RecordType::None);
}

TEST_F(Active, ARequestThatIsTakenBackNamesItsOwnNumber) {
  request();
  handshake_->close(CloseMode::Abort);
  const RecordHeader last = next();
  EXPECT_EQ(last.type, RecordType::Close);
  EXPECT_EQ(last.connection, 0U);
  EXPECT_EQ(last.connect.number, CountingFrame::kNumber);
  EXPECT_EQ(state(), LinkState::Closed);
}

TEST_F(Active, ARequestThatAPeerGivingUpTheLinkDidNotReadIsMadeAgain) {
  request();
  segment->side[1].retired.store(1);
  for (int again = 0; again < 3; ++again) {
    handshake_->on_link_lost();
    EXPECT_EQ(state(), LinkState::Dialling);
    world.a->fabric.progress();
    EXPECT_EQ(next().type, RecordType::Connect);
  }
  handshake_->on_link_lost();
  EXPECT_EQ(state(), LinkState::Closed) << "an honest peer does not do that again and again";
  EXPECT_EQ(endpoint.connect_failure, ConnectFailure::NonPeerRejected);
}

TEST_F(Active, AnEndIsToldOnceAndAsTheLastThing) {
  request();
  ASSERT_TRUE(accepted(kPeerNumber));
  handshake_->on_close(record(RecordType::Close, 0, record_flag::kOrderly));
  EXPECT_EQ(endpoint.closed, CloseReason::Disconnected);
  endpoint.closed.reset();
  empty_ring();
  handshake_->close(CloseMode::Abort);
  handshake_->end(CloseReason::Broken);
  EXPECT_FALSE(endpoint.closed);
  EXPECT_EQ(next().type, RecordType::None) << "the peer has said its last word";
}

TEST_F(Active, ATerminateNamesTheRequestThatFailed) {
  request();
  ASSERT_TRUE(accepted(kPeerNumber));
  RecordHeader last = record(RecordType::Terminate, 0, record_flag::kReadClass);
  last.status = static_cast<std::uint8_t>(DtoStatus::RemoteAccess);
  last.terminate.before = 2;
  handshake_->on_terminate(last);
  EXPECT_EQ(endpoint.failed, (Refusal{RequestClass::Read, DtoStatus::RemoteAccess, 2}));
  EXPECT_EQ(endpoint.closed, CloseReason::Broken);
}

TEST_F(Active, AStatusThatIsNoneIsATransportError) {
  request();
  ASSERT_TRUE(accepted(kPeerNumber));
  RecordHeader last = record(RecordType::Terminate);
  last.status = 200;
  handshake_->on_terminate(last);
  EXPECT_EQ(endpoint.failed, (Refusal{RequestClass::Placed, DtoStatus::Transport, 0}));
}

class Passive : public ::testing::Test, protected BareLink {
 protected:
  Passive() {
    RecordHeader asked = record(RecordType::Connect, sizeof kWords);
    asked.connect.qualifier = kAsked;
    asked.connect.number = kPeerNumber;
    asked.connect.reads_in = 5;
    asked.connect.port = 50'000;
    parts_.emplace(transport(), CountingFrame::Start{.state = LinkState::Incoming,
                                                     .link = link,
                                                     .peer = LinkPeer(asked.connect)});
    handshake_.emplace(parts_->frame, LinkHandshake::Neighbours{parts_->sender, parts_->receiver},
                       asked, PrivateData(kWords));
  }
  void accept() { handshake_->accept(kWords, endpoint, {}); }
  LinkState state() const { return parts_->frame.state(); }

  std::optional<Parts> parts_;
  std::optional<LinkHandshake> handshake_;
};

TEST_F(Passive, ARequestSaysWhereItCameFrom) {
  EXPECT_EQ(handshake_->local_port(), kAsked);
  EXPECT_EQ(handshake_->remote_port(), 50'000U);
  EXPECT_EQ(handshake_->private_data().size(), sizeof kWords);
}

TEST_F(Passive, IsEstablishedWhenItsAcceptIsConfirmed) {
  EXPECT_FALSE(handshake_->on_confirm()) << "nothing was accepted";
  accept();
  EXPECT_EQ(state(), LinkState::Accepted);
  const RecordHeader answer = next();
  EXPECT_EQ(answer.type, RecordType::Accept);
  EXPECT_EQ(answer.connection, kPeerNumber);
  EXPECT_FALSE(endpoint.peer_reads_in);
  EXPECT_TRUE(handshake_->on_confirm());
  EXPECT_EQ(state(), LinkState::Open);
  EXPECT_EQ(endpoint.peer_reads_in, 5);
}

TEST_F(Passive, ARefusalSaysWhoseItIs) {
  handshake_->refuse(true, kWords);
  const RecordHeader answer = next();
  EXPECT_EQ(answer.type, RecordType::Refuse);
  EXPECT_EQ(answer.flags, record_flag::kByConsumer);
  EXPECT_EQ(state(), LinkState::Closed);
  handshake_->refuse(false, {});
  EXPECT_EQ(next().type, RecordType::None) << "it was answered already";
}

TEST_F(Passive, ARequesterThatHasGoneIsNoticedWhenItIsAccepted) {
  handshake_->on_close(record(RecordType::Close));
  EXPECT_EQ(state(), LinkState::Incoming) << "the request stays until it is answered";
  accept();
  EXPECT_EQ(state(), LinkState::Failing);
  EXPECT_EQ(next().type, RecordType::None);
  handshake_->report_failed_connect();
  EXPECT_EQ(endpoint.connect_failure, ConnectFailure::NonPeerRejected);
}

TEST_F(Passive, NothingIsSaidOverALinkThatIsGone) {
  handshake_->on_link_lost();
  EXPECT_EQ(parts_->frame.link(), nullptr);
  handshake_->refuse(true, kWords);
  EXPECT_EQ(next().type, RecordType::None);
  EXPECT_EQ(state(), LinkState::Closed);
}

TEST_F(Passive, WhatFailsHereIsToldToThePeer) {
  accept();
  ASSERT_TRUE(handshake_->on_confirm());
  empty_ring();
  handshake_->terminate(RequestClass::Read, DtoStatus::RemoteAccess, 3);
  const RecordHeader last = next();
  EXPECT_EQ(last.type, RecordType::Terminate);
  EXPECT_EQ(last.flags, record_flag::kReadClass);
  EXPECT_EQ(last.status, static_cast<std::uint8_t>(DtoStatus::RemoteAccess));
  EXPECT_EQ(last.terminate.before, 3U);
  EXPECT_EQ(endpoint.closed, CloseReason::Broken);
}

} // namespace
} // namespace datum::test
