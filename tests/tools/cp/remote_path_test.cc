// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cp/remote_path.h"

#include <gtest/gtest.h>

#include "common/tool_error.h"

namespace datum::cp {
namespace {

TEST(RemotePath, HostAndPath) {
  EXPECT_EQ(parse_remote("node7:a/b"), (RemotePath{"node7", 17471, "a/b"}));
  EXPECT_EQ(parse_remote("node7:"), (RemotePath{"node7", 17471, ""}));
}

TEST(RemotePath, HostPortAndPath) {
  EXPECT_EQ(parse_remote("127.0.0.1:9000:x"), (RemotePath{"127.0.0.1", 9000, "x"}));
  EXPECT_EQ(parse_remote("h:9000:"), (RemotePath{"h", 9000, ""}));
  EXPECT_EQ(parse_remote("h:4294967296:x").port, 4294967296U);
}

TEST(RemotePath, Ipv6InBrackets) {
  EXPECT_EQ(parse_remote("[::1]:x"), (RemotePath{"::1", 17471, "x"}));
  EXPECT_EQ(parse_remote("[fe80::1]:7:x"), (RemotePath{"fe80::1", 7, "x"}));
}

TEST(RemotePath, AColonInThePathIsNotAPort) {
  EXPECT_EQ(parse_remote("h:a:b"), (RemotePath{"h", 17471, "a:b"}));
  EXPECT_EQ(parse_remote("h:7a:b"), (RemotePath{"h", 17471, "7a:b"}));
}

std::string why_not(const std::string& text) {
  try {
    parse_remote(text);
    return "";
  } catch (const tools::ToolError& error) {
    return error.what();
  }
}

// Users forget the second colon.
TEST(RemotePath, DigitsAloneMayBeAPortOrAFileAndAreNeither) {
  EXPECT_EQ(
      why_not("h:29278").find("\"h:29278\": 29278 may be a port, then a \":\" has to follow it, "
                              "or a file, then write ./29278 (write HOST:PATH or"),
      0U)
      << why_not("h:29278");
  EXPECT_EQ(parse_remote("h:./29278"), (RemotePath{"h", 17471, "./29278"}));
  EXPECT_EQ(parse_remote("h:1:29278"), (RemotePath{"h", 1, "29278"}));
}

TEST(RemotePath, BracketsAreForAddresses) {
  EXPECT_EQ(why_not("[localhost]:x")
                .find("\"[localhost]:x\": brackets are for an IPv6 address, a name has none ("),
            0U)
      << why_not("[localhost]:x");
}

TEST(RemotePath, WhatCannotBeMeantIsRefused) {
  for (const char* text :
       {"", "localfile", ":x", "[::1", "[::1]x", "[]:x", "h:0:x", "h:99999999999999999999:x"})
    EXPECT_THROW(parse_remote(text), tools::ToolError) << text;
}

} // namespace
} // namespace datum::cp
