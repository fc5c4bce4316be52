// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The syntax of the variables that an IA obeys.
#include "provider/environment.h"

#include <gtest/gtest.h>

namespace datum::test {
namespace {

TEST(Environment, PathsHaveThreeNames) {
  EXPECT_EQ(parse_paths("auto"), AllowedPaths::Every);
  EXPECT_EQ(parse_paths("shm"), AllowedPaths::SameHost);
  EXPECT_EQ(parse_paths("tcp"), AllowedPaths::OtherHosts);
  for (const char* bad : {"", "SHM", "shm ", "verbs", "shm,tcp"})
    EXPECT_EQ(parse_paths(bad), std::nullopt) << bad;
}

TEST(Environment, PortsAreTwoNumbersInOrderWithoutPrivilege) {
  const auto usual = parse_ports("20000-29999");
  ASSERT_TRUE(usual.has_value());
  EXPECT_EQ(usual->low, 20000);
  EXPECT_EQ(usual->high, 29999);
  EXPECT_TRUE(parse_ports("1024-65535").has_value());
  EXPECT_TRUE(parse_ports("5000-5000").has_value());
  for (const char* bad : {"", "-", "20000", "20000-", "-20000", "30000-20000", "1023-2000",
                          "2000-65536", "20000-29999x", " 20000-29999", "20000--29999", "a-b"})
    EXPECT_FALSE(parse_ports(bad).has_value()) << bad;
}

TEST(Environment, MillisecondsAreDigits) {
  EXPECT_EQ(parse_milliseconds("250"), 250'000'000);
  EXPECT_EQ(parse_milliseconds("0"), 0);
  for (const char* bad : {"", "-1", "1s", "4294967296"})
    EXPECT_EQ(parse_milliseconds(bad), std::nullopt) << bad;
}

TEST(Environment, NumbersOfConnectionsAreOneOrMore) {
  EXPECT_EQ(parse_connections("1"), 1U);
  EXPECT_EQ(parse_connections("65536"), 65536U);
  for (const char* bad : {"", "0", "65537", "-1", "1e2", "16 ", "99999999999999999999"})
    EXPECT_EQ(parse_connections(bad), std::nullopt) << bad;
}

TEST(Environment, APeerTimeoutIsASecondToADay) {
  EXPECT_EQ(parse_peer_timeout("1000"), 1'000'000'000);
  EXPECT_EQ(parse_peer_timeout("86400000"), 86'400'000'000'000);
  for (const char* bad : {"", "0", "999", "86400001", "4294967296", "-1000", "30s"})
    EXPECT_EQ(parse_peer_timeout(bad), std::nullopt) << bad;
}

} // namespace
} // namespace datum::test
