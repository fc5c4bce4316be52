// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The table of variables is compared with the manual and checked by itself.
#include "base/variables.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <string>

#include "base/ignored_values.h"

namespace datum {
namespace {

// Each variable that datum(7) describes, and whether a * marks it.
std::map<std::string, bool> documented() {
  std::ifstream page(DATUM_SOURCE_DIR "/docs/man/datum.7.md");
  std::map<std::string, bool> found;
  bool inside = false;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("# ")) inside = line == "# ENVIRONMENT";
    if (!inside || !(line.starts_with("DATUM_") || line.starts_with("DAT_"))) continue;
    const std::size_t end = line.find(' ');
    found[line.substr(0, end)] = end != std::string::npos && line.substr(end) == " \\*";
  }
  return found;
}

// Rules: ENV.26
TEST(Variables, TheTableHasThoseOfTheManual) {
  const auto manual = documented();
  ASSERT_GT(manual.size(), 15U);
  std::map<std::string, bool> table;
  for (const VariableInfo& info : variables()) table[info.name] = info.needs_trust;
  EXPECT_EQ(table, manual) << "and those marked there are ignored in programs with raised rights";
}

// Rules: ENV.26
TEST(Variables, EachRefusesWhatItDoesNotUnderstandAndSaysWhatItDoes) {
  for (const VariableInfo& info : variables()) {
    if (info.syntax != Syntax::Path) {
      EXPECT_FALSE(is_understood(info.variable, "?")) << info.name;
      EXPECT_FALSE(is_understood(info.variable, "-")) << info.name;
    }
    EXPECT_NE(info.expected, std::string()) << info.name;
    EXPECT_NE(info.instead, std::string()) << info.name;
  }
}

TEST(Variables, WordsAreTheirOwnAndNothingElse) {
  EXPECT_EQ(parse_word(Variable::Transport, "auto"), 0U);
  EXPECT_EQ(parse_word(Variable::Transport, "shm"), 1U);
  EXPECT_EQ(parse_word(Variable::Transport, "tcp"), 2U);
  for (const char* bad : {"", "SHM", "shm ", "verbs", "shm,tcp", "pigeon"})
    EXPECT_EQ(parse_word(Variable::Transport, bad), std::nullopt) << bad;
  EXPECT_EQ(parse_word(Variable::Strict, "off"), 0U);
  EXPECT_EQ(parse_word(Variable::Strict, "on"), 1U);
  for (const char* bad : {"", "0", "1", "ON", "yes", "on "})
    EXPECT_EQ(parse_word(Variable::Strict, bad), std::nullopt) << bad;
  EXPECT_EQ(parse_word(Variable::Log, "trace"), 3U);
  EXPECT_EQ(parse_word(Variable::Crc, "off"), 2U);
  EXPECT_EQ(parse_word(Variable::Hello, "off"), 0U);
}

TEST(Variables, PortsAreTwoNumbersInOrderWithoutPrivilege) {
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

struct Range {
  Variable variable;
  const char *least, *below, *most, *above;
};

TEST(Variables, NumbersHaveTheirRange) {
  for (const Range& each :
       {Range{Variable::HalfOpen, "1", "0", "65536", "65537"},
        Range{Variable::Ending, "1", "0", "65536", "65537"},
        Range{Variable::Unreceived, "4096", "4095", "16777216", "16777217"},
        Range{Variable::Unsent, "4096", "4095", "16777216", "16777217"},
        Range{Variable::ReadSize, "4096", "4095", "262144", "262145"},
        Range{Variable::PeerTimeout, "1000", "999", "86400000", "86400001"},
        Range{Variable::RequestTimeout, "1000", "999", "86400000", "86400001"},
        Range{Variable::FirstFrameTimeout, "1000", "999", "86400000", "86400001"},
        Range{Variable::EndTimeout, "1000", "999", "86400000", "86400001"},
        Range{Variable::ConnectGrace, "0", "-1", "60000", "60001"},
        Range{Variable::CloseTimeout, "0", "-1", "60000", "60001"},
        Range{Variable::RnrTimeout, "0", "-1", "4233600000", "4233600001"}}) {
    SCOPED_TRACE(about(each.variable).name);
    EXPECT_TRUE(is_understood(each.variable, each.least));
    EXPECT_TRUE(is_understood(each.variable, each.most));
    for (const char* bad : {each.below, each.above, "", "-1", "1s", "64k", "1e2", "16 ",
                            "4294971392000", "99999999999999999999"})
      EXPECT_FALSE(is_understood(each.variable, bad)) << bad;
  }
}

TEST(Variables, AMaskIsANumberOfAnyBase) {
  EXPECT_EQ(parse_mask("0xff"), 255U);
  EXPECT_EQ(parse_mask("0XfF"), 255U);
  EXPECT_EQ(parse_mask("9"), 9U);
  EXPECT_EQ(parse_mask("0"), 0U);
  EXPECT_EQ(parse_mask("010"), 8U);
  EXPECT_EQ(parse_mask("4294967295"), 4294967295U);
  EXPECT_EQ(parse_mask("-1"), 4294967295U);
  for (const char* bad : {"", "errors", "0xfg", "0x", "09", "9 ", " 5000", "-2", "+1", "0x-1",
                          "4294967296", "0x100000000", "99999999999999999999"})
    EXPECT_EQ(parse_mask(bad), std::nullopt) << bad;
}

TEST(Variables, AliasesAreNamesWithAnIa) {
  for (const char* good : {"ib0=datum", "ib0=datum,*=datum-eth0", "a=b,,c=d,", ""})
    EXPECT_TRUE(is_understood(Variable::Alias, good)) << good;
  for (const char* bad : {"ib0", "=datum", "ib0=", "a=b,c"})
    EXPECT_FALSE(is_understood(Variable::Alias, bad)) << bad;
}

// Rules: ENV.28
TEST(Variables, SomeThatAreEmptyAreNotSet) {
  for (const VariableInfo& info : variables()) {
    const std::string name = info.name;
    const bool unset = name == "DAT_OVERRIDE" || name == "DATUM_ALIAS" || name == "DATUM_LOG" ||
                       name == "DAT_DBG_TYPE";
    EXPECT_EQ(is_understood(info.variable, ""), unset) << name;
    const char* const before = std::getenv(info.name);
    const std::string kept = before == nullptr ? "" : before;
    setenv(info.name, "", 1);
    EXPECT_EQ(value_of(info.variable) == nullptr, unset) << name;
    if (before != nullptr)
      setenv(info.name, kept.c_str(), 1);
    else
      unsetenv(info.name);
  }
}

std::string said_by_reading(const char* value) {
  if (value == nullptr)
    unsetenv("DATUM_HALF_OPEN");
  else
    setenv("DATUM_HALF_OPEN", value, 1);
  testing::internal::CaptureStderr();
  static_cast<void>(read_number(Variable::HalfOpen));
  return testing::internal::GetCapturedStderr();
}

// Rules: ENV.27
TEST(Variables, AnIgnoredValueIsToldOnceAndAgainWhenItComesBack) {
  const std::string line =
      "datum warn: DATUM_HALF_OPEN=\"none\" is ignored: expected a number from "
      "1 to 65536; using 512\n";
  EXPECT_EQ(said_by_reading("none"), line);
  EXPECT_EQ(said_by_reading("none"), "");
  EXPECT_NE(said_by_reading("0"), "") << "another value";
  EXPECT_EQ(said_by_reading("none"), line);
  EXPECT_EQ(said_by_reading("7"), "");
  EXPECT_EQ(said_by_reading("none"), line) << "it was good in between";
  EXPECT_EQ(said_by_reading(nullptr), "");
}

// A library of another build may report a variable that this build's table lacks. So this build has
// kept no earlier value of the variable.
TEST(Variables, AnUnknownVariableIsAlwaysNews) {
  EXPECT_EQ(ignored_value_is_news("DATUM_OF_LATER", "x"), 1);
  EXPECT_EQ(ignored_value_is_news("DATUM_OF_LATER", "x"), 1);
}

} // namespace
} // namespace datum
