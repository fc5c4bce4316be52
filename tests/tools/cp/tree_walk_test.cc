// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cp/tree_walk.h"

#include <sys/fsuid.h>
#include <sys/stat.h>

#include <map>

#include <gtest/gtest.h>

#include "folder.h"

namespace datum::cp {
namespace {

using Type = Entry::Type;

std::vector<Root> roots_of(const test::Folder& folder, const std::string& name) {
  std::vector<Root> roots;
  roots.push_back({std::make_shared<const UniqueFd>(folder.open()), name, name, name});
  return roots;
}

std::vector<Entry> walk(const test::Folder& folder, const std::string& name = "t") {
  TreeWalk tree(roots_of(folder, name), TreeWalk::Files::Open);
  std::vector<Entry> entries;
  while (auto entry = tree.next()) entries.push_back(std::move(*entry));
  return entries;
}

std::vector<std::pair<Type, std::string>> outline(const std::vector<Entry>& entries) {
  std::vector<std::pair<Type, std::string>> lines;
  for (const Entry& entry : entries) lines.emplace_back(entry.type, entry.path);
  return lines;
}

TEST(TreeWalk, ParentsComeFirstAndFoldersEndAfterTheirContents) {
  test::Folder folder;
  folder.write("t/b/x", "1");
  folder.write("t/a", "22");
  folder.write("t/c", "");
  EXPECT_EQ(outline(walk(folder)),
            (std::vector<std::pair<Type, std::string>>{{Type::Directory, "t"},
                                                       {Type::File, "t/a"},
                                                       {Type::Directory, "t/b"},
                                                       {Type::File, "t/b/x"},
                                                       {Type::DirectoryEnd, "t/b"},
                                                       {Type::File, "t/c"},
                                                       {Type::DirectoryEnd, "t"}}));
}

TEST(TreeWalk, ASymbolicLinkIsNotEntered) {
  test::Folder folder, outside;
  outside.write("secret", "x");
  folder.write("t/a", "");
  std::filesystem::create_directory_symlink(outside.path(), folder / "t/out");
  const auto entries = walk(folder);
  ASSERT_EQ(entries.size(), 4U);
  EXPECT_EQ(entries[2].type, Type::Symlink);
  EXPECT_EQ(entries[2].target, outside.path());
}

TEST(TreeWalk, ARootMayBeAFileOrALink) {
  test::Folder folder;
  folder.write("t", "abc");
  std::filesystem::create_symlink("t", folder / "l");
  ASSERT_EQ(walk(folder).size(), 1U);
  EXPECT_EQ(walk(folder)[0].size, 3U);
  EXPECT_EQ(walk(folder, "l")[0].type, Type::Symlink);
}

TEST(TreeWalk, DevicesFifosAndOurOwnLeftoversAreLeftOutWithANote) {
  test::Folder folder;
  folder.write("t/.dat-cp-1.part", "x");
  ASSERT_EQ(mkfifo((folder / "t/fifo").c_str(), 0600), 0);
  const auto entries = walk(folder);
  ASSERT_EQ(entries.size(), 4U);
  for (int i : {1, 2}) {
    EXPECT_EQ(entries[static_cast<std::size_t>(i)].type, Type::Problem);
    EXPECT_EQ(entries[static_cast<std::size_t>(i)].severity, Severity::Note);
  }
}

TEST(TreeWalk, WhatCannotBeReadIsAProblemAndTheRestIsNot) {
  test::Folder folder;
  folder.write("t/a", "");
  folder.write("t/locked", "");
  folder.write("t/shut/x", "");
  chmod(folder.path().c_str(), 0755);
  chmod((folder / "t/locked").c_str(), 0);
  chmod((folder / "t/shut").c_str(), 0);
  const bool root = geteuid() == 0;
  if (root) setfsuid(65534); // root reads everything; as another user this thread does not
  const auto entries = walk(folder);
  if (root) setfsuid(0);
  ASSERT_EQ(entries.size(), 5U);
  EXPECT_EQ(entries[1].type, Type::File);
  EXPECT_EQ(entries[2].type, Type::Problem);
  EXPECT_EQ(entries[2].severity, Severity::Error);
  EXPECT_EQ(entries[2].problem, "cannot open \"t/locked\": Permission denied");
  EXPECT_EQ(entries[3].problem, "cannot read folder \"t/shut\": Permission denied");
  EXPECT_EQ(entries[4].type, Type::DirectoryEnd);
}

TEST(TreeWalk, TooManyLevelsAreAProblemNotAnExhaustedProcess) {
  test::Folder folder;
  std::string path = "t";
  for (int i = 0; i < 300; ++i) path += "/d";
  std::filesystem::create_directories(folder / path);
  int problems = 0, folders = 0;
  for (const Entry& entry : walk(folder)) {
    problems += entry.type == Type::Problem ? 1 : 0;
    folders += entry.type == Type::Directory ? 1 : 0;
  }
  EXPECT_EQ(problems, 1);
  EXPECT_EQ(folders, 256);
}

TEST(TreeWalk, AFifoThatIsNamedItselfIsAnError) {
  test::Folder folder;
  ASSERT_EQ(mkfifo((folder / "t").c_str(), 0600), 0);
  const auto entries = walk(folder);
  ASSERT_EQ(entries.size(), 1U);
  EXPECT_EQ(entries[0].type, Type::Problem);
  EXPECT_EQ(entries[0].severity, Severity::Error);
  EXPECT_EQ(entries[0].problem, "left out \"t\": neither file, folder nor symbolic link");
}

TEST(TreeWalk, CountAgreesAndOpensNothing) {
  test::Folder folder;
  folder.write("t/a", "22");
  folder.write("t/b/x", "333");
  const auto roots = roots_of(folder, "t");
  EXPECT_EQ(count_tree(roots, [] {}), (Total{4, 5}));
  EXPECT_TRUE(roots[0].folder);
}

TEST(TreeWalk, SetUserIdDoesNotTravel) {
  test::Folder folder;
  folder.write("t", "");
  chmod((folder / "t").c_str(), 06755);
  EXPECT_EQ(walk(folder)[0].mode, 0755U);
}

} // namespace
} // namespace datum::cp
