// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// UnexpectedMessages: messages that arrive before their Recv is posted.
#include "transport/iwarp/unexpected_messages.h"

#include <cstring>

#include "bare_stream.h"
#include "no_memory.h"

namespace datum::iwarp::test {
namespace {

class Unexpected : public ::testing::Test, protected BareStream {
 protected:
  Unexpected() { stream.most_unexpected = 1024; }
  // `size` octets of a Send arrive. `whole`: the last segment is among them.
  void stage(std::uint32_t msn, std::size_t size, bool whole = true) {
    ASSERT_EQ(unexpected_.begin(untagged(Rdmap::Send, 0, msn), 40), UnexpectedMessages::Begun::Yes);
    ASSERT_EQ(put(0, size), size);
    if (whole) unexpected_.end_send();
  }
  // Places octets of the newest message, and returns for how many octets there was a place.
  std::size_t put(std::uint64_t offset, std::size_t size) {
    std::array<Segment, 4> places;
    if (size == 0 || unexpected_.places(offset, size, places) == 0) return 0;
    std::memset(places[0].address, 0x5a, places[0].length);
    return static_cast<std::size_t>(places[0].length);
  }
  void post(std::size_t size, const std::optional<UnexpectedMessages::LastSegment>& last = {}) {
    events.post_receive(size);
    unexpected_.deliver(last);
  }

  Responder responder_{stream, queue, *this, turn};
  Delivery delivery_{stream, *this, responder_};
  UnexpectedMessages unexpected_{stream, *this, delivery_, {kSecond}};
};

// Rules: iwarp.W1
TEST_F(Unexpected, EachGoesToTheNextRecv) {
  stage(1, 10);
  stage(2, 20);
  post(32);
  EXPECT_EQ(events.log(), Log{"received 10"});
  EXPECT_EQ(to_hex(events.received(0)), to_hex(Bytes(10, std::byte{0x5a})));
  post(32);
  EXPECT_EQ(events.log(), (Log{"received 10", "received 20"}));
  EXPECT_TRUE(unexpected_.empty());
  EXPECT_EQ(stream.placed, 2U);
}

// Rules: iwarp.W2
TEST_F(Unexpected, TheFirstWaitsNoLongerThanSet) {
  stream.now = 100;
  stage(3, 10);
  EXPECT_EQ(unexpected_.deadline(), 100 + kSecond);
  stream.now = 99 + kSecond;
  unexpected_.on_time();
  EXPECT_FALSE(sent_terminate);
  stream.now = 100 + kSecond;
  unexpected_.on_time();
  ASSERT_TRUE(sent_terminate);
  EXPECT_EQ(sent_terminate->error, error::kNoBuffer);
  EXPECT_EQ(sent_terminate->segment_length, 40U);
}

// Rules: iwarp.W4
TEST_F(Unexpected, WhatWaitsIsBoundedEmptyMessagesToo) {
  for (std::uint32_t msn = 1; msn <= 8; ++msn) stage(msn, 0);
  EXPECT_EQ(unexpected_.begin(untagged(Rdmap::Send, 0, 9), 40), UnexpectedMessages::Begun::Full);
  post(0);
  EXPECT_EQ(unexpected_.begin(untagged(Rdmap::Send, 0, 9), 40), UnexpectedMessages::Begun::Yes);
}

// Rules: iwarp.W4
TEST_F(Unexpected, WhatHasLeftMakesRoom) {
  stage(1, 800);
  post(800);
  stage(2, 800);
}

// Rules: iwarp.W5
TEST_F(Unexpected, OfOneThatIsLargerTcpHoldsTheRest) {
  ASSERT_EQ(unexpected_.begin(untagged(Rdmap::Send, 0, 1), 40), UnexpectedMessages::Begun::Yes);
  EXPECT_EQ(put(0, 2000), 1024U - 128U);
  EXPECT_EQ(put(896, 1104), 0U);
}

// Rules: iwarp.W6
TEST_F(Unexpected, ARecvTakesThePartThatHasComeAndTheRestGoesStraight) {
  stage(1, 10, false);
  post(64, UnexpectedMessages::LastSegment{1, 30});
  EXPECT_TRUE(unexpected_.empty());
  EXPECT_EQ(events.log(), Log{}) << "it is not whole";
  EXPECT_EQ(stream.placed, 0U);
}

// Rules: iwarp.W7
TEST_F(Unexpected, ThePartThatIsOnItsWayHasToFitToo) {
  stage(1, 10, false);
  post(29, UnexpectedMessages::LastSegment{1, 30});
  ASSERT_TRUE(sent_terminate);
  EXPECT_EQ(sent_terminate->error, error::kTooLong);
  ASSERT_EQ(events.log().size(), 1U);
  EXPECT_EQ(events.log()[0].rfind("receive failed", 0), 0U);
}

// Rules: iwarp.W7
TEST_F(Unexpected, ASegmentOfAnotherMessageDoesNotCount) {
  stage(1, 10);
  stage(2, 10, false);
  post(12, UnexpectedMessages::LastSegment{2, 30});
  EXPECT_EQ(events.log(), Log{"received 10"});
  post(12, UnexpectedMessages::LastSegment{7, 30});
  EXPECT_FALSE(sent_terminate);
  EXPECT_TRUE(unexpected_.empty());
}

// Rules: iwarp.W8
TEST_F(Unexpected, ImmediateDataWaitsAsWell) {
  ASSERT_EQ(unexpected_.begin(untagged(Rdmap::Immediate, 0, 1), 26),
            UnexpectedMessages::Begun::Yes);
  unexpected_.end_immediate(from_hex("0000000700000003"));
  post(0);
  ASSERT_EQ(events.log().size(), 1U);
  EXPECT_EQ(events.log()[0].rfind("immediate ", 0), 0U);
}

// Rules: iwarp.W9
TEST_F(Unexpected, WritesCountBehindTheMessagesBeforeThem) {
  EXPECT_FALSE(unexpected_.count_write()) << "nothing waits";
  stage(1, 10);
  EXPECT_TRUE(unexpected_.count_write());
  EXPECT_TRUE(unexpected_.count_write());
  EXPECT_EQ(stream.placed, 0U);
  post(10);
  EXPECT_EQ(stream.placed, 3U);
}

TEST_F(Unexpected, AnEndWithinACompletionStopsTheRest) {
  stage(1, 10);
  stage(2, 10);
  events.on_tell = [&](const std::string&) { stream.ended = true; };
  events.post_receive(10);
  post(10);
  EXPECT_EQ(events.log(), Log{"received 10"});
}

TEST_F(Unexpected, BehindTheEndNothingIsDelivered) {
  stage(1, 10);
  stream.ended = true;
  post(10);
  EXPECT_EQ(events.log(), Log{});
}

// Rules: iwarp.M5
TEST_F(Unexpected, WithoutMemoryOneIsRefusedUnlessOthersWait) {
  {
    const NoMemory scarce;
    EXPECT_EQ(unexpected_.begin(untagged(Rdmap::Immediate, 0, 1), 26),
              UnexpectedMessages::Begun::NoMemory);
  }
  stage(1, 10);
  const NoMemory scarce;
  EXPECT_EQ(unexpected_.begin(untagged(Rdmap::Immediate, 0, 2), 26),
            UnexpectedMessages::Begun::Full);
  EXPECT_EQ(put(10, 500), 0U);
}

} // namespace
} // namespace datum::iwarp::test
