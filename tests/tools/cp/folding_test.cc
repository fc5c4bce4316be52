// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dat-cp on a file system for which names that differ only in case are the same (folding_libc.cc).
#include <gtest/gtest.h>

#include "folder.h"
#include <algorithm>

#include "program.h"

namespace datum::cp::test {
namespace {

class CpFolding : public testing::Test {
 protected:
  int put(const std::vector<std::string>& options = {}) {
    Server server(there_.path());
    return run("put", server, options, here_ / "t", server.at("t"));
  }
  int get() {
    Server server(here_.path());
    return run("get", server, {}, server.at("t"), there_ / "t");
  }
  int run(const std::string& what, const Server& server, const std::vector<std::string>& options,
          const std::string& from, const std::string& to) {
    std::vector<std::string> words = {DAT_CP_PROGRAM, what, "--token", server.token};
    words.insert(words.end(), options.begin(), options.end());
    words.insert(words.end(), {from, to});
    Program program(words);
    const int code = program.wait();
    out_ = program.out();
    err_ = program.err();
    return code;
  }
  void expect_said(const std::string& part) {
    EXPECT_NE(err_.find(part), std::string::npos) << err_;
  }
  // The names in a folder of the destination, in ascending order.
  std::string names(const std::string& folder) {
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::directory_iterator(there_ / folder))
      found.push_back(entry.path().filename());
    std::sort(found.begin(), found.end());
    std::string all;
    for (const std::string& name : found) all += name + " ";
    return all;
  }
  Folder here_, there_;
  std::string out_, err_;
};

TEST_F(CpFolding, NamesThatFoldToDifferentOnesAreCopied) {
  here_.write("t/A", "one");
  here_.write("t/b", "two");
  EXPECT_EQ(put(), 0) << err_;
  EXPECT_EQ(put(), 0) << err_;
  EXPECT_EQ(names("t"), "A b ");
}

TEST_F(CpFolding, OfTwoFilesThatAreOneThereTheFirstStays) {
  here_.write("t/A", "first");
  here_.write("t/a", "second");
  here_.write("t/b", "third");
  EXPECT_EQ(put(), 1);
  expect_said(R"(cannot put in place "t/a": File exists (something else made it, or that file )"
              "system takes two names of this copy for one)");
  EXPECT_EQ(names("t"), "A b ");
  EXPECT_EQ(there_.read("t/A"), "first");
}

TEST_F(CpFolding, AGetRefusesTheSecondNameAsWell) {
  here_.write("t/A", "first");
  here_.write("t/a", "second");
  EXPECT_EQ(get(), 1);
  expect_said(R"(cannot put in place "t/a": File exists)");
  EXPECT_EQ(there_.read("t/A"), "first");
}

TEST_F(CpFolding, OfTwoFilesThatAreOneThereASecondCopyRefusesTheSecondAgain) {
  here_.write("t/A", "first");
  here_.write("t/a", "second");
  EXPECT_EQ(put(), 1);
  EXPECT_EQ(put(), 1);
  expect_said(
      R"("t/a" is refused: the file system there takes it for "A", which is another name of )"
      "this copy");
  EXPECT_EQ(there_.read("t/A"), "first");
}

TEST_F(CpFolding, ALinkDoesNotReplaceAFileOrALinkOfTheCopy) {
  here_.write("t/A", "first");
  std::filesystem::create_symlink("one", here_ / "t/L");
  std::filesystem::create_symlink("A", here_ / "t/l");
  EXPECT_EQ(put(), 1);
  expect_said(R"("t/l" is refused: the file system there takes it for "L", which is another name)");
  EXPECT_EQ(std::filesystem::read_symlink(there_ / "t/L"), "one");
}

TEST_F(CpFolding, NothingComesIntoAFolderThatIsAnotherFolderOfTheCopy) {
  here_.write("t/D/x", "first");
  here_.write("t/d/x", "second");
  here_.write("t/d/y", "second");
  EXPECT_EQ(put(), 1);
  expect_said(R"("t/d" is refused: the file system there takes it for "D", which is another name)");
  EXPECT_EQ(names("t"), "D ");
  EXPECT_EQ(names("t/D"), "x ");
  EXPECT_EQ(there_.read("t/D/x"), "first");
}

TEST_F(CpFolding, AFileThatWasThereUnderAnotherSpellingIsReplacedOnce) {
  here_.write("t/ReadMe", "new");
  there_.write("t/README", "an older one");
  EXPECT_EQ(put(), 0) << err_;
  EXPECT_EQ(there_.read("t/README"), "new");
  here_.write("t/readme", "another");
  EXPECT_EQ(put(), 1);
  expect_said(R"("t/readme" is refused: the file system there takes it for "README", which is )"
              "another name of this copy");
  EXPECT_EQ(there_.read("t/README"), "new");
}

TEST_F(CpFolding, AComparisonDoesNotTakeOneFileForTwo) {
  here_.write("t/A", "same");
  here_.write("t/a", "same");
  EXPECT_EQ(put(), 1);
  EXPECT_EQ(put({"--verify"}), 1);
  expect_said(R"("t/a" is refused: the file system there takes it for "A")");
}

} // namespace
} // namespace datum::cp::test
