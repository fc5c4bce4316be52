// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// MSNs and counts of acknowledgements that wrap around at 32 bits.
#include <gtest/gtest.h>

#include "pair.h"

namespace datum::iwarp::test {
namespace {

SessionSettings near_the_end(bool hello = true) {
  SessionSettings settings;
  settings.extensions = true;
  settings.hello = hello;
  settings.first_msn = 0xfffffffe;
  return settings;
}

PairOptions options() {
  PairOptions chosen;
  chosen.active = chosen.passive = near_the_end();
  return chosen;
}

struct WrappingPair : Pair {
  WrappingPair() : Pair(options()) { connect(); }
  Bytes data = pattern(4, 1, 1);
  LocalTriplet local = triplet(data.data(), data.size());
};

// Rules: iwarp.T17
TEST(IwarpWrap, SendsAndTheirAcknowledgements) {
  WrappingPair pair;
  const WorkRequest work = send_of(std::span(&pair.local, 1));
  std::string numbers;
  for (int i = 0; i < 5; ++i) {
    pair.passive.events.post_receive(4);
    ASSERT_EQ(pair.active.session.start(work), StartResult::Started);
    const Bytes stream = pair.active.take_output();
    for (const Bytes& frame : ulpdus(stream)) numbers += to_hex(Octets(frame).subspan(10, 4)) + " ";
    pair.passive.feed(stream);
    pair.pump();
    EXPECT_EQ(pair.active.events.take_log(), Log{"placed 1"}) << i;
    EXPECT_EQ(pair.passive.events.take_log(), Log{"received 4"}) << i;
  }
  EXPECT_EQ(numbers, "fffffffe ffffffff 00000000 00000001 00000002 ");
}

// Rules: iwarp.T17
TEST(IwarpWrap, OneAcknowledgementForMessagesOnBothSidesOfTheEnd) {
  WrappingPair pair;
  const WorkRequest work = send_of(std::span(&pair.local, 1));
  for (int i = 0; i < 4; ++i) {
    pair.passive.events.post_receive(4);
    ASSERT_EQ(pair.active.session.start(work), StartResult::Started);
  }
  pair.pump();
  EXPECT_EQ(pair.active.events.take_log(), Log{"placed 4"});
}

// Rules: iwarp.T17
TEST(IwarpWrap, ReadsBehindSends) {
  WrappingPair pair;
  std::byte* source = pair.passive.events.add_region(0x501, 64, kRemoteRead);
  for (int i = 0; i < 5; ++i) {
    source[0] = static_cast<std::byte>(i + 1);
    const WorkRequest read = read_of(std::span(&pair.local, 1), 0x501, source);
    const WorkRequest send = send_of(std::span(&pair.local, 1));
    pair.passive.events.post_receive(4);
    ASSERT_EQ(pair.active.session.start(send), StartResult::Started);
    ASSERT_EQ(pair.active.session.start(read), StartResult::Started);
    pair.pump();
    EXPECT_EQ(pair.active.events.take_log(), (Log{"placed 1", "read done"})) << i;
    EXPECT_EQ(pair.data[0], static_cast<std::byte>(i + 1));
  }
}

// Rules: iwarp.T17
TEST(IwarpWrap, ReadWaitsForAMessageOnTheOtherSideOfTheEnd) {
  WrappingPair pair;
  std::byte* source = pair.passive.events.add_region(0x501, 64, kRemoteRead);
  const WorkRequest read = read_of(std::span(&pair.local, 1), 0x501, source);
  const WorkRequest send = send_of(std::span(&pair.local, 1));
  for (int i = 0; i < 2; ++i) ASSERT_EQ(pair.active.session.start(send), StartResult::Started);
  ASSERT_EQ(pair.active.session.start(read), StartResult::Started);
  pair.pump();
  EXPECT_EQ(pair.active.events.take_log(), Log{});
  for (int i = 0; i < 2; ++i) {
    pair.passive.events.post_receive(4);
    pair.passive.session.on_receive_posted(0);
    pair.pump();
  }
  EXPECT_EQ(pair.active.events.take_log(), (Log{"placed 1", "placed 1", "read done"}));
}

// Rules: iwarp.T17, iwarp.C8
TEST(IwarpWrap, RepeatedMsnIsRefusedOnTheOtherSide) {
  for (const std::uint32_t msn : {0xffffffffU, 1U}) {
    Target side(near_the_end());
    for (const std::uint32_t good : {0xfffffffeU, 0xffffffffU}) {
      side.feed(fpdu(untagged(Rdmap::Send, 0, good)));
      side.events.post_receive(64);
    }
    EXPECT_EQ(side.events.take_log(), (Log{"received 0", "received 0"}));
    side.take_output();
    side.feed(fpdu(untagged(Rdmap::Send, 0, msn)));
    EXPECT_EQ(side.terminate_code(), "1/2/03");
  }
}

// Rules: iwarp.T17, iwarp.E10
TEST(IwarpWrap, TerminateNamesARequestBehindTheEnd) {
  WrappingPair pair;
  const WorkRequest work = send_of(std::span(&pair.local, 1));
  for (int i = 0; i < 3; ++i) ASSERT_EQ(pair.active.session.start(work), StartResult::Started);
  pair.active.take_output();
  // The peer has no Recv for MSN 0, the third Send.
  pair.active.feed(
      fpdu(untagged(Rdmap::Terminate, 2, 1), from_hex("1202c00000164143000000000000000000000000"
                                                      "00000000")));
  EXPECT_EQ(pair.active.events.take_log(), (Log{"request failed: status 9 behind 2", "broken"}));
}

} // namespace
} // namespace datum::iwarp::test
