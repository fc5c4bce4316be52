// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Delivery: completes the Recv of a message that has arrived whole.
#include "transport/iwarp/delivery.h"

#include "bare_stream.h"

namespace datum::iwarp::test {
namespace {

class DeliveryAlone : public ::testing::Test, protected BareStream {
 protected:
  DeliveryAlone() {
    responder_.begin(1);
    responder_.serve(ReadRequest{}, 1, 6); // to be answered after message 5
    events.post_receive(16);
    take_receive();
  }
  void take_receive() {
    std::span<const LocalTriplet> into;
    std::uint64_t capacity = 0;
    ASSERT_EQ(events.take_receive(into, capacity), TakeResult::Taken);
  }
  static UntaggedHeader header(Rdmap opcode) {
    UntaggedHeader made = untagged(opcode, 0, 5);
    made.invalidate = 77;
    return made;
  }
  bool room_ = queue.ready();
  Responder responder_{stream, queue, *this, turn};
  bool can_serve_ = responder_.can_serve();
  Delivery delivery_{stream, *this, responder_};
};

TEST_F(DeliveryAlone, ItIsCountedAndCompleted) {
  EXPECT_TRUE(delivery_.complete(header(Rdmap::SendSolicited), 30, 12));
  EXPECT_EQ(events.log(), Log{"received 12 solicited"});
  EXPECT_EQ(stream.placed, 1U);
}

// Rules: iwarp.T12
TEST_F(DeliveryAlone, AReadBehindItMayBeAnswered) {
  EXPECT_FALSE(responder_.ready());
  delivery_.complete(header(Rdmap::Send), 30, 12);
  EXPECT_TRUE(responder_.ready());
}

// The completion may end the connection. The last acknowledgement has to count this message.
TEST_F(DeliveryAlone, ItIsCountedBeforeTheConsumerIsTold) {
  std::uint32_t placed_then = 0;
  events.on_tell = [&](const std::string&) {
    placed_then = stream.placed;
    stream.ended = true;
  };
  EXPECT_FALSE(delivery_.complete(header(Rdmap::Send), 30, 12));
  EXPECT_EQ(placed_then, 1U);
}

// Rules: iwarp.T5
TEST_F(DeliveryAlone, OneThatInvalidatesSaysWhat) {
  EXPECT_TRUE(delivery_.complete(header(Rdmap::SendInvalidate), 30, 12));
  EXPECT_EQ(events.log(), (Log{"invalidated 77", "received 12"}));
}

TEST_F(DeliveryAlone, OneThatMayNotInvalidateFailsItsRecvAndIsNotCounted) {
  events.invalidation = AccessFault::WrongZone;
  EXPECT_FALSE(delivery_.complete(header(Rdmap::SendInvalidate), 30, 12));
  ASSERT_TRUE(sent_terminate);
  EXPECT_EQ(sent_terminate->error, error::kProtectionInvalidate);
  EXPECT_EQ(sent_terminate->segment_length, 30U);
  EXPECT_EQ(stream.placed, 0U);
  EXPECT_FALSE(responder_.ready());
}

TEST_F(DeliveryAlone, WhatCannotBeInvalidatedHasAnotherReason) {
  events.invalidation = AccessFault::BadStag;
  EXPECT_FALSE(delivery_.complete(header(Rdmap::SendInvalidate), 30, 12));
  ASSERT_TRUE(sent_terminate);
  EXPECT_EQ(sent_terminate->error, error::kCannotInvalidate);
}

// Rules: iwarp.T5
TEST_F(DeliveryAlone, ImmediateDataIsANote) {
  delivery_.complete_immediate(from_hex("0000000700000003"), 5, false);
  ASSERT_EQ(events.log().size(), 1U);
  EXPECT_EQ(events.log()[0].rfind("immediate ", 0), 0U);
  EXPECT_EQ(stream.placed, 1U);
  EXPECT_TRUE(responder_.ready());
}

} // namespace
} // namespace datum::iwarp::test
