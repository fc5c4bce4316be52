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

} // namespace
} // namespace datum::tools
