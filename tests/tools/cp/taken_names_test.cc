// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// folding_test.cc tests file systems that take two names for the same name.
#include "cp/taken_names.h"

#include <stdexcept>

#include <gtest/gtest.h>

#include "folder.h"

namespace datum::cp {
namespace {

std::string claimed(TakenNames& names, const test::Folder& folder, const std::string& name) {
  try {
    names.claim(folder.open().get(), name);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

TEST(TakenNames, ThatWereThereBeforeMayBeClaimedOnce) {
  const test::Folder folder;
  folder.write("a", "");
  folder.write("b", "");
  TakenNames names(folder.open().get(), "folder");
  EXPECT_EQ(claimed(names, folder, "a"), "");
  EXPECT_EQ(claimed(names, folder, "b"), "");
  EXPECT_EQ(
      claimed(names, folder, "a"),
      R"("a" is refused: the file system there takes it for "a", which is another name of this copy)");
}

TEST(TakenNames, OfOneFileWithTwoNamesAreTwo) {
  const test::Folder folder;
  folder.write("a", "");
  std::filesystem::create_hard_link(folder / "a", folder / "b");
  TakenNames names(folder.open().get(), "folder");
  EXPECT_EQ(claimed(names, folder, "b"), "");
  EXPECT_EQ(claimed(names, folder, "a"), "");
}

TEST(TakenNames, ThatSomebodyElseMadeMeanwhileAreNotReplaced) {
  const test::Folder folder;
  TakenNames names(folder.open().get(), "folder");
  folder.write("a", "");
  EXPECT_EQ(claimed(names, folder, "a"), R"("a" is refused: it appeared there during this copy)");
}

} // namespace
} // namespace datum::cp
