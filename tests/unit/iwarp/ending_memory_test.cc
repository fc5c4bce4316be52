// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Memory that goes while octets from it leave, or while octets to it arrive: the connection ends,
// and the memory is touched no more.
#include <gtest/gtest.h>

#include <algorithm>

#include "ending_sides.h"

namespace datum::iwarp::test::ending {
namespace {

// Rules: iwarp.E7
TEST(IwarpEnding, MemoryThatHasGoneIsNotReadForTheRest) {
  Foreign side;
  Message message(20000); // more than is copied at once
  ASSERT_EQ(side.session.start(message.work), StartResult::Started);
  side.take_output(500);
  side.events.local_memory_valid = false;
  side.session.close(CloseMode::Disconnect, 0);
  EXPECT_FALSE(side.session.has_output());
  EXPECT_TRUE(side.session.finished());
  EXPECT_TRUE(side.session.must_reset());
}

// Rules: iwarp.E13
TEST(IwarpEnding, RegionThatGoesWhileItIsRead) {
  Foreign side;
  constexpr std::uint32_t kSize = 280 * (1442 - 14); // full FPDUs only: a short one would go first
  std::byte* memory = side.events.add_region(0x55, kSize, kRemoteRead);
  side.feed(fpdu(untagged(Rdmap::ReadRequest, 1, 1),
                 octets_of(ReadRequest{.sink_stag = 3,
                                       .sink_offset = 100,
                                       .size = kSize,
                                       .source_stag = 0x55,
                                       .source_offset = reinterpret_cast<std::uint64_t>(memory)})));
  std::array<Octets, 4> pieces;
  const std::size_t count = side.session.output(pieces, 0);
  std::size_t first = 0;
  for (std::size_t i = 0; i < count; ++i) first += pieces[i].size();
  side.session.sent(first, 0);
  EXPECT_LT(first, kSize);
  side.events.revoke(0x55);
  EXPECT_EQ(side.terminate_code(), "0/1/00");
  const Terminate& terminate = side.terminate();
  ASSERT_TRUE(terminate.has_request);
  // The Terminate names the part of the Read that is not answered. The session has sent everything
  // before that part.
  const std::size_t done = kSize - terminate.request.size;
  EXPECT_EQ(terminate.request.sink_offset, 100 + done);
  EXPECT_EQ(terminate.request.source_offset, reinterpret_cast<std::uint64_t>(memory) + done);
  EXPECT_EQ(done % (1442 - 14), 0U) << "whole FPDUs";
  EXPECT_GE(done * 1450 / 1428, first);
  EXPECT_EQ(side.events.log(), Log{"broken"});
}

// Rules: iwarp.E13
TEST(IwarpEnding, RegionThatGoesWhileTcpHasAPartOfIt) {
  SessionSettings settings;
  settings.crc = false;
  Side side(settings);
  side.session.expect_request(0);
  side.feed_hex("4d504120494420526571204672616d6500010000");
  side.session.accept({}, {.reads_in = 4, .reads_out = 4}, side.events, 0);
  side.take_output();
  side.events.take_log();
  side.session.set_segment_size(65483);
  std::byte* memory = side.events.add_region(0x55, 40000, kRemoteRead);
  side.feed(fpdu(untagged(Rdmap::ReadRequest, 1, 1),
                 octets_of(ReadRequest{.size = 40000,
                                       .source_stag = 0x55,
                                       .source_offset = reinterpret_cast<std::uint64_t>(memory)}),
                 false));
  EXPECT_EQ(side.take_output(1000).size(), 1000U);
  side.events.revoke(0x55);
  EXPECT_EQ(side.take_output().size(), 0U) << "not an octet of it is read any more";
  EXPECT_EQ(side.events.log(), Log{"broken"});
  EXPECT_TRUE(side.session.must_reset());
}

// Rules: iwarp.E16
TEST(IwarpEnding, RegionThatGoesWhileItIsWritten) {
  const Bytes data(200, std::byte{0x77});
  for (const std::size_t at : {std::size_t{20}, std::size_t{100}, std::size_t{216}}) {
    Foreign side;
    std::byte* memory = side.events.add_region(0x55, 200, kRemoteWrite);
    const Bytes octets =
        fpdu(tagged(Rdmap::Write, 0x55, reinterpret_cast<std::uint64_t>(memory)), data);
    side.feed(Octets(octets).first(at));
    side.events.revoke(0x55);
    const Bytes before(memory, memory + 200);
    side.feed(Octets(octets).subspan(at));
    EXPECT_TRUE(std::equal(before.begin(), before.end(), memory)) << at;
    EXPECT_EQ(side.terminate_code(), "1/1/00");
    EXPECT_EQ(side.events.log(), Log{"broken"});
  }
}

// Rules: iwarp.E14
TEST(IwarpEnding, OwnMemoryThatGoesBeforeItIsSent) {
  Foreign side;
  Message first(400000);
  ASSERT_EQ(side.session.start(first.work), StartResult::Started);
  // The queue holds a part of the message. The session builds the next part when that part has
  // left.
  side.events.take_log();
  std::array<Octets, 1024> pieces;
  std::size_t size = 0;
  const std::size_t count = side.session.output(pieces, 0);
  for (std::size_t i = 0; i < count; ++i) size += pieces[i].size();
  side.session.sent(size, 0);
  side.events.local_memory_valid = false;
  side.take_output();
  EXPECT_EQ(side.events.log(), (Log{"request failed: status 4 behind 0", "broken"}));
}

// Rules: iwarp.E14
TEST(IwarpEnding, OwnMemoryThatGoesWhileTcpHasAPartOfIt) {
  Foreign side;
  Message sent(8);
  Message first(400000);
  ASSERT_EQ(side.session.start_now(sent.work), StartResult::Started);
  ASSERT_EQ(side.session.start(first.work), StartResult::Started);
  side.events.take_log();
  side.take_output(20); // less than the Send in front of it
  side.events.local_memory_valid = false;
  side.take_output();
  EXPECT_EQ(side.events.log(), (Log{"request failed: status 4 behind 1", "broken"}));
}

// Rules: iwarp.E15
TEST(IwarpEnding, OwnMemoryThatGoesWhileAReadIsAnswered) {
  Foreign side;
  Message message(100);
  const WorkRequest read = read_of(std::span(&message.local, 1), 9, nullptr);
  ASSERT_EQ(side.session.start(read), StartResult::Started);
  const std::vector<Bytes> frames = ulpdus(side.take_output());
  ASSERT_EQ(frames.size(), 1U);
  ReadRequest request;
  const Octets ulpdu = frames[0];
  WireReader in(ulpdu.subspan(18));
  ASSERT_TRUE(decode(in, request));
  const Bytes response =
      fpdu(tagged(Rdmap::ReadResponse, request.sink_stag, request.sink_offset), Bytes(100));
  side.feed(Octets(response).first(50));
  side.events.local_memory_valid = false;
  const Bytes before = message.data;
  side.feed(Octets(response).subspan(50));
  EXPECT_EQ(side.events.log(), (Log{"read failed: status 4 behind 0", "broken"}));
  EXPECT_EQ(to_hex(Octets(message.data).subspan(34)), to_hex(Octets(before).subspan(34)));
}

} // namespace
} // namespace datum::iwarp::test::ending
