// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/tools/cp/cp_process.h: dat-cp as a user runs it, and a tree to copy.
// Lives here: a client that runs to its end, what its output says, CpProcess with the tree t in one
//             folder and another folder beside it.
// Not here:   a process that the test stops or kills, and the server (program.h).
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "folder.h"
#include "program.h"

namespace datum::cp::test {

struct Ended {
  int code;
  std::string out, err;
};

inline Ended client(std::vector<std::string> arguments,
                    const std::function<void()>& in_child = {}) {
  arguments.insert(arguments.begin(), DAT_CP_PROGRAM);
  Program program(arguments, in_child);
  const int code = program.wait();
  return {code, program.out(), program.err()};
}

inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

inline std::uint64_t json_number(const std::string& json, const std::string& key) {
  const std::size_t at = json.find("\"" + key + "\": ");
  if (at == std::string::npos) return UINT64_MAX;
  return std::stoull(json.substr(at + key.size() + 4));
}

class CpProcess : public testing::Test {
 protected:
  CpProcess() {
    here_.write("t/a", "alpha");
    here_.write("t/d/b", noise(3 * kMiB));
    here_.write("t/d/empty", "");
    std::filesystem::create_symlink("../a", here_ / "t/d/link");
  }
  void expect_tree(const Folder& folder, const std::string& name) {
    EXPECT_EQ(folder.read(name + "/a"), "alpha");
    EXPECT_TRUE(folder.read(name + "/d/b") == here_.read("t/d/b"));
    EXPECT_EQ(folder.read(name + "/d/empty"), "");
    EXPECT_EQ(std::filesystem::read_symlink(folder / (name + "/d/link")), "../a");
  }
  Folder here_, there_;
};

} // namespace datum::cp::test
