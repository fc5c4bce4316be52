// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// UnfinishedRequests: this side's Sends and Writes until they end. Which acknowledgement ends which
// request, and which request a Terminate names.
#include "transport/iwarp/unfinished_requests.h"

#include "bare_stream.h"

namespace datum::iwarp::test {
namespace {

class Unfinished : public ::testing::Test, protected BareStream {
 protected:
  void send(const WorkRequest& work, std::uint32_t msn) {
    ASSERT_TRUE(requests_.make_room());
    requests_.add_send(&work, msn);
    requests_.on_message_built();
    requests_.on_request_built();
  }
  // Adds a Write of which `messages` messages are built. `whole`: the Write has no more messages.
  void write(const WorkRequest& work, int messages = 1, bool whole = true) {
    ASSERT_TRUE(requests_.make_room());
    requests_.add_write(work);
    for (int i = 0; i < messages; ++i) requests_.on_message_built();
    if (whole) requests_.on_request_built();
  }
  static WorkRequest write_to(Stag stag, std::uint64_t address, std::uint64_t length) {
    WorkRequest work;
    work.opcode = Opcode::RdmaWrite;
    work.length = length;
    work.remote = {stag, address, length};
    return work;
  }

  UnfinishedRequests requests_{stream};
  WorkRequest first_;
  WorkRequest second_;
};

// Rules: iwarp.O3
TEST_F(Unfinished, AnAcknowledgementEndsAllThatItCounts) {
  send(first_, 1);
  send(second_, 2);
  requests_.on_sent(2);
  EXPECT_TRUE(requests_.on_ack(1));
  EXPECT_EQ(events.take_log(), Log{"placed 1"});
  EXPECT_EQ(requests_.size(), 1U);
  EXPECT_EQ(requests_.acknowledged(), 1U);
  EXPECT_TRUE(requests_.on_ack(1));
  EXPECT_EQ(events.take_log(), Log{}) << "nothing is told twice";
  EXPECT_TRUE(requests_.on_ack(2));
  EXPECT_EQ(events.take_log(), Log{"placed 1"});
}

// Rules: iwarp.O4
TEST_F(Unfinished, NobodyHasPlacedWhatWasNotSentOrLessThanBefore) {
  send(first_, 1);
  send(second_, 2);
  requests_.on_sent(1);
  EXPECT_FALSE(requests_.on_ack(2));
  EXPECT_TRUE(requests_.on_ack(1));
  EXPECT_FALSE(requests_.on_ack(0));
  EXPECT_EQ(requests_.acknowledged(), 1U);
  EXPECT_EQ(events.log(), Log{"placed 1"});
}

// Rules: iwarp.T17
TEST_F(Unfinished, CountsGoOnBehindTheirWrap) {
  requests_.begin(0xffffffff);
  send(first_, 0xffffffff);
  send(second_, 0);
  requests_.on_sent(2);
  EXPECT_TRUE(requests_.on_ack(0xffffffff));
  EXPECT_TRUE(requests_.on_ack(0));
  EXPECT_EQ(events.log(), (Log{"placed 1", "placed 1"}));
}

TEST_F(Unfinished, AWriteOfSeveralMessagesEndsWithTheLast) {
  const WorkRequest work = write_to(5, 0, 100);
  write(work, 2, false);
  requests_.on_sent(2);
  EXPECT_TRUE(requests_.on_ack(2));
  EXPECT_EQ(events.log(), Log{}) << "it is not built to its end";
  requests_.on_message_built();
  requests_.on_request_built();
  requests_.on_sent(1);
  EXPECT_TRUE(requests_.on_ack(2));
  EXPECT_EQ(events.log(), Log{});
  EXPECT_TRUE(requests_.on_ack(3));
  EXPECT_EQ(events.log(), Log{"placed 1"});
}

// Rules: iwarp.O8
TEST_F(Unfinished, OfAForeignPeerTheyEndWhenTcpHasThem) {
  send(first_, 1);
  requests_.on_sent(1);
  requests_.tell_sent();
  EXPECT_EQ(events.log(), Log{}) << "one of ours acknowledges";
  stream.peer = PeerKind::Foreign;
  requests_.tell_sent();
  EXPECT_EQ(events.log(), Log{"placed 1"});
}

// Rules: iwarp.E10
TEST_F(Unfinished, ATerminateNamesASendByItsMsn) {
  send(first_, 7);
  send(second_, 8);
  EXPECT_EQ(requests_.find_send(7), 0U);
  EXPECT_EQ(requests_.find_send(8), 1U);
  EXPECT_EQ(requests_.find_send(9), std::nullopt);
}

// Rules: iwarp.E10
TEST_F(Unfinished, AndAWriteByAnOctetOfIt) {
  const WorkRequest one = write_to(5, 100, 10);
  const WorkRequest other = write_to(6, 100, 10);
  write(one);
  write(other);
  EXPECT_EQ(requests_.find_write(5, 100), 0U);
  EXPECT_EQ(requests_.find_write(6, 109), 1U);
  EXPECT_EQ(requests_.find_write(6, 110), std::nullopt);
  EXPECT_EQ(requests_.find_write(6, 99), std::nullopt);
  EXPECT_EQ(requests_.find_send(0), std::nullopt) << "a Write has no MSN";
}

// Rules: iwarp.E14
TEST_F(Unfinished, LostMemoryNamesItsRequest) {
  send(first_, 1);
  send(second_, 2);
  EXPECT_EQ(requests_.find(second_), 1U);
  EXPECT_EQ(requests_.find(WorkRequest()), std::nullopt);
}

} // namespace
} // namespace datum::iwarp::test
