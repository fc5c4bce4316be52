// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Responder: how many Reads and Atomics of the peer it takes, when it answers them, and with what.
#include "transport/iwarp/responder.h"

#include <cstring>

#include "bare_stream.h"
#include "no_memory.h"

namespace datum::iwarp::test {
namespace {

class ResponderAlone : public ::testing::Test, protected BareStream {
 protected:
  static constexpr Stag kStag = 9;
  ResponderAlone() {
    responder_.begin(1);
    memory_ = events.add_region(kStag, kRegion, kRemoteRead | kRemoteAtomic);
  }
  ReadRequest read(std::uint32_t size) const {
    return {.sink_stag = 4,
            .sink_offset = 1000,
            .size = size,
            .source_stag = kStag,
            .source_offset = reinterpret_cast<std::uint64_t>(memory_)};
  }
  AtomicRequest add(std::uint64_t number) const {
    return {.identifier = 17,
            .stag = kStag,
            .offset = reinterpret_cast<std::uint64_t>(memory_),
            .data = number};
  }
  template <class Asked>
  void ask(const Asked& asked, std::uint32_t msn, std::uint32_t after = 1) {
    ASSERT_TRUE(responder_.can_serve());
    responder_.serve(asked, msn, after);
  }
  std::vector<SentFpdu> answer() {
    while (responder_.ready() && responder_.build()) {
    }
    return take();
  }

  static constexpr std::size_t kRegion = 512 * 1024;
  std::byte* memory_ = nullptr;
  Responder responder_{stream, queue, *this, turn};
};

TEST_F(ResponderAlone, AReadIsAnsweredInPiecesOfOneMessage) {
  ask(read(1500), 1);
  EXPECT_TRUE(responder_.build());
  EXPECT_TRUE(turn.is_response());
  const std::vector<SentFpdu> sent = answer();
  constexpr std::size_t kMost = kUlpdu - TaggedHeader::kWireSize;
  ASSERT_EQ(sent.size(), 2U);
  EXPECT_EQ(sent[0].opcode, Rdmap::ReadResponse);
  EXPECT_EQ(sent[0].stag, 4U);
  EXPECT_EQ(sent[0].offset, 1000U);
  EXPECT_FALSE(sent[0].last);
  EXPECT_EQ(sent[1].offset, 1000 + 1500 - kMost);
  EXPECT_EQ(sent[1].payload.size(), kMost);
  EXPECT_TRUE(sent[1].last);
  EXPECT_TRUE(turn.is_free());
  EXPECT_EQ(completed, 0U) << "it is no request of ours";
}

TEST_F(ResponderAlone, AReadOfNothingIsAnsweredWhateverItNames) {
  ReadRequest nothing = read(0);
  nothing.source_stag = 12345;
  ask(nothing, 1);
  const std::vector<SentFpdu> sent = answer();
  ASSERT_EQ(sent.size(), 1U);
  EXPECT_TRUE(sent[0].last);
}

// Rules: iwarp.T12
TEST_F(ResponderAlone, NotBeforeTheMessagesInFrontAreDelivered) {
  ask(read(8), 1, 3);
  EXPECT_FALSE(responder_.ready());
  responder_.on_delivered(2);
  EXPECT_FALSE(responder_.ready());
  responder_.on_delivered(3);
  EXPECT_TRUE(responder_.ready());
}

TEST_F(ResponderAlone, NoMoreAtATimeThanWereAgreedOn) {
  ask(read(8), 1);
  ask(read(8), 2);
  EXPECT_FALSE(responder_.can_serve());
  answer();
  EXPECT_TRUE(responder_.can_serve());
}

TEST_F(ResponderAlone, TheRtrReadHasAPlaceInAnyCase) {
  stream.terms.reads_in = 0;
  EXPECT_FALSE(responder_.can_serve());
  responder_.expect_rtr_read();
  EXPECT_TRUE(responder_.can_serve());
}

// Rules: iwarp.E13
TEST_F(ResponderAlone, MemoryThatWentMeanwhileIsNamedWithWhatIsLeft) {
  ask(read(1500), 6);
  ASSERT_TRUE(responder_.build());
  events.revoke(kStag);
  EXPECT_FALSE(responder_.build());
  ASSERT_TRUE(sent_terminate);
  EXPECT_EQ(sent_terminate->error, error::kProtectionStag);
  ASSERT_TRUE(sent_terminate->has_request);
  constexpr std::size_t kMost = kUlpdu - TaggedHeader::kWireSize;
  EXPECT_EQ(sent_terminate->request.size, kMost);
  EXPECT_EQ(sent_terminate->request.sink_offset, 1000 + 1500 - kMost);
}

// Rules: iwarp.T4
TEST_F(ResponderAlone, AnAtomicIsCarriedOutAndAnsweredOnce) {
  const std::uint64_t before = 40;
  std::memcpy(memory_, &before, sizeof before);
  ask(add(2), 1);
  ask(add(2), 2);
  const std::vector<SentFpdu> sent = answer();
  ASSERT_EQ(sent.size(), 2U);
  EXPECT_EQ(sent[0].msn, 1U);
  EXPECT_EQ(sent[1].msn, 2U);
  AtomicResponse second;
  WireReader in(sent[1].payload);
  ASSERT_TRUE(decode(in, second));
  EXPECT_EQ(second.identifier, 17U);
  EXPECT_EQ(second.original, 42U);
  std::uint64_t after = 0;
  std::memcpy(&after, memory_, sizeof after);
  EXPECT_EQ(after, 44U);
}

TEST_F(ResponderAlone, AnAtomicWhoseMemoryWentIsNotCarriedOut) {
  ask(add(2), 5);
  events.revoke(kStag);
  EXPECT_FALSE(responder_.build());
  ASSERT_TRUE(sent_terminate);
  EXPECT_EQ(sent_terminate->error, error::kProtectionStag);
}

TEST_F(ResponderAlone, LackOfMemoryIsTriedAgain) {
  ask(read(8), 1);
  hold_chunks();
  {
    const NoMemory scarce;
    EXPECT_FALSE(responder_.build());
  }
  EXPECT_TRUE(turn.lacks_room());
  EXPECT_EQ(answer().size(), 1U);
}

// Rules: iwarp.E21
TEST_F(ResponderAlone, BeforeTheEndAnswersAreCopied) {
  ask(read(60000), 1);
  stream.most_ulpdu = kMostSentUlpdu;
  responder_.answer_for_the_last_time();
  EXPECT_TRUE(responder_.answers_for_the_last_time());
  EXPECT_TRUE(queue.all_sources([](const PayloadSource&) { return false; }))
      << "nobody's memory is named";
  std::memset(memory_, 0x55, 60000);
  for (const SentFpdu& each : take())
    for (const std::byte octet : each.payload) ASSERT_EQ(octet, std::byte{0});
}

// Rules: iwarp.E21
TEST_F(ResponderAlone, BeforeTheEndNoneIsAnsweredInPart) {
  ask(read(8), 1);
  ask(read(400 * 1024), 2);
  responder_.answer_for_the_last_time();
  const std::vector<SentFpdu> sent = take();
  ASSERT_EQ(sent.size(), 1U);
  EXPECT_EQ(sent[0].payload.size(), 8U);
}

} // namespace
} // namespace datum::iwarp::test
