// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// run_tool(): what a tool prints for wrong usage.
#include "common/options.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace datum::tools {
namespace {

// The first line on standard error of a tool with three options and two commands.
std::string said(std::vector<std::string> words) {
  CLI::App app("", "tool");
  std::string way;
  std::uint64_t count = 0;
  double wait = 0;
  std::string name;
  bool flag = false;
  app.add_option("--way", way)->check(one_of({"auto", "shm"}));
  app.add_option("--count", count)->check(whole_number(1, 64));
  app.add_option("--wait", wait)->check(seconds(0, 9));
  CLI::App* const put = app.add_subcommand("put", "");
  put->add_flag("-f,--flag", flag);
  put->add_option("--name", name);
  app.add_subcommand("get", "");
  app.require_subcommand(1);
  std::vector<char*> arguments;
  words.insert(words.begin(), "tool");
  for (std::string& word : words) arguments.push_back(word.data());
  testing::internal::CaptureStderr();
  EXPECT_EQ(run_tool(app, static_cast<int>(arguments.size()), arguments.data(),
                     [] { return ExitCode::Ok; }),
            2);
  const std::string all = testing::internal::GetCapturedStderr();
  return all.substr(0, all.find('\n'));
}

TEST(Usage, AWordThatIsNoCommandIsNamed) {
  EXPECT_EQ(said({"frob"}), "tool: \"frob\" is no command: use one of put, get");
}

TEST(Usage, AnUnknownOptionBeforeTheCommandIsCalledOne) {
  EXPECT_EQ(said({"--frob"}), "tool: \"--frob\" is no option");
  EXPECT_EQ(said({"--frob", "put"}), "tool: \"--frob\" is no option");
  EXPECT_EQ(said({"-x", "frob"}), "tool: \"-x\" is no option");
}

TEST(Usage, AMissingCommandIsSaidWithThoseThereAre) {
  EXPECT_EQ(said({}), "tool: no command: use one of put, get");
}

TEST(Usage, AWordThatAnOptionDoesNotTakeIsNamedWithThoseItTakes) {
  EXPECT_EQ(said({"--way", "pigeon", "put"}), "tool: --way: \"pigeon\" is none of auto, shm");
}

// The next word is not taken as the value of the option.
TEST(Usage, AnOptionWithNothingBehindItsSignOfEqualityIsNamed) {
  EXPECT_EQ(said({"--way=", "shm", "put"}),
            "tool: --way: nothing follows the \"=\"; give a value, or leave the option out");
  EXPECT_EQ(said({"put", "--way="}),
            "tool: --way: nothing follows the \"=\"; give a value, or leave the option out");
}

// The option alone decides what its value may look like.
TEST(Usage, AValueMayLookLikeAnEmptiedOption) {
  CLI::App app("", "tool");
  std::string name, token;
  app.add_option("--name", name);
  CLI::App* const put = app.add_subcommand("put", "");
  put->add_option("-t,--token", token);
  const auto run = [&](std::vector<std::string> words) {
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    return run_tool(app, static_cast<int>(arguments.size()), arguments.data(),
                    [] { return ExitCode::Ok; });
  };
  EXPECT_EQ(run({"tool", "--name", "--a=", "put", "--token", "--b="}), 0);
  EXPECT_EQ(name + token, "--a=--b=");
}

TEST(Usage, AFlagWithAValueIsToldThatItTakesNone) {
  for (const char* word : {"false", "true", ""})
    EXPECT_EQ(said({"put", std::string("--flag=") + word}),
              std::string("tool: --flag takes no value: leave out \"=") + word +
                  "\", or the whole of it");
}

TEST(Usage, AnOptionThatIsGivenTwiceIsNamed) {
  EXPECT_EQ(said({"--count", "1", "--count", "2", "put"}),
            "tool: --count is given more than once: leave all but one out");
  EXPECT_EQ(said({"put", "--name", "a", "--name=b"}),
            "tool: --name is given more than once: leave all but one out");
}

TEST(Usage, SecondsAreDecimalDigitsWithoutAnExponent) {
  for (const char* text : {"1e0", "1E0", "0x1", "inf", "nan"})
    EXPECT_EQ(said({"--wait", text, "put"}),
              std::string("tool: --wait: \"") + text +
                  "\" is not a number of seconds from 0 to 9 (decimal digits, as in 0.5)");
}

TEST(Usage, WordsThatNobodyTakesAreCalledWhatTheyAre) {
  EXPECT_EQ(said({"put", "--token"}), "tool: \"--token\" is no option");
  EXPECT_EQ(said({"put", "src"}), "tool: \"src\" is one word too many");
}

// All options take numbers in the same form. A number has no leading 0, because many programs read
// 010 as 8.
TEST(Usage, ANumberIsDecimalDigits) {
  for (const std::string number : {"0x8", " 3", "+3", "-1", "010", "3 ", "", "65", "0", "1.5"})
    if (number.empty())
      EXPECT_EQ(said({"--count", number, "put"}).rfind("tool: --count: \"\" is not", 0), 0U);
    else
      EXPECT_EQ(said({"--count", number, "put"}),
                "tool: --count: \"" + number +
                    "\" is not a number from 1 to 64 (decimal digits, no 0 in front)");
  for (const std::string number : {"0x8", " 3", "+3", "-1", "nan", "inf", "9.1", "1s"})
    EXPECT_EQ(said({"--wait", number, "put"}),
              "tool: --wait: \"" + number +
                  "\" is not a number of seconds from 0 to 9 (decimal digits, as in 0.5)");
}

TEST(Usage, EachCommandTellsTheVersion) {
  CLI::App app("", "tool");
  std::string source;
  app.add_subcommand("put", "")->add_option("SRC", source)->required();
  app.require_subcommand(1);
  std::vector<std::string> words = {"tool", "put", "--version"};
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  testing::internal::CaptureStdout();
  EXPECT_EQ(run_tool(app, 3, arguments.data(), [] { return ExitCode::Failed; }), 0);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "tool (datum) " DATUM_VERSION "\n");
}

TEST(Usage, TheWordsOfAProgramThatIsToBeStartedAreItsOwn) {
  for (const std::vector<std::string>& words : std::vector<std::vector<std::string>>{
           {"tool", "--as", "a", "program", "--as="}, {"tool", "--", "--as="}}) {
    CLI::App app("", "tool");
    std::vector<std::string> names;
    app.add_option("--as", names)->allow_extra_args(false);
    app.prefix_command();
    std::vector<std::string> copy = words;
    std::vector<char*> arguments;
    for (std::string& word : copy) arguments.push_back(word.data());
    EXPECT_EQ(run_tool(app, static_cast<int>(arguments.size()), arguments.data(),
                       [&] {
                         EXPECT_EQ(app.remaining().back(), "--as=");
                         return ExitCode::Ok;
                       }),
              0);
  }
}

} // namespace
} // namespace datum::tools
