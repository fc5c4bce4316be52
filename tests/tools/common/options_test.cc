// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What wrong usage is told.
#include "common/options.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace datum::tools {
namespace {

// Of a tool with an option of words and two commands.
std::string said(std::vector<std::string> words) {
  CLI::App app("", "tool");
  std::string way;
  app.add_option("--way", way)->check(one_of({"auto", "shm"}));
  app.add_subcommand("put", "");
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

TEST(Usage, AMissingCommandIsSaidWithThoseThereAre) {
  EXPECT_EQ(said({}), "tool: no command: use one of put, get");
}

TEST(Usage, AWordThatAnOptionDoesNotTakeIsNamedWithThoseItTakes) {
  EXPECT_EQ(said({"--way", "pigeon", "put"}), "tool: --way: \"pigeon\" is none of auto, shm");
}

// The next word is not its value.
TEST(Usage, AnOptionWithNothingBehindItsSignOfEqualityIsNamed) {
  EXPECT_EQ(said({"--way=", "shm", "put"}),
            "tool: --way: nothing follows the \"=\"; give a value, or leave the option out");
  EXPECT_EQ(said({"put", "--way="}),
            "tool: --way: nothing follows the \"=\"; give a value, or leave the option out");
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
