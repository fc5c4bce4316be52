// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A session that gets no memory throws nothing, and tells its consumer of the failure.
#include "no_memory.h"

#include <gtest/gtest.h>

#include "pair.h"

namespace datum::iwarp::test {
namespace {

Bytes small_send(std::uint32_t msn) {
  return fpdu(untagged(Rdmap::Send, 0, msn), pattern(8, 1, 1));
}

// The octets are allocated before memory fails.
void feed_without_memory(Session& session, const Bytes& octets) {
  const NoMemory scarce;
  session.feed(octets, 0);
}

// Feeds the session a request, which the session has to answer.
void hear_request(Side& side) {
  side.session.expect_request(0);
  side.feed_hex(kRequest);
}

// Rules: iwarp.M1
TEST(IwarpNoMemory, RequestThatCannotBeSent) {
  Side side;
  {
    const NoMemory scarce;
    side.session.connect({}, {}, side.events, 7);
  }
  EXPECT_EQ(side.session.deadline(), 7);
  EXPECT_EQ(side.events.log(), Log{});
  side.session.on_time(7);
  EXPECT_EQ(side.events.log(), Log{"failed: non-peer rejected"});
  EXPECT_TRUE(side.session.finished());
}

// Rules: iwarp.M1
TEST(IwarpNoMemory, ReplyThatCannotBeSent) {
  Side side;
  hear_request(side);
  side.events.take_log();
  {
    const NoMemory scarce;
    side.session.accept({}, {.reads_in = 4, .reads_out = 4}, side.events, 7);
  }
  EXPECT_EQ(side.session.deadline(), 7);
  side.session.on_time(7);
  EXPECT_EQ(side.events.log(), Log{"failed: non-peer rejected"});
  EXPECT_TRUE(side.session.finished());
}

// Rules: iwarp.M1
TEST(IwarpNoMemory, RejectThatNeverCanBeSent) {
  Side side;
  hear_request(side);
  const NoMemory scarce;
  side.session.reject({}, 7);
  EXPECT_EQ(side.session.deadline(), 7 + kMillisecond);
  side.session.on_time(7 + 4 * kSecond);
  EXPECT_FALSE(side.session.finished());
  side.session.on_time(7 + 5 * kSecond);
  EXPECT_TRUE(side.session.finished());
}

// Rules: iwarp.M1
TEST(IwarpNoMemory, RejectThatNobodyWaitsForAnyMore) {
  Side side;
  hear_request(side);
  const NoMemory scarce;
  side.session.reject({}, 7);
  side.session.lost(8);
  side.session.on_time(side.session.deadline());
  EXPECT_TRUE(side.session.finished());
}

// Rules: iwarp.M1
TEST(IwarpNoMemory, RequestThatCannotBeKept) {
  Side side;
  side.session.expect_request(0);
  feed_without_memory(side.session, from_hex(kRequest));
  EXPECT_EQ(side.events.log(), Log{});
  EXPECT_TRUE(side.session.finished());
  EXPECT_TRUE(side.session.must_reset());
}

// Rules: iwarp.M1
TEST(IwarpNoMemory, ReplyThatCannotBeKept) {
  Side side;
  side.session.connect({}, {}, side.events, 0);
  side.take_output();
  feed_without_memory(side.session, from_hex(kReply));
  EXPECT_EQ(side.events.log(), Log{"failed: non-peer rejected"});
}

// Rules: iwarp.M1
TEST(IwarpNoMemory, FirstFpduThatCannotBeSent) {
  // All but the last octet have come: the session already has the memory for the reply itself.
  Side side;
  side.session.connect({}, {.reads_in = 16, .reads_out = 16}, side.events, 0);
  side.take_output();
  const Bytes reply = from_hex(kReply);
  side.feed(Octets(reply).first(reply.size() - 1));
  side.hold_chunks();
  feed_without_memory(side.session, Bytes{reply.back()});
  EXPECT_EQ(side.events.log(), Log{"failed: non-peer rejected"});
}

// Rules: iwarp.M1
TEST(IwarpNoMemory, AnswerToAHelloThatCannotBeSent) {
  Side side;
  hear_request(side);
  side.session.accept({}, {.reads_in = 4, .reads_out = 4}, side.events, 0);
  side.take_output();
  side.events.take_log();
  side.hold_chunks();
  feed_without_memory(side.session, fpdu(tagged(Rdmap::Write, 1, 0x4454575010004e20)));
  EXPECT_EQ(side.events.log(), Log{"failed: non-peer rejected"});
  EXPECT_TRUE(side.session.must_reset());
}

struct ConnectedPair : Pair {
  ConnectedPair() { connect(); }
  Bytes data = pattern(8, 1, 1);
  LocalTriplet local = triplet(data.data(), data.size());
  WorkRequest work = send_of(std::span(&local, 1));
};

// Rules: iwarp.M2
TEST(IwarpNoMemory, PostGoesOutWhenThereIsMemory) {
  ConnectedPair pair;
  pair.passive.events.post_receive(8);
  pair.active.hold_chunks();
  {
    const NoMemory scarce;
    EXPECT_EQ(pair.active.session.start(pair.work), StartResult::Started);
    std::array<Octets, 4> pieces;
    EXPECT_EQ(pair.active.session.output(pieces, 5), 0U);
    EXPECT_EQ(pair.active.session.deadline(), 5 + kMillisecond);
    pair.active.session.on_time(5 + kMillisecond);
    EXPECT_EQ(pair.active.session.output(pieces, 6), 0U);
  }
  pair.active.session.on_time(6 + kMillisecond);
  pair.pump();
  EXPECT_EQ(pair.passive.events.log(), Log{"received 8"});
  EXPECT_EQ(pair.active.events.log(), Log{"placed 1"});
}

// Rules: iwarp.M2
TEST(IwarpNoMemory, PostWithinTheCallIsRefused) {
  ConnectedPair pair;
  pair.active.hold_chunks();
  {
    const NoMemory scarce;
    EXPECT_EQ(pair.active.session.start_now(pair.work), StartResult::Later);
  }
  EXPECT_EQ(ulpdus(pair.active.take_output()).size(), 0U);
  EXPECT_EQ(pair.active.session.start_now(pair.work), StartResult::Started);
}

// Rules: iwarp.M3
TEST(IwarpNoMemory, SendThatCannotBeAccountedFor) {
  ConnectedPair pair;
  for (int i = 0; i < 8; ++i) {
    pair.passive.events.post_receive(8);
    ASSERT_EQ(pair.active.session.start(pair.work), StartResult::Started);
  }
  const Bytes stream = pair.active.take_output();
  {
    const NoMemory scarce;
    EXPECT_EQ(pair.active.session.start(pair.work), StartResult::Started);
  }
  pair.passive.events.post_receive(8);
  pair.passive.feed(stream);
  EXPECT_EQ(pair.passive.events.take_log().size(), 8U);
  pair.pump();
  EXPECT_EQ(pair.passive.events.log(), Log{"received 8"});
  EXPECT_EQ(pair.active.events.log(), Log{"placed 9"});
}

// Rules: iwarp.M3
TEST(IwarpNoMemory, ReadThatCannotBeAccountedFor) {
  ConnectedPair pair;
  std::byte* source = pair.passive.events.add_region(0x501, 64, kRemoteRead);
  const WorkRequest read = read_of(std::span(&pair.local, 1), 0x501, source);
  for (int i = 0; i < 8; ++i) ASSERT_EQ(pair.active.session.start(read), StartResult::Started);
  const Bytes stream = pair.active.take_output();
  {
    const NoMemory scarce;
    EXPECT_EQ(pair.active.session.start(read), StartResult::Started);
  }
  EXPECT_EQ(ulpdus(stream).size(), 8U);
  EXPECT_EQ(ulpdus(pair.active.take_output()).size(), 1U);
}

// Rules: iwarp.M4
TEST(IwarpNoMemory, ReadOfThePeer) {
  Target side;
  side.feed(fpdu(untagged(Rdmap::Send, 0, 1)));
  side.take_output();
  const ReadRequest request{
      .size = 4, .source_stag = Target::kRegion, .source_offset = side.base()};
  feed_without_memory(side.session, fpdu(untagged(Rdmap::ReadRequest, 1, 1), octets_of(request)));
  EXPECT_EQ(side.terminate_code(), "1/2/02");
}

// Rules: iwarp.M5
TEST(IwarpNoMemory, MessageWithoutARecv) {
  Target side;
  side.feed(small_send(1));
  side.take_output();
  side.events.take_log();
  const Bytes message = small_send(2);
  std::size_t taken = 0;
  {
    const NoMemory scarce;
    taken = side.session.feed(message, 50);
  }
  EXPECT_LT(taken, message.size());
  EXPECT_EQ(side.session.deadline(), 50 + kSecond);
  side.events.post_receive(8);
  side.session.on_receive_posted(60);
  EXPECT_EQ(side.session.feed(Octets(message).subspan(taken), 60), message.size() - taken);
  EXPECT_EQ(side.events.log(), Log{"received 8"});
  EXPECT_EQ(to_hex(side.events.received(1)), "0102030405060708");
}

// Rules: iwarp.M5
TEST(IwarpNoMemory, ManyEmptyMessagesWithoutARecv) {
  Target side;
  side.feed(small_send(1));
  side.take_output();
  side.events.take_log();
  Bytes stream;
  for (std::uint32_t msn = 2; msn < 102; ++msn) {
    const Bytes frame = fpdu(untagged(Rdmap::Send, 0, msn));
    stream.insert(stream.end(), frame.begin(), frame.end());
  }
  std::size_t taken = 0;
  {
    const NoMemory scarce;
    taken = side.session.feed(stream, 50);
  }
  EXPECT_LT(taken, stream.size());
  EXPECT_EQ(side.session.deadline(), 50 + kSecond);
  for (int i = 0; i < 100; ++i) side.events.post_receive(8);
  side.session.on_receive_posted(60);
  EXPECT_EQ(side.session.feed(Octets(stream).subspan(taken), 60), stream.size() - taken);
  EXPECT_EQ(side.events.log(), Log(100, "received 0"));
}

// Rules: iwarp.M5
TEST(IwarpNoMemory, ImmediateDataWithoutARecv) {
  Target side;
  side.feed(small_send(1));
  side.take_output();
  feed_without_memory(side.session, fpdu(untagged(Rdmap::Immediate, 0, 2), Bytes(8)));
  EXPECT_EQ(side.terminate_code(), "1/2/02");
}

// Rules: iwarp.M6 iwarp.E21
TEST(IwarpNoMemory, AnswersBeforeAClose) {
  Target side;
  const ReadRequest request{
      .size = 4, .source_stag = Target::kRegion, .source_offset = side.base()};
  side.feed(fpdu(untagged(Rdmap::ReadRequest, 1, 1), octets_of(request)));
  side.events.take_log();
  side.hold_chunks();
  {
    const NoMemory scarce;
    side.session.close(CloseMode::Disconnect, 0);
  }
  EXPECT_EQ(side.events.log(), Log{});
  EXPECT_TRUE(side.session.finished());
  EXPECT_TRUE(side.session.must_reset());
}

// Rules: iwarp.M6
TEST(IwarpNoMemory, LastWords) {
  Target side;
  side.feed(small_send(1));
  side.take_output();
  side.events.take_log();
  side.hold_chunks();
  feed_without_memory(side.session, small_send(9));
  EXPECT_EQ(side.events.log(), Log{"broken"});
  EXPECT_TRUE(side.session.finished());
  EXPECT_TRUE(side.session.must_reset());
}

} // namespace
} // namespace datum::iwarp::test
