// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cp/token.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <string>
#include <thread>

#include "common/tool_error.h"
#include "tests/filter.h"

namespace datum::cp {
namespace {

TEST(Token, TextIsParsedBack) {
  const auto token = parse_token("00112233445566778899aabbccddeeff");
  ASSERT_TRUE(token);
  EXPECT_EQ(std::to_integer<int>((*token)[15]), 0xff);
  EXPECT_EQ(token_text(*token), "00112233445566778899aabbccddeeff");
  EXPECT_EQ(parse_token("00112233445566778899AABBCCDDEEFF"), token);
}

TEST(Token, AnythingElseIsNotAToken) {
  EXPECT_FALSE(parse_token(""));
  EXPECT_FALSE(parse_token("00112233445566778899aabbccddeef"));
  EXPECT_FALSE(parse_token("00112233445566778899aabbccddeeff0"));
  EXPECT_FALSE(parse_token("00112233445566778899aabbccddeefg"));
}

TEST(Token, EveryOneIsNew) {
  EXPECT_FALSE(same_token(make_token(), make_token()));
}

TEST(Token, AFilterThatRefusesRandomNumbersIsNamed) {
  std::string said;
  bool filtered = false;
  std::thread([&] { // the filter ends with this thread
    filtered = datum::test::forbid_call(SYS_getrandom, EPERM);
    if (!filtered) return;
    try {
      make_token();
    } catch (const tools::ToolError& error) {
      said = error.what();
    }
  })
      .join();
  if (!filtered) GTEST_SKIP() << "no filter of system calls here";
  EXPECT_EQ(said, "no random numbers for a token: Operation not permitted (a filter of system "
                  "calls refuses getrandom)");
}

TEST(Token, ComparisonSeesEveryByte) {
  const Token token = make_token();
  EXPECT_TRUE(same_token(token, Token(token)));
  for (std::size_t i = 0; i < token.size(); ++i) {
    Token other = token;
    other[i] ^= std::byte{0x80};
    EXPECT_FALSE(same_token(token, other)) << i;
  }
}

} // namespace
} // namespace datum::cp
