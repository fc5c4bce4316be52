// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cp/offered_names.h"

#include <gtest/gtest.h>

#include "common/tool_error.h"

namespace datum::cp {
namespace {

// The text that the call threw, without the words that are in every refusal.
std::string refusal(const std::function<void()>& call) {
  try {
    call();
  } catch (const tools::ToolError& error) {
    EXPECT_EQ(error.code(), tools::ExitCode::Failed);
    std::string text = error.what();
    EXPECT_TRUE(text.starts_with("the other side offered ")) << text;
    EXPECT_TRUE(text.ends_with("; the copy ends here")) << text;
    return text.substr(23, text.size() - 23 - 20);
  }
  return "";
}

std::string offered(OfferedNames& names, const std::string& path, Kind kind = Kind::File) {
  return refusal([&] { names.offer(path, kind); });
}

std::string ended(OfferedNames& names, const std::string& path) {
  return refusal([&] { names.end(path); });
}

TEST(OfferedNames, OfAGetAreTheRequestedOnesAndWhatIsBelowThem) {
  OfferedNames names({{"d", "f"}}, false);
  EXPECT_EQ(offered(names, "d", Kind::Directory), "");
  EXPECT_EQ(offered(names, "d/x"), "");
  EXPECT_EQ(offered(names, "d/y", Kind::Directory), "");
  EXPECT_EQ(offered(names, "d/y/z"), "");
  EXPECT_EQ(offered(names, "f"), "");
  EXPECT_EQ(offered(names, ".bashrc"), R"(".bashrc": it was not asked for)");
}

TEST(OfferedNames, OfAGetMayBeLeftOutButComeInTheOrderOfTheRequest) {
  OfferedNames names({{"a", "c", "b"}}, false);
  EXPECT_EQ(offered(names, "c"), "");
  EXPECT_EQ(offered(names, "a"), R"("a": it was not asked for)");
  EXPECT_EQ(offered(names, "b"), "");
}

TEST(OfferedNames, OfTheServedFolderIsOneFolderAndTheServersToChoose) {
  OfferedNames names({{""}}, false);
  EXPECT_EQ(offered(names, "file"), R"("file": it was not asked for)");
  EXPECT_EQ(offered(names, "served", Kind::Directory), "");
  EXPECT_EQ(offered(names, "other", Kind::Directory), R"("other": it was not asked for)");
}

TEST(OfferedNames, OfAPutAreTheSources) {
  OfferedNames names(std::nullopt, false);
  EXPECT_EQ(offered(names, "b"), "");
  EXPECT_EQ(offered(names, "a", Kind::Directory), "");
  EXPECT_EQ(offered(names, "a/x"), "");
}

TEST(OfferedNames, OneNewNameHasRoomForOneRoot) {
  OfferedNames names(std::nullopt, true);
  EXPECT_EQ(offered(names, "a"), "");
  EXPECT_EQ(offered(names, "b"), R"("b": it is one more than there is a place for)");
}

TEST(OfferedNames, OfAPutAreAtMost4096) {
  OfferedNames names(std::nullopt, false);
  for (int i = 0; i < 4096; ++i) ASSERT_EQ(offered(names, std::to_string(i)), "");
  EXPECT_EQ(offered(names, "x"), R"("x": it is one more than there is a place for)");
}

TEST(OfferedNames, ComeOnce) {
  OfferedNames names(std::nullopt, false);
  EXPECT_EQ(offered(names, "d", Kind::Directory), "");
  EXPECT_EQ(offered(names, "d/x"), "");
  EXPECT_EQ(offered(names, "d/x"), R"("d/x": it was offered before)");
  EXPECT_EQ(offered(names, "f"), "");
  EXPECT_EQ(offered(names, "d", Kind::Directory), R"("d": it was offered before)");
}

TEST(OfferedNames, OfAFolderComeInAscendingOrderOfBytes) {
  OfferedNames names(std::nullopt, false);
  EXPECT_EQ(offered(names, "d", Kind::Directory), "");
  EXPECT_EQ(offered(names, "d/B"), "");
  EXPECT_EQ(offered(names, "d/a"), "");
  EXPECT_EQ(offered(names, "d/a b"), "");
  EXPECT_EQ(offered(names, "d/\xc3\xa4"), "");
  EXPECT_EQ(offered(names, "d/z"), R"("d/z": it is out of order)");
}

TEST(OfferedNames, NeedTheFolderThatTheyAreIn) {
  OfferedNames names(std::nullopt, false);
  EXPECT_EQ(offered(names, "d/x"), R"("d/x": it is in no folder that was offered)");
  EXPECT_EQ(offered(names, "d", Kind::Directory), "");
  EXPECT_EQ(offered(names, "d/link", Kind::Symlink), "");
  EXPECT_EQ(offered(names, "d/link/x"), R"("d/link/x": it is in no folder that was offered)");
}

TEST(OfferedNames, OfAFolderThatWasLeftOrHasEndedComeTooLate) {
  OfferedNames names(std::nullopt, false);
  EXPECT_EQ(offered(names, "d", Kind::Directory), "");
  EXPECT_EQ(offered(names, "d/e", Kind::Directory), "");
  EXPECT_EQ(offered(names, "d/f"), "");
  EXPECT_EQ(offered(names, "d/e/x"), R"("d/e/x": it is in no folder that was offered)");
}

TEST(OfferedNames, OfAFolderThatHasEndedComeTooLate) {
  OfferedNames names(std::nullopt, false);
  EXPECT_EQ(offered(names, "d", Kind::Directory), "");
  EXPECT_EQ(ended(names, "d"), "");
  EXPECT_EQ(offered(names, "d/x"), R"("d/x": it is in no folder that was offered)");
}

TEST(OfferedNames, ThatAreNoPlainPathsAreRefusedAndShownEscaped) {
  const auto why = [](const std::string& path) {
    OfferedNames names(std::nullopt, false);
    EXPECT_EQ(offered(names, "d", Kind::Directory), "");
    return offered(names, path);
  };
  EXPECT_EQ(why("../x"), R"("../x": it contains "." or "..")");
  EXPECT_EQ(why("d/../x"), R"("d/../x": it contains "." or "..")");
  EXPECT_EQ(why("/etc/passwd"), R"("/etc/passwd": it is absolute)");
  EXPECT_EQ(why(""), R"("": it is empty)");
  EXPECT_EQ(why("d//x"), R"("d//x": it has an empty component)");
  EXPECT_EQ(why("d/"), R"("d/": it has an empty component)");
  EXPECT_EQ(why("d/./x"), R"("d/./x": it contains "." or "..")");
  EXPECT_EQ(why("d/.dat-cp-0.part"),
            R"("d/.dat-cp-0.part": names beginning with ".dat-cp-" are dat-cp's own)");
  EXPECT_EQ(why("d/.DAT-cp-0.part"),
            R"("d/.DAT-cp-0.part": names beginning with ".dat-cp-" are dat-cp's own)");
  EXPECT_EQ(why("e\x1b[2J/x"), R"("e\x1b[2J/x": it is in no folder that was offered)");
}

TEST(OfferedNames, EndInTheOrderOfTheWalk) {
  OfferedNames names(std::nullopt, false);
  EXPECT_EQ(ended(names, "d"), R"("d": it is the end of a folder that was not offered)");
  EXPECT_EQ(offered(names, "d", Kind::Directory), "");
  EXPECT_EQ(offered(names, "d/a", Kind::Directory), "");
  EXPECT_EQ(offered(names, "d/b", Kind::Directory), "");
  EXPECT_EQ(ended(names, "d"), R"("d": it is not the folder that ends next)");
  EXPECT_EQ(ended(names, "d/b"), R"("d/b": it is not the folder that ends next)");
  EXPECT_EQ(ended(names, "d/a"), "");
  EXPECT_EQ(ended(names, "d/b"), "");
  EXPECT_EQ(ended(names, "d"), "");
  EXPECT_EQ(ended(names, "d"), R"("d": it is the end of a folder that was not offered)");
}

TEST(OfferedNames, OfFoldersWithoutAnEndAreAtMostAWindow) {
  OfferedNames names(std::nullopt, false);
  for (int i = 0; i < 65; ++i)
    ASSERT_EQ(offered(names, std::to_string(i), Kind::Directory), "") << i;
  EXPECT_EQ(offered(names, "x", Kind::Directory),
            R"("64": it is one of too many folders without an end)");
}

TEST(OfferedNames, BelowARefusedFolderAreRefusedWithIt) {
  OfferedNames names(std::nullopt, false);
  EXPECT_FALSE(names.offer("d", Kind::Directory));
  EXPECT_FALSE(names.offer("d/a", Kind::Directory));
  names.refuse_last_folder();
  EXPECT_TRUE(names.offer("d/a/b", Kind::Directory));
  EXPECT_TRUE(names.offer("d/a/b/c", Kind::File));
  EXPECT_FALSE(names.offer("d/b", Kind::File));
  EXPECT_TRUE(names.end("d/a/b"));
  EXPECT_TRUE(names.end("d/a"));
  EXPECT_FALSE(names.end("d"));
}

} // namespace
} // namespace datum::cp
