// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// FullRing: the confirmation of a connection waits for room in the ring. Nothing may overtake it.
#include "core/endpoint/attribute_rules.h"
#include "pair.h"

namespace datum::test {
namespace {

// The requester's Confirm record finds the ring full of another endpoint's Writes.
class FullRing : public ::testing::Test {
 protected:
  explicit FullRing(bool direct) : pair_(direct) {}
  FullRing() : FullRing(false) {}

  void SetUp() override {
    pair_.connect(writer_, pair_.passive);
    const ConnQual qualifier = 4001;
    ASSERT_TRUE(
        accepter_.adapter.create_psp(&qualifier, accepter_.cr_evd, ServicePoint::EpSource::Consumer)
            .has_value());
    request_ = &pair_.request_of(requester_, accepter_, qualifier);
    const LocalTriplet word = writer_.local(0, 8);
    const RemoteTriplet target = pair_.passive.remote(0, 8);
    for (std::uint32_t i = 0; i < kRingSlots; ++i)
      ASSERT_TRUE(writer_.ep.post_rdma(Opcode::RdmaWrite, {&word, 1}, i, target, kSuppress).ok());
  }
  void accept() {
    ASSERT_TRUE(request_->accept(&accepter_.ep, {}).ok());
    accepter_.adapter.consume(*request_);
    pair_.world.a->transport.progress();
  }

 private:
  static EndpointAttributes room_for_a_full_ring(InterfaceAdapter& adapter) {
    EndpointAttributes attributes = default_attributes(adapter);
    attributes.max_request_dtos = kRingSlots;
    return attributes;
  }

 protected:
  Pair pair_;

 private:
  EndpointAttributes attributes_ = room_for_a_full_ring(*pair_.world.a->adapter);
  Side writer_{*pair_.world.a, &attributes_};

 protected:
  Side requester_{*pair_.world.a};
  Side accepter_{*pair_.world.b};

 private:
  ConnectionRequest* request_ = nullptr;
};

class FullRingDirect : public FullRing {
 protected:
  FullRingDirect() : FullRing(true) {}
};

// A message that overtook the Confirm record would reach a peer whose connection is not established
// yet.
TEST_F(FullRing, LetsNoMessageOvertakeTheConfirmationBeforeIt) {
  ASSERT_TRUE(accepter_.receive(0, 64, 1).ok());
  ASSERT_NO_FATAL_FAILURE(accept());
  EXPECT_EQ(requester_.next(requester_.connect_evd).kind, EventKind::Established);
  pair_.world.b->transport.progress();
  ASSERT_TRUE(requester_.send(0, 8, 2).ok());
  pair_.world.settle();
  EXPECT_EQ(accepter_.next(accepter_.connect_evd).kind, EventKind::Established);
  EXPECT_EQ(accepter_.next().status, DtoStatus::Success);
  EXPECT_EQ(requester_.next().status, DtoStatus::Success);
}

// The peer would see a direct copy of the requester before the confirmation.
// Rules: PATH.17
TEST_F(FullRingDirect, LetsNoDirectCopyOvertakeTheConfirmationBeforeIt) {
  ASSERT_NO_FATAL_FAILURE(accept());
  ASSERT_EQ(requester_.ep.state(), EpState::Connected);
  requester_.memory[0] = std::byte{7};
  const LocalTriplet large = requester_.local(0, 100000);
  ASSERT_TRUE(
      requester_.ep.post_rdma(Opcode::RdmaWrite, {&large, 1}, 1, accepter_.remote(0, 100000), 0)
          .ok());
  const bool visible = accepter_.memory[0] == std::byte{7};
  EXPECT_TRUE(!visible || accepter_.send(0, 8, 1).ok());
  pair_.world.settle();
  EXPECT_EQ(accepter_.memory[0], std::byte{7});
  EXPECT_EQ(requester_.next().status, DtoStatus::Success);
}

} // namespace
} // namespace datum::test
