// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Posts on an adapter that has not polled since its peer moved on. Each post has to read the link
// first. Without that read the post would be refused.
#include <array>
#include <functional>

#include "core/endpoint/attribute_rules.h"
#include "pair.h"

namespace datum::test {
namespace {

// After the accept the accepter's adapter does nothing by itself.
class Unlooking : public ::testing::TestWithParam<bool> {
 protected:
  Unlooking() : pair(GetParam()) {}
  ConnectionRequest& request_of(Side& requester, Side& accepter, ConnQual qualifier) {
    EXPECT_TRUE(
        accepter.adapter.create_psp(&qualifier, accepter.cr_evd, ServicePoint::EpSource::Consumer)
            .has_value());
    return pair.request_of(requester, accepter, qualifier);
  }
  void accept() {
    ConnectionRequest& request = request_of(a, p, 4000);
    ASSERT_TRUE(request.accept(&p.ep, {}).ok());
    p.adapter.consume(request);
    ASSERT_EQ(p.ep.state(), EpState::CompletionPending);
  }
  void establish_requester(Side& requester) {
    pair.world.a->transport.progress();
    ASSERT_EQ(requester.ep.state(), EpState::Connected);
  }
  static Status write(Side& from, const Side& to, std::uint64_t length, CompletionFlags flags = 0) {
    const LocalTriplet source = from.local(0, length);
    return from.ep.post_rdma(Opcode::RdmaWrite, {&source, 1}, 9, to.remote(0, length), flags);
  }

  Pair pair;
  Side& a = pair.active;
  Side& p = pair.passive;
};

std::array<std::function<Status(Side&, Side&)>, 7> every_post() {
  return {
      [](Side& own, Side&) { return own.send(0, 8, 1); },
      [](Side& own, Side& peer) {
        const LocalTriplet from = own.local(0, 8);
        return own.ep.post_rdma(Opcode::RdmaWrite, {&from, 1}, 1, peer.remote(0, 8), 0);
      },
      [](Side& own, Side& peer) {
        const LocalTriplet into = own.local(0, 8);
        return own.ep.post_rdma(Opcode::RdmaRead, {&into, 1}, 1, peer.remote(0, 8), 0);
      },
      [](Side& own, Side&) {
        Stag stag = 0;
        MemoryWindow& window = *own.adapter.create_window(own.zone).value();
        return own.ep.post_bind(window, own.local(0, 8), kRemoteRead, 1, 0, stag);
      },
      [](Side& own, Side&) {
        const LocalTriplet from = own.local(0, 8);
        return own.ep.post_send_invalidate({&from, 1}, 1, 0, 77);
      },
      [](Side& own, Side& peer) {
        const LocalTriplet from = own.local(0, 8);
        return own.ep.post_write_immediate({&from, 1}, 1, peer.remote(0, 8), 0, 5);
      },
      [](Side& own, Side& peer) {
        return own.ep.post_atomic(Opcode::FetchAdd, own.local(0, 8), 1, peer.remote(0, 8), 0, {});
      },
  };
}

// Rules: PATH.17
TEST_P(Unlooking, EachPostOfAnAccepterTakesTheConfirmationFirst) {
  ConnQual qualifier = 5000;
  for (const auto& post : every_post()) {
    Side requester(*pair.world.a);
    Side accepter(*pair.world.b);
    ConnectionRequest& request = request_of(requester, accepter, ++qualifier);
    ASSERT_TRUE(request.accept(&accepter.ep, {}).ok());
    accepter.adapter.consume(request);
    establish_requester(requester);
    ASSERT_EQ(accepter.ep.state(), EpState::CompletionPending);
    EXPECT_TRUE(post(accepter, requester).ok());
    EXPECT_EQ(accepter.ep.state(), EpState::Connected);
    EXPECT_EQ(accepter.next(accepter.connect_evd).kind, EventKind::Established);
    pair.world.settle(); // places the post while its memory exists
  }
}

// Rules: EPTABLE.post_send.CP
TEST_P(Unlooking, WhereNothingHasArrivedAPostIsRefused) {
  accept(); // the requester has not noticed it
  for (const auto& post : every_post()) {
    const Status refused = post(p, a);
    EXPECT_EQ(refused.type(), Type::InvalidState);
    EXPECT_EQ(refused.detail(), Detail::EpCompletionPending);
  }
  EXPECT_EQ(p.ep.state(), EpState::CompletionPending);
  EXPECT_TRUE(p.ep.request_idle());
}

// Rules: PATH.17
TEST_P(Unlooking, TheConfirmationMayBeBehindAWholeRing) {
  Side writer(*pair.world.a);
  Side target(*pair.world.b);
  EndpointAttributes many = default_attributes(*pair.world.a->adapter);
  many.max_request_dtos = kRingSlots;
  Side flood(*pair.world.a, &many);
  pair.connect(flood, target);
  accept();
  for (std::uint32_t i = 0; i < kRingSlots - 40; ++i) {
    ASSERT_TRUE(write(flood, target, 8, kSuppress).ok());
  }
  establish_requester(a);
  EXPECT_TRUE(p.send(0, 8, 1).ok());
}

// The peer's last message comes with the confirmation.
// Rules: PATH.17
TEST_P(Unlooking, APostIsFlushedWhereThePeerHasGoneAgain) {
  accept();
  establish_requester(a);
  ASSERT_TRUE(a.ep.disconnect(false).ok());
  EXPECT_TRUE(p.send(0, 8, 1).ok());
  EXPECT_EQ(p.next().status, DtoStatus::Flushed);
  EXPECT_EQ(p.next(p.connect_evd).kind, EventKind::Established);
  EXPECT_EQ(p.next(p.connect_evd).kind, EventKind::Disconnected);
}

// The peer has placed all requests of the queue, and this side has not polled since.
// Rules: PATH.18
TEST_P(Unlooking, AFullQueueIsReadOnceMore) {
  pair.connect();
  const std::int32_t depth = a.ep.attributes().max_request_dtos;
  for (std::int32_t i = 0; i < depth; ++i) ASSERT_TRUE(p.receive(64, 8, 1).ok());
  for (std::int32_t i = 0; i < depth; ++i) ASSERT_TRUE(a.send(0, 8, 1, kSuppress).ok());
  EXPECT_EQ(a.send(0, 8, 1, kSuppress).type(), Type::InsufficientResources) << "nobody took them";
  for (int i = 0; i < 4; ++i) pair.world.b->transport.progress(); // takes all and acknowledges
  for (const auto& post : every_post()) EXPECT_TRUE(post(a, p).ok());
}

// Rules: PATH.18
TEST_P(Unlooking, AFullQueueOfRecvsIsReadOnceMore) {
  pair.connect();
  const std::int32_t depth = p.ep.attributes().max_recv_dtos;
  for (std::int32_t i = 0; i < depth; ++i) ASSERT_TRUE(p.receive(64, 8, 1).ok());
  EXPECT_EQ(p.receive(64, 8, 1).type(), Type::InsufficientResources);
  ASSERT_TRUE(a.send(0, 8, 1).ok());
  EXPECT_TRUE(p.receive(64, 8, 1).ok());
  EXPECT_EQ(p.receive(64, 8, 1).type(), Type::InsufficientResources);
}

INSTANTIATE_TEST_SUITE_P(RingOnlyAndDirect, Unlooking, ::testing::Bool(),
                         [](const auto& each) { return each.param ? "Direct" : "RingOnly"; });

} // namespace
} // namespace datum::test
