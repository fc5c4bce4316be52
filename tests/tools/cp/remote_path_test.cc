// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cp/remote_path.h"

#include <gtest/gtest.h>

#include "common/human.h"
#include "common/json.h"
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
  EXPECT_EQ(parse_remote("h:7"), (RemotePath{"h", 17471, "7"}));
}

TEST(RemotePath, WhatCannotBeMeantIsRefused) {
  for (const char* text :
       {"", "localfile", ":x", "[::1", "[::1]x", "[]:x", "h:0:x", "h:99999999999999999999:x"})
    EXPECT_THROW(parse_remote(text), tools::ToolError) << text;
}

TEST(Human, SizesRatesAndTimes) {
  using namespace std::chrono_literals;
  EXPECT_EQ(tools::human_size(0), "0 B");
  EXPECT_EQ(tools::human_size(1023), "1023 B");
  EXPECT_EQ(tools::human_size(1536), "1.5 KiB");
  EXPECT_EQ(tools::human_size((1U << 20) - 1), "1.0 MiB");
  EXPECT_EQ(tools::human_size(UINT64_MAX), "16.0 EiB");
  EXPECT_EQ(tools::human_rate(1'500'000'000, 1s), "1.50 GB/s");
  EXPECT_EQ(tools::human_rate(2'000'000, 1s), "2.0 MB/s");
  EXPECT_EQ(tools::human_rate(1, 0s), "-");
  EXPECT_EQ(tools::human_duration(62ns), "62 ns");
  EXPECT_EQ(tools::human_duration(1400ns), "1.40 us");
  EXPECT_EQ(tools::human_duration(125s), "2:05");
}

TEST(Human, SizesAreParsedAsTyped) {
  std::uint64_t bytes = 0;
  EXPECT_TRUE(tools::parse_size("64k", bytes) && bytes == 65536);
  EXPECT_TRUE(tools::parse_size("1MiB", bytes) && bytes == 1048576);
  EXPECT_TRUE(tools::parse_size("7", bytes) && bytes == 7);
  EXPECT_TRUE(tools::parse_size("12B", bytes) && bytes == 12);
  for (const char* text : {"", "k", "1x", "1kk", "-1", "1.5M", "18446744073709551616", "16777216T"})
    EXPECT_FALSE(tools::parse_size(text, bytes)) << text;
}

TEST(Json, StringsAreEscaped) {
  EXPECT_EQ(tools::json_string("a\"b\\c\n"), R"("a\"b\\c\u000a")");
  EXPECT_EQ(tools::json_string("\xc3\xa4"), "\"\xc3\xa4\"");
  EXPECT_EQ(tools::json_string("\xff"), R"("\ufffd")");
  EXPECT_EQ(tools::json_string("\xed\xa0\x80"), R"("\ufffd\ufffd\ufffd")");
  EXPECT_EQ(tools::JsonObject().add("n", 7).add("s", "x").add("b", true).text(),
            R"({"n": 7, "s": "x", "b": true})");
}

} // namespace
} // namespace datum::cp
