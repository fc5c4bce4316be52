// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "ping/payload.h"

#include <gtest/gtest.h>

#include <vector>

#include "ping/statistics.h"

namespace datum::ping {
namespace {

TEST(PingPayload, WhatComesBackUnchangedTellsItsNumber) {
  std::vector<std::byte> bytes(1000);
  fill(bytes, 4711);
  EXPECT_EQ(check(bytes), 4711U);
}

TEST(PingPayload, AnyChangedByteBehindTheNumberIsNoticed) {
  std::vector<std::byte> bytes(300);
  fill(bytes, 1);
  for (std::size_t i = kLeast; i < bytes.size(); ++i) {
    bytes[i] ^= std::byte{0x10};
    EXPECT_FALSE(check(bytes).has_value()) << i;
    bytes[i] ^= std::byte{0x10};
  }
}

TEST(PingPayload, AChangedNumberDoesNotFitTheBytes) {
  std::vector<std::byte> bytes(300);
  fill(bytes, 1);
  bytes[0] = std::byte{2};
  EXPECT_FALSE(check(bytes).has_value());
}

TEST(PingPayload, TooShortIsNoPing) {
  EXPECT_FALSE(check(std::vector<std::byte>(7)).has_value());
}

TEST(PingStatistics, TimesAreSummedUpAsPingDoes) {
  Statistics statistics;
  for (const double ns : {1000.0, 2000.0, 3000.0}) {
    statistics.sent();
    statistics.received(ns);
  }
  EXPECT_EQ(text_of(statistics), "3 sent, 3 received, 0 lost (0 %)\n"
                                 "rtt min/avg/max/mdev = 1.00/2.00/3.00/0.82 us\n");
  EXPECT_TRUE(statistics.all_answered());
}

TEST(PingStatistics, WhatWasLostOrChangedIsNotAnswered) {
  Statistics statistics;
  for (int i = 0; i < 4; ++i) statistics.sent();
  statistics.received(500);
  statistics.corrupt();
  EXPECT_EQ(statistics.lost(), 2U);
  EXPECT_FALSE(statistics.all_answered());
  EXPECT_EQ(text_of(statistics), "4 sent, 1 received, 2 lost (50 %), 1 with wrong bytes\n"
                                 "rtt min/avg/max/mdev = 0.50/0.50/0.50/0.00 us\n");
}

TEST(PingStatistics, WhatWasStillAwaitedAtAnInterruptIsNotLost) {
  Statistics statistics;
  for (int i = 0; i < 2; ++i) statistics.sent();
  statistics.received(500);
  statistics.interrupted();
  EXPECT_TRUE(statistics.all_answered());
  EXPECT_EQ(text_of(statistics), "2 sent, 1 received, 0 lost (0 %), 1 still awaited\n"
                                 "rtt min/avg/max/mdev = 0.50/0.50/0.50/0.00 us\n");
  Statistics none;
  none.sent();
  none.interrupted();
  EXPECT_FALSE(none.all_answered());
}

// Written with six digits and an exponent, these numbers would have two types for most readers of
// JSON.
TEST(PingStatistics, MembersAreIntegers) {
  Statistics statistics;
  for (const double ns : {31900301.0, 152970.0}) {
    statistics.sent();
    statistics.received(ns);
  }
  tools::JsonObject object;
  add_to(object, statistics);
  EXPECT_EQ(
      object.text(),
      R"({"sent": 2, "received": 2, "lost": 0, "awaited": 0, "corrupt": 0, "min_ns": 152970, )"
      R"("avg_ns": 16026636, "max_ns": 31900301, "mdev_ns": 15873666})");
}

TEST(PingStatistics, NothingSentIsNotSuccess) {
  EXPECT_FALSE(Statistics().all_answered());
  EXPECT_EQ(text_of(Statistics()), "0 sent, 0 received, 0 lost (0 %)\n");
}

} // namespace
} // namespace datum::ping
