// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What read_environment() makes of the variables of the environment.
#include "provider/environment.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace datum::test {
namespace {

TEST(Environment, EachTransportIsItsOwn) {
  for (const auto& [value, paths] : {std::pair{"auto", AllowedPaths::Every},
                                     {"shm", AllowedPaths::SameHost},
                                     {"tcp", AllowedPaths::OtherHosts},
                                     {"pigeon", AllowedPaths::Every}}) {
    setenv("DATUM_TRANSPORT", value, 1);
    EXPECT_EQ(read_environment().paths, paths) << value;
  }
  unsetenv("DATUM_TRANSPORT");
}

TEST(Environment, EachCrcIsItsOwn) {
  for (const auto& [value, crc] :
       {std::pair{"auto", CrcPolicy::Auto}, {"on", CrcPolicy::On}, {"off", CrcPolicy::Off}}) {
    setenv("DATUM_CRC", value, 1);
    EXPECT_EQ(read_environment().tcp.crc, crc) << value;
  }
  unsetenv("DATUM_CRC");
}

// Rules: ENV.13 ENV.14 ENV.15 ENV.16 ENV.17 ENV.18 ENV.19
TEST(Environment, LimitsOfTcpWithoutAnyVariable) {
  const TcpOptions tcp = read_environment().tcp;
  EXPECT_EQ(tcp.dead_peer_timeout, 30'000'000'000);
  EXPECT_EQ(tcp.max_half_open, 512U);
  EXPECT_EQ(tcp.request_timeout, 10'000'000'000);
  EXPECT_EQ(tcp.first_fpdu_timeout, 60'000'000'000);
  EXPECT_EQ(tcp.most_unexpected, 65'536U);
  EXPECT_EQ(tcp.read_size, 65'536U);
  // The limit depends on whether the peer is on this host: TcpOptions::unsent().
  EXPECT_EQ(tcp.most_unsent, std::nullopt);
  EXPECT_EQ(tcp.max_ending, 1024U);
  EXPECT_EQ(tcp.end_timeout, 5'000'000'000);
  EXPECT_EQ(tcp.close_timeout, 1'000'000'000);
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
  EXPECT_EQ(tcp.most_unexpected, 5001U);
  EXPECT_EQ(tcp.read_size, 5002U);
  EXPECT_EQ(tcp.most_unsent, 5003U);
  EXPECT_EQ(tcp.max_ending, 12U);
  EXPECT_EQ(tcp.end_timeout, 1'004'000'000);
  EXPECT_EQ(tcp.close_timeout, 13'000'000);
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

} // namespace
} // namespace datum::test
