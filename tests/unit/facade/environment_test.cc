// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The syntax of the variables that an IA obeys.
#include "provider/environment.h"

#include <gtest/gtest.h>

#include <cstdlib>

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

TEST(Environment, OctetsAreFourKibToSixteenMib) {
  EXPECT_EQ(parse_octets("4096"), 4096U);
  EXPECT_EQ(parse_octets("16777216"), 16'777'216U);
  for (const char* bad : {"", "0", "4095", "16777217", "4294971392", "-4096", "64k"})
    EXPECT_EQ(parse_octets(bad), std::nullopt) << bad;
}

TEST(Environment, AReadIsFourKibToAConnectionsTurn) {
  EXPECT_EQ(parse_read_size("4096"), 4096U);
  EXPECT_EQ(parse_read_size("262144"), 262'144U);
  for (const char* bad : {"", "0", "4095", "262145", "4294971392", "-4096", "64k"})
    EXPECT_EQ(parse_read_size(bad), std::nullopt) << bad;
}

TEST(Environment, AShortWaitIsAMinuteAtMost) {
  EXPECT_EQ(parse_short_wait("0"), 0);
  EXPECT_EQ(parse_short_wait("60000"), 60'000'000'000);
  for (const char* bad : {"", "60001", "-1", "1s"})
    EXPECT_EQ(parse_short_wait(bad), std::nullopt) << bad;
}

// Rules: ENV.13 ENV.14 ENV.15 ENV.16 ENV.17 ENV.18 ENV.19
TEST(Environment, LimitsOfTcpWithoutAnyVariable) {
  const TcpOptions tcp = read_environment().tcp;
  EXPECT_EQ(tcp.dead_peer_timeout, 30'000'000'000);
  EXPECT_EQ(tcp.max_half_open, 512U);
  EXPECT_EQ(tcp.request_timeout, 10'000'000'000);
  EXPECT_EQ(tcp.first_fpdu_timeout, 60'000'000'000);
  EXPECT_EQ(tcp.most_staged, 65'536U);
  EXPECT_EQ(tcp.read_size, 65'536U);
  EXPECT_EQ(tcp.most_unsent, std::nullopt); // it depends: TcpOptions::unsent()
  EXPECT_EQ(tcp.max_ending, 1024U);
  EXPECT_EQ(tcp.end_timeout, 5'000'000'000);
  EXPECT_EQ(tcp.farewell, 1'000'000'000);
}

// Rules: ENV.9 ENV.10 ENV.11 ENV.13 ENV.14 ENV.15 ENV.16 ENV.17 ENV.18 ENV.19
TEST(Environment, EachLimitOfTcpHasAVariableOfItsOwn) {
  constexpr const char* kSet[][2] = {
      {"DATUM_PEER_TIMEOUT", "1001"},    {"DATUM_HALF_OPEN", "11"},
      {"DATUM_REQUEST_TIMEOUT", "1002"}, {"DATUM_FIRST_FRAME_TIMEOUT", "1003"},
      {"DATUM_UNRECEIVED", "5001"},      {"DATUM_READ_SIZE", "5002"},
      {"DATUM_UNSENT", "5003"},          {"DATUM_ENDING", "12"},
      {"DATUM_END_TIMEOUT", "1004"},     {"DATUM_CLOSE_TIMEOUT", "13"}};
  for (const auto& [name, value] : kSet) setenv(name, value, 1);
  const TcpOptions tcp = read_environment().tcp;
  for (const auto& [name, value] : kSet) unsetenv(name);
  EXPECT_EQ(tcp.dead_peer_timeout, 1'001'000'000);
  EXPECT_EQ(tcp.max_half_open, 11U);
  EXPECT_EQ(tcp.request_timeout, 1'002'000'000);
  EXPECT_EQ(tcp.first_fpdu_timeout, 1'003'000'000);
  EXPECT_EQ(tcp.most_staged, 5001U);
  EXPECT_EQ(tcp.read_size, 5002U);
  EXPECT_EQ(tcp.most_unsent, 5003U);
  EXPECT_EQ(tcp.max_ending, 12U);
  EXPECT_EQ(tcp.end_timeout, 1'004'000'000);
  EXPECT_EQ(tcp.farewell, 13'000'000);
}

// Rules: ENV.22
TEST(Environment, AHelloIsSaidUnlessItIsOff) {
  EXPECT_TRUE(read_environment().tcp.hello);
  for (const auto& [value, said] : {std::pair{"off", false}, {"on", true}}) {
    setenv("DATUM_HELLO", value, 1);
    EXPECT_EQ(read_environment().tcp.hello, said);
  }
  unsetenv("DATUM_HELLO");
}

// Rules: ENV.23
TEST(Environment, TheDefaultIsLenient) {
  EXPECT_FALSE(read_environment().strict);
  for (const auto& [value, strict] : {std::pair{"on", true}, {"off", false}, {"ON", false}}) {
    setenv("DATUM_STRICT", value, 1);
    EXPECT_EQ(read_environment().strict, strict) << value;
  }
  unsetenv("DATUM_STRICT");
}

// Rules: ENV.25
TEST(Environment, AMessageWaitsForItsRecvAsLongAsIsSet) {
  unsetenv("DATUM_RNR_TIMEOUT");
  EXPECT_EQ(read_environment().receive_timeout, std::nullopt);
  for (const auto& [value, wait] : {std::pair{"0", Duration{0}},
                                    {"1000", Duration{1'000'000'000}},
                                    {"4233600000", Duration{4'233'600'000'000'000}}}) {
    setenv("DATUM_RNR_TIMEOUT", value, 1);
    EXPECT_EQ(read_environment().receive_timeout, wait) << value;
  }
  for (const char* bad : {"", "-1", "4233600001", "4294967296", "1s"}) {
    setenv("DATUM_RNR_TIMEOUT", bad, 1);
    EXPECT_EQ(read_environment().receive_timeout, std::nullopt) << bad;
  }
  unsetenv("DATUM_RNR_TIMEOUT");
}

TEST(Environment, APeerTimeoutIsASecondToADay) {
  EXPECT_EQ(parse_peer_timeout("1000"), 1'000'000'000);
  EXPECT_EQ(parse_peer_timeout("86400000"), 86'400'000'000'000);
  for (const char* bad : {"", "0", "999", "86400001", "4294967296", "-1000", "30s"})
    EXPECT_EQ(parse_peer_timeout(bad), std::nullopt) << bad;
}

} // namespace
} // namespace datum::test
