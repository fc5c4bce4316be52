// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Reads and Atomics of the peer that were accepted before this side closes: which of them are
// answered before the end.
#include <gtest/gtest.h>

#include <algorithm>

#include "ending_sides.h"

namespace datum::iwarp::test::ending {
namespace {

// A responder that closes while Reads of its foreign peer wait for their answers.
struct Owing : Foreign {
  static constexpr Stag kSource = 0x55;
  explicit Owing(std::size_t size = 40, const SessionSettings& settings = {.extensions = true})
      : Foreign(settings), size_(size) {
    memory = events.add_region(kSource, size, kRemoteRead | kRemoteAtomic);
    const Bytes content = pattern(size, 3, 5);
    std::copy(content.begin(), content.end(), memory);
    base = reinterpret_cast<std::uint64_t>(memory);
  }
  // The peer reads the whole region. Its Read Requests have the MSNs 1, 2, ...
  void ask() {
    feed(fpdu(untagged(Rdmap::ReadRequest, 1, ++asked_),
              octets_of(ReadRequest{.sink_stag = 3,
                                    .sink_offset = 100,
                                    .size = static_cast<std::uint32_t>(size_),
                                    .source_stag = kSource,
                                    .source_offset = base})));
  }
  // Closes, and then overwrites the region, since the program has its memory back.
  void close(CloseMode mode = CloseMode::Disconnect) {
    session.close(mode, 0);
    std::fill(memory, memory + size_, std::byte{0});
  }
  // The answer to one ask(), if it fits into one FPDU.
  Bytes answer() const { return fpdu(tagged(Rdmap::ReadResponse, 3, 100), pattern(size_, 3, 5)); }

  std::byte* memory;
  std::uint64_t base;

 private:
  std::size_t size_;
  std::uint32_t asked_ = 0;
};

// The payload of a stream of Read Responses.
Bytes responses(const Bytes& stream) {
  Bytes payload;
  for (const Bytes& each : ulpdus(stream)) {
    EXPECT_EQ(to_hex(Octets(each).subspan(1, 1)), "42");
    payload.insert(payload.end(), each.begin() + 14, each.end());
  }
  return payload;
}

// Rules: iwarp.E21
TEST(IwarpEnding, ReadsThatWereAcceptedAreAnsweredBeforeTheEnd) {
  Owing side;
  side.ask();
  side.ask();
  side.close();
  EXPECT_FALSE(side.session.wants_shutdown());
  const Bytes one = side.answer();
  EXPECT_EQ(to_hex(side.take_output()), to_hex(one) + to_hex(one));
  EXPECT_TRUE(side.session.wants_shutdown());
  EXPECT_EQ(side.events.log(), Log{});
}

// Rules: iwarp.E21
TEST(IwarpEnding, AnAbortAnswersNothing) {
  Owing side;
  side.ask();
  side.close(CloseMode::Abort);
  const std::vector<Bytes> frames = ulpdus(side.take_output());
  ASSERT_EQ(frames.size(), 1U);
  EXPECT_EQ(to_hex(Octets(frames[0]).subspan(0, 2)), "4147");
}

// Rules: iwarp.E21
TEST(IwarpEnding, APeerOfOursHasItsAnswersBeforeTheClose) {
  constexpr std::size_t kSize = 100'000; // in several FPDUs
  for (const bool crc : {true, false}) {
    PairOptions options;
    options.active.crc = options.passive.crc = crc;
    Pair pair(options);
    pair.connect();
    std::byte* source = pair.passive.events.add_region(0x501, kSize, kRemoteRead);
    const Bytes content = pattern(kSize, 3, 5);
    std::copy(content.begin(), content.end(), source);
    Message into(kSize);
    const WorkRequest read = read_of(std::span(&into.local, 1), 0x501, source);
    ASSERT_EQ(pair.active.session.start(read), StartResult::Started);
    pair.passive.feed(pair.active.take_output());
    pair.passive.session.close(CloseMode::Disconnect, 0);
    std::fill(source, source + kSize, std::byte{0});
    pair.pump();
    EXPECT_EQ(pair.active.events.log(), (Log{"read done", "disconnected"}));
    EXPECT_TRUE(into.data == content);
  }
}

// Rules: iwarp.E21 iwarp.T7
TEST(IwarpEnding, AnswersToAPeerThatWantsMarkersAreWhole) {
  Side side;
  side.session.expect_request(0);
  side.feed_hex("4d504120494420526571204672616d65c0010000"); // markers and a CRC
  side.session.accept({}, {.reads_in = 4, .reads_out = 4}, side.events, 0);
  side.take_output();
  side.feed(fpdu(tagged(Rdmap::Write, 1, 0)));
  side.session.set_segment_size(1448);
  side.events.take_log();
  std::byte* source = side.events.add_region(0x55, 3000, kRemoteRead);
  const ReadRequest request{
      .size = 3000, .source_stag = 0x55, .source_offset = reinterpret_cast<std::uint64_t>(source)};
  side.feed(fpdu(untagged(Rdmap::ReadRequest, 1, 1), octets_of(request)));
  side.session.close(CloseMode::Disconnect, 0);
  EXPECT_GT(side.take_output().size(), 3000U + 3 * 20);
  EXPECT_TRUE(side.session.wants_shutdown());
}

// Rules: iwarp.E21
TEST(IwarpEnding, AnAnswerThatHasBegunIsFinishedWhereThereIsRoom) {
  Owing side(20'000);
  side.ask();
  Bytes sent = side.take_output(5000);
  ASSERT_EQ(sent.size(), 5000U);
  side.close();
  const Bytes rest = side.take_output();
  sent.insert(sent.end(), rest.begin(), rest.end());
  EXPECT_TRUE(responses(sent) == pattern(20'000, 3, 5));
}

// Rules: iwarp.E21
TEST(IwarpEnding, WhatThereIsNoRoomForIsNotAnsweredInPart) {
  Owing side(400'000);
  side.ask();
  side.close();
  EXPECT_FALSE(side.session.has_output());
  EXPECT_TRUE(side.session.wants_shutdown());
  EXPECT_FALSE(side.session.must_reset());
}

// The payload of the second answer alone would fit. With the headers and trailers of its FPDUs it
// does not.
// Rules: iwarp.E21
TEST(IwarpEnding, AnAnswerThatHasRoomButForItsHeadersIsNotBegun) {
  Owing fits(160'000);
  fits.ask();
  fits.close();
  EXPECT_TRUE(responses(fits.take_output()) == pattern(160'000, 3, 5));
  EXPECT_TRUE(fits.session.wants_shutdown());
  Owing side(162'000);
  side.ask();
  side.close();
  EXPECT_FALSE(side.session.has_output());
  EXPECT_TRUE(side.session.wants_shutdown());
  EXPECT_FALSE(side.session.must_reset());
}

// The answer needs as many FPDUs as the list has free. The FPDUs that end the connection in order
// have places of their own.
// Rules: iwarp.E21
TEST(IwarpEnding, AnswersLeaveRoomForTheLastWords) {
  constexpr std::size_t kPayload = 114; // octets in an FPDU
  constexpr std::size_t kMost = 1024 - 3;
  Owing side(kMost * kPayload);
  side.session.set_segment_size(100);
  side.ask();
  side.close();
  const Bytes output = side.take_output();
  EXPECT_EQ(ulpdus(output).size(), kMost);
  EXPECT_TRUE(responses(output) == pattern(kMost * kPayload, 3, 5));
  EXPECT_TRUE(side.session.wants_shutdown());
  EXPECT_FALSE(side.session.must_reset());
}

// Rules: iwarp.E21
TEST(IwarpEnding, AnAnswerOfMoreFpdusThanTheListHoldsIsNotBegun) {
  Owing side(150'000);
  side.session.set_segment_size(100);
  side.ask();
  side.close();
  EXPECT_FALSE(side.session.has_output());
  EXPECT_TRUE(side.session.wants_shutdown());
  EXPECT_FALSE(side.session.must_reset());
}

// The session builds no FPDU while `most_unsent` octets wait for TCP.
// Rules: iwarp.E21 iwarp.T22
TEST(IwarpEnding, AnAnswerOfMoreThanMayWaitForTcpIsNotBegun) {
  constexpr std::size_t kPayload = 1428; // octets in an FPDU
  SessionSettings settings{.extensions = true};
  settings.most_unsent = 4096;
  Owing fits(3 * kPayload, settings);
  fits.ask();
  fits.close();
  EXPECT_TRUE(responses(fits.take_output()) == pattern(3 * kPayload, 3, 5));
  Owing side(4 * kPayload, settings);
  side.ask();
  side.close();
  EXPECT_FALSE(side.session.has_output());
  EXPECT_TRUE(side.session.wants_shutdown());
}

// Rules: iwarp.E21
TEST(IwarpEnding, ReadsBehindAMessageWithoutARecvAreNotAnswered) {
  Owing side;
  side.feed(fpdu(untagged(Rdmap::Send, 0, 1), Bytes(4))); // takes the Recv
  side.feed(fpdu(untagged(Rdmap::Send, 0, 2), Bytes(4)));
  side.ask();
  side.close();
  EXPECT_FALSE(side.session.has_output());
}

// Rules: iwarp.E21
TEST(IwarpEnding, OfAReadThatMayNotBeAnsweredAnyMoreNobodyHears) {
  Owing side;
  side.ask();
  side.events.revoke(Owing::kSource);
  side.session.close(CloseMode::Disconnect, 0);
  EXPECT_FALSE(side.session.has_output());
  EXPECT_TRUE(side.session.wants_shutdown());
  EXPECT_FALSE(side.session.must_reset());
  EXPECT_EQ(side.events.log(), Log{});
}

// The answer would be dropped together with the Send in front of it.
// Rules: iwarp.E21
TEST(IwarpEnding, AnAtomicThatCannotBeAnsweredIsNotCarriedOut) {
  Target side;
  side.feed(fpdu(tagged(Rdmap::Write, 1, 0)));
  side.session.set_segment_size(1448);
  alignas(8) std::uint64_t counter = 7;
  side.events.add_region_at(0x66, reinterpret_cast<std::uint64_t>(&counter), 8, kRemoteAtomic);
  const auto ask = [&](std::uint32_t msn) {
    const AtomicRequest request{
        .stag = 0x66, .offset = reinterpret_cast<std::uint64_t>(&counter), .data = 1};
    side.feed(fpdu(untagged(Rdmap::AtomicRequest, 1, msn), octets_of(request)));
  };
  Message gathered(14 * kLargest); // sent from the program's memory, not from a copy
  ASSERT_EQ(side.session.start(gathered.work), StartResult::Started);
  ask(1);
  side.session.close(CloseMode::Disconnect, 0);
  EXPECT_EQ(counter, 7U);
  EXPECT_FALSE(side.session.has_output());
}

} // namespace
} // namespace datum::iwarp::test::ending
