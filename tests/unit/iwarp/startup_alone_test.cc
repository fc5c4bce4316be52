// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Startup: the MPA request and reply without a session. What this side sends, and what follows from
// the peer's frame.
#include "transport/iwarp/startup.h"

#include "bare_stream.h"
#include "no_memory.h"

namespace datum::iwarp::test {
namespace {

// The reply of an own peer with this private data: enhanced (S set), 16 Reads each way.
StartupFrame reply_of(Octets private_data = {}, bool rejected = false) {
  StartupFrame frame;
  frame.reply = true;
  frame.crc = true;
  frame.rejected = rejected;
  frame.enhanced = EnhancedData{.peer_to_peer = true, .rtr_write = true, .ird = 16, .ord = 16};
  frame.private_data = private_data;
  return frame;
}
Bytes frame_octets(const StartupFrame& frame) {
  Bytes octets(frame.wire_size());
  encode(frame, octets.data());
  return octets;
}
Bytes refusal_of(Refusal refusal) {
  Bytes octets(kRefusalSize);
  WireWriter out(octets.data());
  encode(refusal, out);
  return octets;
}

class StartupAlone : public ::testing::Test {
 protected:
  // Takes everything that waits in the queue, as TCP would.
  Bytes take() {
    Bytes all;
    std::array<Octets, 8> pieces;
    const std::size_t count = queue_.gather(pieces);
    for (const Octets piece : std::span(pieces).first(count))
      all.insert(all.end(), piece.begin(), piece.end());
    queue_.sent(all.size());
    startup_.on_sent(all.size());
    return all;
  }
  void ask(const Wishes& wishes = kWishes) {
    ASSERT_TRUE(startup_.send_request(wishes, {}));
    request_ = take();
  }
  void hear(const Bytes& frame) {
    const Startup::Fed fed = startup_.feed(frame);
    ASSERT_EQ(fed.step, StartupStep::Whole);
    ASSERT_EQ(fed.taken, frame.size());
  }
  ReplyResult reply(const StartupFrame& frame) {
    ask();
    hear(frame_octets(frame));
    return startup_.result();
  }
  // Takes all chunks that the pool keeps. From here on output needs new memory.
  void hold_chunks() {
    for (int i = 0; i < 16; ++i) kept_.push_back(chunks_.take());
  }

  static constexpr Wishes kWishes{.reads_in = 16, .reads_out = 16};
  ChunkPool chunks_;
  OutputQueue queue_{chunks_};
  Startup startup_{queue_, true};
  Bytes request_;

 private:
  std::vector<std::unique_ptr<OutputChunk>> kept_;
};

// --- the frame of this side ----------------------------------------------------------------------

// Rules: iwarp.S1
TEST_F(StartupAlone, TheRequestIsOnItsWayUntilTcpHasAllOfIt) {
  ASSERT_TRUE(startup_.send_request(kWishes, {}));
  EXPECT_TRUE(startup_.is_initiator());
  EXPECT_EQ(startup_.size(), 24U);
  startup_.on_sent(23);
  EXPECT_TRUE(startup_.is_leaving());
  startup_.on_sent(1000); // the last octet of the request, and octets behind it
  EXPECT_FALSE(startup_.is_leaving());
  EXPECT_EQ(startup_.size(), 24U) << "that does not change";
  EXPECT_EQ(to_hex(take()), kRequest);
}

// Whether to ask for CRC is a setting of the side (the constructor's argument). The `crc` in the
// wishes of one request does not change it.
// Rules: iwarp.S9
TEST_F(StartupAlone, TheCrcIsTheSidesWish) {
  Startup without{queue_, false};
  ASSERT_TRUE(without.send_request({.crc = true, .reads_in = 16, .reads_out = 16}, {}));
  EXPECT_EQ(to_hex(take()).substr(32, 2), "10") << "S, and not C";
  ask({.crc = false, .reads_in = 16, .reads_out = 16});
  EXPECT_EQ(to_hex(request_).substr(32, 2), "50");
}

TEST_F(StartupAlone, WithoutMemoryNoneLeaves) {
  hold_chunks();
  const NoMemory scarce;
  EXPECT_FALSE(startup_.can_send());
  EXPECT_FALSE(startup_.send_request(kWishes, {}));
  EXPECT_FALSE(startup_.is_leaving());
  EXPECT_EQ(startup_.size(), 0U);
}

TEST_F(StartupAlone, ARequestKnowsWhetherOnlyOurKindCanAnswer) {
  EXPECT_FALSE(startup_.is_for_own_kind());
  ask({.for_own_kind = true});
  EXPECT_TRUE(startup_.is_for_own_kind());
}

// --- the peer's frame ----------------------------------------------------------------------------

// Rules: iwarp.S5
TEST_F(StartupAlone, AFrameMayComeOctetByOctet) {
  const Bytes data = pattern(kMostPrivateData - EnhancedData::kWireSize, 7, 1);
  StartupFrame frame = reply_of(data);
  frame.reply = false;
  const Bytes octets = frame_octets(frame);
  for (std::size_t i = 0; i + 1 < octets.size(); ++i) {
    const Startup::Fed fed = startup_.feed(Octets(octets).subspan(i, 1));
    ASSERT_EQ(fed.step, StartupStep::Incomplete);
    ASSERT_EQ(fed.taken, 1U);
  }
  EXPECT_FALSE(startup_.has_heard_nothing());
  EXPECT_EQ(startup_.feed(Octets(octets).last(1)).step, StartupStep::Whole);
  EXPECT_EQ(to_hex(startup_.private_data()), to_hex(data));
}

// Rules: iwarp.S22
TEST_F(StartupAlone, WhatIsBehindAFrameIsNotTaken) {
  ask();
  const Bytes frame = frame_octets(reply_of());
  EXPECT_EQ(startup_.feed(Octets(frame).first(10)).taken, 10U);
  Bytes rest(frame.begin() + 10, frame.end());
  rest.resize(rest.size() + 700);
  const Startup::Fed fed = startup_.feed(rest);
  EXPECT_EQ(fed.step, StartupStep::Whole);
  EXPECT_EQ(fed.taken, frame.size() - 10);
}

// Rules: iwarp.S28
TEST_F(StartupAlone, AnInitiatorExpectsAReplyAndAResponderARequest) {
  const Bytes reply = frame_octets(reply_of());
  const Startup::Fed fed = startup_.feed(Octets(reply).first(16));
  EXPECT_EQ(fed.step, StartupStep::Bad);
  EXPECT_EQ(fed.taken, 16U) << "and nothing is left to be looked at";
  ask();
  Startup initiator{queue_, true};
  ASSERT_TRUE(initiator.send_request(kWishes, {}));
  EXPECT_EQ(initiator.feed(request_).step, StartupStep::Bad);
}

TEST_F(StartupAlone, SilenceIsToldFromAnythingElse) {
  ask();
  EXPECT_TRUE(startup_.has_heard_nothing());
  startup_.feed(from_hex("4d"));
  EXPECT_FALSE(startup_.has_heard_nothing());
}

TEST_F(StartupAlone, WithoutMemoryForTheFrameNothingIsLeftOfIt) {
  const NoMemory scarce;
  const Startup::Fed fed = startup_.feed(std::array<std::byte, 20>{});
  EXPECT_EQ(fed.step, StartupStep::NoMemory);
  EXPECT_EQ(fed.taken, 20U);
}

// --- what follows from a reply -------------------------------------------------------------------

// Rules: iwarp.S16
TEST_F(StartupAlone, AReplyThatAgreesHasTerms) {
  const ReplyResult result = reply(reply_of());
  EXPECT_EQ(result.kind, ReplyKind::Agreed);
  EXPECT_EQ(result.terms.rtr, Rtr::Write);
  EXPECT_EQ(result.terms.reads_out, 16U);
  EXPECT_FALSE(startup_.was_rejected());
}

// Rules: iwarp.S18
TEST_F(StartupAlone, AReplyThatLeavesNoFormHasTermsAndAnError) {
  StartupFrame frame = reply_of();
  frame.enhanced->rtr_write = false;
  const ReplyResult result = reply(frame);
  EXPECT_EQ(result.kind, ReplyKind::Terminate);
  EXPECT_EQ(result.error, error::kNoMatchingRtr);
  EXPECT_TRUE(result.terms.peer_to_peer);
}

// Rules: iwarp.S20
TEST_F(StartupAlone, AReplyToAnotherRequestIsUnusable) {
  StartupFrame frame = reply_of();
  frame.enhanced.reset();
  EXPECT_EQ(reply(frame).kind, ReplyKind::Unusable);
}

// Rules: iwarp.S19
TEST_F(StartupAlone, ARejectOfTheConsumersKeepsItsPrivateData) {
  const Bytes data = pattern(20, 3, 1);
  EXPECT_EQ(reply(reply_of(data, true)).kind, ReplyKind::Rejected);
  EXPECT_TRUE(startup_.was_rejected());
  EXPECT_EQ(to_hex(startup_.private_data()), to_hex(data));
}

// Rules: iwarp.S29
TEST_F(StartupAlone, ARejectOfTheProvidersSaysWhy) {
  EXPECT_EQ(reply(reply_of(refusal_of(Refusal::NotHere), true)).kind, ReplyKind::NotHere);
  EXPECT_EQ(reply(reply_of(refusal_of(Refusal::NotAccepted), true)).kind, ReplyKind::Refused);
  EXPECT_EQ(reply(reply_of(refusal_of(Refusal{77}), true)).kind, ReplyKind::Refused)
      << "of a later version";
}

TEST_F(StartupAlone, WhatLooksLikeARefusalIsNoneInAReplyThatAgrees) {
  EXPECT_EQ(reply(reply_of(refusal_of(Refusal::NotHere))).kind, ReplyKind::Agreed);
}

// --- the answer to a request ---------------------------------------------------------------------

class RequestAlone : public StartupAlone {
 protected:
  RequestAlone() { hear(from_hex(kRequest)); }
};

// Rules: iwarp.S10
TEST_F(RequestAlone, BeforeTheConsumerHasDecidedItsTermsHaveNoReads) {
  EXPECT_TRUE(startup_.is_request_acceptable());
  const Terms terms = startup_.offered_terms();
  EXPECT_TRUE(terms.crc);
  EXPECT_EQ(terms.reads_in, 0U);
  EXPECT_EQ(terms.peer_ird, 16U);
}

// Rules: iwarp.S6, iwarp.S10
TEST_F(RequestAlone, TheReplySaysWhatWasAnswered) {
  const Terms terms = startup_.answered_terms({.crc = false, .reads_in = 16, .reads_out = 32});
  EXPECT_EQ(terms.reads_out, 16U);
  EXPECT_TRUE(terms.crc);
  ASSERT_TRUE(startup_.send_reply(terms, {}));
  EXPECT_TRUE(startup_.is_leaving());
  EXPECT_EQ(to_hex(take()), kReply);
  EXPECT_FALSE(startup_.is_leaving());
}

// Rules: iwarp.S9
TEST_F(StartupAlone, WithoutTheCrcOfEitherSideThereIsNone) {
  Startup without{queue_, false};
  Bytes request = from_hex(kRequest);
  request[16] &= ~std::byte{0x40};
  ASSERT_EQ(without.feed(request).step, StartupStep::Whole);
  EXPECT_FALSE(without.offered_terms().crc);
  EXPECT_FALSE(without.answered_terms({.crc = true}).crc);
}

// Rules: iwarp.S4
TEST_F(StartupAlone, ARequestOfAnotherRevisionIsNotAcceptable) {
  Bytes request = from_hex(kRequest);
  request[17] = std::byte{3};
  hear(request);
  EXPECT_FALSE(startup_.is_request_acceptable());
}

// Rules: iwarp.S12
TEST_F(RequestAlone, ARejectSaysSo) {
  startup_.send_reject(from_hex("abcd"));
  StartupFrame frame;
  frame.reply = true;
  std::size_t size = 0;
  const Bytes sent = take();
  ASSERT_EQ(decode(sent, frame, size), StartupProgress::Complete);
  EXPECT_TRUE(frame.rejected);
  EXPECT_TRUE(frame.crc);
  EXPECT_EQ(to_hex(frame.private_data), "abcd");
}

// Rules: iwarp.S9
TEST_F(StartupAlone, ARejectOfARequestWithoutCrcSaysOurWish) {
  Bytes request = from_hex(kRequest);
  request[16] &= ~std::byte{0x40};
  hear(request);
  startup_.send_reject({});
  EXPECT_EQ(to_hex(take()).substr(32, 2), "70") << "C, R and S";
}

TEST_F(RequestAlone, ARejectThatLacksMemoryIsKeptWithoutAny) {
  const Bytes data = pattern(kMostPrivateData - EnhancedData::kWireSize, 5, 1);
  hold_chunks();
  EXPECT_FALSE(startup_.has_kept_reject());
  {
    const NoMemory scarce;
    startup_.keep_reject(data);
  }
  EXPECT_TRUE(startup_.has_kept_reject());
  EXPECT_EQ(to_hex(startup_.private_data()), to_hex(data));
}

TEST_F(RequestAlone, WithoutMemoryThereIsNoReply) {
  hold_chunks();
  const NoMemory scarce;
  EXPECT_FALSE(startup_.send_reply(Terms{}, {}));
  EXPECT_FALSE(startup_.is_leaving());
}

// Rules: iwarp.S13
TEST_F(RequestAlone, ARequesterThatHasGoneIsRemembered) {
  EXPECT_FALSE(startup_.peer_is_gone());
  startup_.on_peer_gone();
  EXPECT_TRUE(startup_.peer_is_gone());
}

} // namespace
} // namespace datum::iwarp::test
