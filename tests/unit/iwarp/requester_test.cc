// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Requester: builds the FPDUs of this side's current request.
#include "transport/iwarp/requester.h"

#include "bare_stream.h"
#include "no_memory.h"

namespace datum::iwarp::test {
namespace {

class RequesterAlone : public ::testing::Test, protected BareStream {
 protected:
  RequesterAlone() {
    unfinished_.begin(1);
    reads_.begin(1);
    requester_.begin(1);
  }
  WorkRequest work(Opcode opcode, std::uint64_t length) {
    WorkRequest made;
    made.opcode = opcode;
    made.length = length;
    local_ = triplet(data_.data(), length);
    made.local = std::span(&local_, 1);
    made.remote = {5, 4096, length};
    return made;
  }
  static OutboundRequest request(Rdmap opcode, const WorkRequest& of) {
    return {.opcode = opcode, .work = &of, .atomic = {}};
  }
  std::vector<SentFpdu> build(const OutboundRequest& request) {
    EXPECT_TRUE(requester_.take(request));
    requester_.build_all();
    return take();
  }

  Bytes data_ = pattern(3 * 1024 * 1024, 3, 1);
  LocalTriplet local_;
  UnfinishedRequests unfinished_{stream};
  OutstandingReads reads_{stream};
  Requester requester_{stream, queue, *this, turn, {unfinished_, reads_}};
};

TEST_F(RequesterAlone, ASendIsCutAndOnRecord) {
  const WorkRequest send = work(Opcode::Send, 1500);
  const std::vector<SentFpdu> sent = build(request(Rdmap::Send, send));
  constexpr std::size_t kMost = kUlpdu - UntaggedHeader::kWireSize;
  ASSERT_EQ(sent.size(), 2U);
  EXPECT_EQ(sent[0].payload.size(), 1500 - kMost);
  EXPECT_FALSE(sent[0].last);
  EXPECT_EQ(sent[1].payload.size(), kMost);
  EXPECT_TRUE(sent[1].last);
  EXPECT_EQ(sent[1].msn, 1U);
  EXPECT_EQ(sent[1].offset, 1500 - kMost);
  EXPECT_EQ(to_hex(sent[1].payload), to_hex(Octets(data_).subspan(1500 - kMost, kMost)));
  EXPECT_EQ(completed, 1U);
  EXPECT_FALSE(requester_.busy());
  EXPECT_TRUE(turn.is_free());
  EXPECT_EQ(unfinished_.find_send(1), 0U);
  unfinished_.on_sent(completed);
  EXPECT_TRUE(unfinished_.on_ack(1));
  EXPECT_EQ(events.log(), Log{"placed 1"});
}

// Rules: iwarp.T13
TEST_F(RequesterAlone, EachSendHasTheNextMsn) {
  EXPECT_EQ(requester_.take_msn(), 1U);
  const WorkRequest send = work(Opcode::Send, 8);
  EXPECT_EQ(build(request(Rdmap::Send, send)).at(0).msn, 2U);
  EXPECT_EQ(build(request(Rdmap::SendSolicited, send)).at(0).msn, 3U);
}

TEST_F(RequesterAlone, ASendMayInvalidate) {
  const WorkRequest send = work(Opcode::SendInvalidate, 8);
  OutboundRequest asked = request(Rdmap::SendInvalidate, send);
  asked.invalidate = 77;
  EXPECT_EQ(build(asked).at(0).stag, 77U);
}

// Rules: iwarp.T10
TEST_F(RequesterAlone, AWriteIsSeveralMessages) {
  stream.most_ulpdu = kMostSentUlpdu;
  const WorkRequest write = work(Opcode::RdmaWrite, 2 * 1024 * 1024 + 5);
  ASSERT_TRUE(requester_.take(request(Rdmap::Write, write)));
  std::vector<SentFpdu> sent;
  int messages = 0;
  while (requester_.busy()) {
    requester_.build_all();
    for (SentFpdu& each : take()) {
      messages += each.last ? 1 : 0;
      sent.push_back(std::move(each));
    }
  }
  EXPECT_EQ(messages, 3);
  EXPECT_EQ(completed, 3U);
  std::uint64_t at = 4096;
  for (const SentFpdu& each : sent) {
    EXPECT_EQ(each.offset, at);
    at += each.payload.size();
  }
  EXPECT_EQ(at, 4096 + write.length);
  unfinished_.on_sent(3);
  EXPECT_TRUE(unfinished_.on_ack(2));
  EXPECT_EQ(events.log(), Log{});
  EXPECT_TRUE(unfinished_.on_ack(3));
  EXPECT_EQ(events.log(), Log{"placed 1"});
}

// Rules: iwarp.O6
TEST_F(RequesterAlone, AnEmptyWriteNamesNothingOfOurs) {
  const WorkRequest write = work(Opcode::RdmaWrite, 0);
  const std::vector<SentFpdu> sent = build(request(Rdmap::Write, write));
  ASSERT_EQ(sent.size(), 1U);
  EXPECT_EQ(sent[0].stag, kHelloStag);
  EXPECT_EQ(sent[0].offset, 0U);
}

TEST_F(RequesterAlone, AReadNamesItsSink) {
  const WorkRequest read = work(Opcode::RdmaRead, 300);
  const std::vector<SentFpdu> sent = build(request(Rdmap::ReadRequest, read));
  ASSERT_EQ(sent.size(), 1U);
  ReadRequest asked;
  WireReader in(sent[0].payload);
  ASSERT_TRUE(decode(in, asked));
  EXPECT_EQ(asked.sink_stag, 1U);
  EXPECT_EQ(asked.sink_offset, std::uint64_t{1} << 32U);
  EXPECT_EQ(asked.size, 300U);
  EXPECT_EQ(asked.source_stag, 5U);
  EXPECT_EQ(asked.source_offset, 4096U);
  EXPECT_EQ(reads_.of_consumer(), 1U);
  EXPECT_EQ(unfinished_.size(), 0U);
}

TEST_F(RequesterAlone, AnAtomicIsNamedByItsMsn) {
  const WorkRequest atomic = work(Opcode::FetchAdd, 8);
  OutboundRequest asked = request(Rdmap::AtomicRequest, atomic);
  asked.atomic = {.stag = 5, .offset = 4096, .data = 9};
  const std::vector<SentFpdu> sent = build(asked);
  ASSERT_EQ(sent.size(), 1U);
  AtomicRequest said;
  WireReader in(sent[0].payload);
  ASSERT_TRUE(decode(in, said));
  EXPECT_EQ(said.identifier, 1U);
  EXPECT_EQ(said.data, 9U);
  EXPECT_TRUE(reads_.oldest()->atomic);
}

// Rules: iwarp.T8
TEST_F(RequesterAlone, AReadWaitsWhileThePeerServesAsManyAsItTakes) {
  const WorkRequest read = work(Opcode::RdmaRead, 8);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(build(request(Rdmap::ReadRequest, read)).size(), 1U);
  EXPECT_EQ(build(request(Rdmap::ReadRequest, read)).size(), 0U);
  EXPECT_TRUE(requester_.busy());
  EXPECT_FALSE(requester_.may_build());
  reads_.end_oldest();
  EXPECT_TRUE(requester_.may_build());
  EXPECT_TRUE(requester_.build_next());
  EXPECT_FALSE(requester_.busy());
}

// Rules: iwarp.T9
TEST_F(RequesterAlone, WhatThePeerServesNoneOfFailsBehindTheOthers) {
  const WorkRequest read = work(Opcode::RdmaRead, 8);
  build(request(Rdmap::ReadRequest, read));
  stream.terms.reads_out = 0;
  EXPECT_FALSE(requester_.take(request(Rdmap::ReadRequest, read)));
  EXPECT_TRUE(requester_.failed());
  EXPECT_TRUE(requester_.busy());
  EXPECT_FALSE(failed) << "not from within the call";
  requester_.report_failure();
  EXPECT_EQ(failed, (FailedRequest{RequestClass::Read, DtoStatus::RemoteResponder, 1}));
  EXPECT_FALSE(requester_.busy());
}

// Rules: iwarp.T19
TEST_F(RequesterAlone, ImmediateDataWaitsUntilThePeerIsKnownAndFailsIfItTakesNone) {
  stream.peer_takes_extensions = false;
  stream.peer = PeerKind::Undecided;
  const OutboundRequest immediate{.opcode = Rdmap::Immediate, .immediate = 3, .atomic = {}};
  EXPECT_EQ(build(immediate).size(), 0U);
  EXPECT_FALSE(requester_.may_build());
  stream.peer = PeerKind::Foreign;
  EXPECT_TRUE(requester_.may_build());
  EXPECT_FALSE(requester_.build_next());
  EXPECT_EQ(failed, (FailedRequest{RequestClass::Placed, DtoStatus::RemoteResponder, 0}));
  EXPECT_FALSE(requester_.busy());
}

TEST_F(RequesterAlone, ImmediateDataIsASendOfEightOctets) {
  const OutboundRequest immediate{.opcode = Rdmap::Immediate, .immediate = 3, .atomic = {}};
  const std::vector<SentFpdu> sent = build(immediate);
  ASSERT_EQ(sent.size(), 1U);
  EXPECT_EQ(to_hex(sent[0].payload), "0000000000000003");
  EXPECT_EQ(unfinished_.find_send(1), 0U);
  EXPECT_EQ(completed, 1U);
}

// Rules: iwarp.E14
TEST_F(RequesterAlone, MemoryThatWentWhileItWaitedFailsIt) {
  fill_queue();
  const WorkRequest send = work(Opcode::Send, 8);
  ASSERT_TRUE(requester_.take(request(Rdmap::Send, send)));
  requester_.build_all();
  EXPECT_EQ(unfinished_.size(), 0U) << "there was no room";
  events.local_memory_valid = false;
  EXPECT_FALSE(requester_.build_next());
  EXPECT_EQ(failed, (FailedRequest{RequestClass::Placed, DtoStatus::LocalProtection, 0}));
}

// Rules: iwarp.M3
TEST_F(RequesterAlone, WithoutMemoryNothingIsOnRecord) {
  const WorkRequest send = work(Opcode::Send, 8);
  ASSERT_TRUE(requester_.take(request(Rdmap::Send, send)));
  hold_chunks();
  {
    const NoMemory scarce;
    requester_.build_all();
  }
  EXPECT_TRUE(turn.lacks_room());
  EXPECT_EQ(unfinished_.size(), 0U);
  requester_.build_all();
  EXPECT_EQ(take().size(), 1U);
}

// Rules: iwarp.T15
TEST_F(RequesterAlone, WithinACallSmallOnesThatTakeNoMemoryAlong) {
  const WorkRequest small = work(Opcode::Send, 1024);
  const WorkRequest large = work(Opcode::Send, 1025);
  EXPECT_TRUE(requester_.suits_call(request(Rdmap::Send, small)));
  EXPECT_FALSE(requester_.suits_call(request(Rdmap::Send, large)));
  EXPECT_FALSE(requester_.suits_call(request(Rdmap::ReadRequest, small)));
  const OutboundRequest immediate{.opcode = Rdmap::Immediate, .atomic = {}};
  EXPECT_TRUE(requester_.suits_call(immediate));
  stream.peer_takes_extensions = false;
  EXPECT_FALSE(requester_.suits_call(immediate));
}

// Rules: iwarp.T15
TEST_F(RequesterAlone, WithinACallWholeOrNotAtAll) {
  const WorkRequest longer = work(Opcode::Send, 1024);
  EXPECT_FALSE(requester_.build_within_call(request(Rdmap::Send, longer))) << "two FPDUs";
  EXPECT_FALSE(requester_.busy());
  EXPECT_EQ(unfinished_.size(), 0U);
  EXPECT_EQ(requester_.take_msn(), 1U) << "none was used up";
  const WorkRequest send = work(Opcode::Send, 900);
  EXPECT_TRUE(requester_.build_within_call(request(Rdmap::Send, send)));
  EXPECT_EQ(take().at(0).payload.size(), 900U);
}

} // namespace
} // namespace datum::iwarp::test
