// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include <gtest/gtest.h>

#include "common/dat_error.h"
#include "common/human.h"
#include "common/json.h"
#include "common/options.h"
#include "common/std_streams.h"
#include "common/text_line.h"

namespace datum::tools {
namespace {

TEST(Human, SizesRatesAndTimes) {
  using namespace std::chrono_literals;
  EXPECT_EQ(human_size(0), "0 B");
  EXPECT_EQ(human_size(1023), "1023 B");
  EXPECT_EQ(human_size(1536), "1.5 KiB");
  EXPECT_EQ(human_size((1U << 20) - 1), "1.0 MiB");
  EXPECT_EQ(human_size(UINT64_MAX), "16.0 EiB");
  EXPECT_EQ(human_rate(1'500'000'000, 1s), "1.50 GB/s");
  EXPECT_EQ(human_rate(2'000'000, 1s), "2.0 MB/s");
  EXPECT_EQ(human_rate(1, 0s), "-");
  EXPECT_EQ(human_duration(62ns), "62 ns");
  EXPECT_EQ(human_duration(1400ns), "1.40 us");
  EXPECT_EQ(human_duration(125s), "2:05");
}

TEST(Human, SizesThatSomebodyChoseAreWholeWhereTheyAre) {
  EXPECT_EQ(chosen_size(0), "0 B");
  EXPECT_EQ(chosen_size(8), "8 B");
  EXPECT_EQ(chosen_size(1024), "1 KiB");
  EXPECT_EQ(chosen_size(524288), "512 KiB");
  EXPECT_EQ(chosen_size(1U << 20), "1 MiB");
  EXPECT_EQ(chosen_size(70000), "68.4 KiB");
  EXPECT_EQ(chosen_size(1048577), "1.0 MiB");
  EXPECT_EQ(chosen_size(1536), "1.5 KiB");
}

TEST(Human, WhatOthersSayMovesNoCursor) {
  EXPECT_EQ(printable("a\033[2J\nb\x7f\xc3\xa9"), "a\\x1b[2J\\nb\\x7f\xc3\xa9");
}

// Rules: MESSAGE.3
TEST(TextLine, IsOneLineWhateverTheArgumentsHold) {
  EXPECT_EQ(text_line("IA {}: {}", "ib0\nIA ib1", "\xe2\x80\xae"), "IA ib0\\nIA ib1: \\u202e\n");
}

// Rules: MESSAGE.3
TEST(TextLine, SeveralLinesKeepTheirEndsAndTabsAndNothingElse) {
  EXPECT_EQ(printable_lines("a\tb\n\nc\033[m\r\n"), "a\tb\n\nc\\x1b[m\\r\n");
  EXPECT_EQ(printable_lines("no end"), "no end");
  EXPECT_EQ(printable_lines(""), "");
}

// Rules: MESSAGE.3
TEST(TextLine, ALineOnStderrIsOneLine) {
  testing::internal::CaptureStderr();
  log_line("refused \033]0;x\007\nall is well");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "refused \\x1b]0;x\\x07\\nall is well\n");
}

// A usage error quotes what was typed, and help shows defaults.
// Rules: MESSAGE.3
TEST(TextLine, NeitherHelpNorAUsageErrorShowsAControlCharacter) {
  const auto answer = [](const char* argument) {
    CLI::App app("Text.", "tool");
    std::string file = "\033[2Jdefault";
    app.add_option("--file", file)->capture_default_str();
    std::string name = "tool", typed = argument;
    char* const arguments[] = {name.data(), typed.data(), nullptr};
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    run_tool(app, 2, const_cast<char**>(arguments), [] { return ExitCode::Ok; });
    return testing::internal::GetCapturedStdout() + testing::internal::GetCapturedStderr();
  };
  const std::string help = answer("--help"), usage = answer("--no\033[2J\nsuch");
  EXPECT_NE(help.find("\\x1b[2Jdefault"), std::string::npos) << help;
  EXPECT_NE(usage.find("--no\\x1b[2J\\nsuch"), std::string::npos) << usage;
  EXPECT_EQ((help + usage).find('\033'), std::string::npos);
}

TEST(Human, SizesAreParsedAsTyped) {
  std::uint64_t bytes = 0;
  EXPECT_TRUE(parse_size("64k", bytes) && bytes == 65536);
  EXPECT_TRUE(parse_size("1MiB", bytes) && bytes == 1048576);
  EXPECT_TRUE(parse_size("7", bytes) && bytes == 7);
  EXPECT_TRUE(parse_size("12B", bytes) && bytes == 12);
  for (const char* text : {"", "k", "1x", "1kk", "-1", "1.5M", "18446744073709551616", "16777216T"})
    EXPECT_FALSE(parse_size(text, bytes)) << text;
}

TEST(Json, StringsAreEscaped) {
  EXPECT_EQ(json_string("a\"b\\c\n"), R"("a\"b\\c\u000a")");
  EXPECT_EQ(json_string("\xc3\xa4"), "\"\xc3\xa4\"");
  EXPECT_EQ(json_string("\xff"), R"("\ufffd")");
  EXPECT_EQ(json_string("\xed\xa0\x80"), R"("\ufffd\ufffd\ufffd")");
  EXPECT_EQ(json_string("\033\x7f\xc2\x9b\xe2\x80\xae"), R"("\u001b\u007f\u009b\u202e")");
  EXPECT_EQ(JsonObject().add("n", 7).add("s", "x").add("b", true).text(),
            R"({"n": 7, "s": "x", "b": true})");
}

TEST(Json, ANumberThatMayHaveAFractionIsNeverWrittenLikeAnInteger) {
  EXPECT_EQ(JsonObject().add("a", 7.0).add("b", 7.5).add("c", 25000000.0).add("d", 0.0).text(),
            R"({"a": 7.0, "b": 7.5, "c": 2.5e+07, "d": 0.0})");
}

TEST(DatError, NamesTypeAndSubtypeAndTheObject) {
  EXPECT_EQ(dat_text(0x80070000 | 50), "DAT_INVALID_STATE: DAT_INVALID_STATE_EP_CONNECTED");
  EXPECT_EQ(dat_text(0x800f0000), "DAT_TIMEOUT_EXPIRED");
  EXPECT_EQ(dat_text(0x8fff1234), "unknown DAT_RETURN 0x8fff1234");
  EXPECT_TRUE(
      describe(0x80020000, "dat_psp_create", "datum, port 7")
          .starts_with("dat_psp_create(datum, port 7): DAT_CONN_QUAL_IN_USE (another process"));
}

TEST(DatError, CheckThrowsWhatItWasTold) {
  EXPECT_NO_THROW(check(0, "f"));
  try {
    check(0x80050000, "f", "x", ExitCode::Usage);
    FAIL();
  } catch (const ToolError& error) {
    EXPECT_EQ(error.code(), ExitCode::Usage);
    EXPECT_STREQ(error.what(), "f(x): DAT_INVALID_HANDLE");
  }
}

TEST(DatError, EventsAndStatusesHaveTheirDatNames) {
  EXPECT_EQ(event_text(DAT_CONNECTION_EVENT_BROKEN), "DAT_CONNECTION_EVENT_BROKEN");
  EXPECT_EQ(event_text(DAT_DTO_COMPLETION_EVENT), "DAT_DTO_COMPLETION_EVENT");
  EXPECT_EQ(dto_status_text(DAT_DTO_ERR_REMOTE_ACCESS), "DAT_DTO_ERR_REMOTE_ACCESS");
}

} // namespace
} // namespace datum::tools
