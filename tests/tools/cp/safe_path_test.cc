// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cp/safe_path.h"

#include <cerrno>

#include <gtest/gtest.h>

#include "folder.h"

namespace datum::cp {
namespace {

using namespace std::string_literals;

TEST(SafePath, PlainRelativePathsAreAcceptable) {
  for (const std::string& path : {"a"s, "a/b/c"s, "..."s, "a..b"s, ".hidden"s, "with space"s,
                                  "\xff\xfe"s, std::string(255, 'n')})
    EXPECT_EQ(path_problem(path), "") << path;
}

TEST(SafePath, HostilePathsAreNot) {
  for (const std::string& path :
       {""s, "/"s, "/etc/passwd"s, ".."s, "."s, "../x"s, "a/../b"s, "a/.."s, "a/./b"s, "a//b"s,
        "a/"s, "a\0b"s, "a/\0"s, std::string(256, 'n'), "a/" + std::string(256, 'n'),
        ".dat-cp-0.part"s, "a/.dat-cp-link"s, ".dat-cp-x/y"s})
    EXPECT_NE(path_problem(path), "") << path;
  std::string deep;
  while (deep.size() < 4096) deep += "d/";
  EXPECT_NE(path_problem(deep + "x"), "");
}

TEST(SafePath, NormaliseKeepsWhatIsDangerousForTheCheckToSee) {
  EXPECT_EQ(normalise("a//b/./c/"), "a/b/c");
  EXPECT_EQ(normalise("."), "");
  EXPECT_EQ(normalise("./"), "");
  EXPECT_EQ(normalise("/a/"), "/a");
  EXPECT_EQ(normalise("//a"), "/a");
  EXPECT_EQ(normalise("a/../b"), "a/../b");
}

TEST(SafePath, ParentAndName) {
  EXPECT_EQ(parent_of("a/b/c"), "a/b");
  EXPECT_EQ(name_in("a/b/c"), "c");
  EXPECT_EQ(parent_of("c"), "");
  EXPECT_EQ(name_in("c"), "c");
}

using Opener = UniqueFd (*)(int, const std::string&, int, mode_t);

class OpenBeneath : public testing::TestWithParam<Opener> {
 protected:
  void SetUp() override {
    outside_.write("secret", "outside");
    folder_.write("a/b/file", "inside");
    std::filesystem::create_directory_symlink(outside_.path(), folder_ / "absolute");
    std::filesystem::create_directory_symlink("a/b", folder_ / "relative");
    std::filesystem::create_symlink("../secret", folder_ / "a/up");
    std::filesystem::create_symlink(outside_ / "secret", folder_ / "a/leaf");
    root_ = folder_.open();
  }
  UniqueFd open(const std::string& path, int flags = O_RDONLY) {
    errno = 0;
    return GetParam()(root_.get(), path, flags, 0600);
  }

  test::Folder outside_, folder_;
  UniqueFd root_;
};

TEST_P(OpenBeneath, FindsWhatIsInside) {
  EXPECT_TRUE(open("a/b/file"));
  EXPECT_TRUE(open("a/b", O_RDONLY | O_DIRECTORY));
  EXPECT_TRUE(open("", O_RDONLY | O_DIRECTORY));
}

TEST_P(OpenBeneath, FollowsNoSymbolicLinkOnTheWay) {
  EXPECT_FALSE(open("absolute/secret"));
  EXPECT_EQ(errno, ELOOP);
  EXPECT_FALSE(open("relative/file"));
  EXPECT_EQ(errno, ELOOP);
  EXPECT_FALSE(open("a/b/file/x"));
  EXPECT_EQ(errno, ENOTDIR);
}

TEST_P(OpenBeneath, FollowsNoSymbolicLinkAtTheEnd) {
  EXPECT_FALSE(open("a/leaf"));
  EXPECT_EQ(errno, ELOOP);
  EXPECT_FALSE(open("a/up"));
  EXPECT_FALSE(open("absolute", O_RDONLY | O_DIRECTORY));
  EXPECT_EQ(errno, ELOOP);
}

TEST_P(OpenBeneath, DoesNotWriteThroughASymbolicLink) {
  EXPECT_FALSE(open("a/leaf", O_WRONLY | O_CREAT | O_TRUNC));
  EXPECT_EQ(outside_.read("secret"), "outside");
}

TEST_P(OpenBeneath, DoesNotLeaveUpwardsOrToTheRoot) {
  EXPECT_FALSE(
      open("../" + std::filesystem::path(outside_.path()).filename().string() + "/secret"));
  EXPECT_FALSE(open(".."));
  EXPECT_FALSE(open("a/../../x"));
  EXPECT_FALSE(open("/etc/passwd"));
  EXPECT_FALSE(open(outside_ / "secret"));
}

INSTANTIATE_TEST_SUITE_P(Openat2, OpenBeneath, testing::Values(&open_beneath));
INSTANTIATE_TEST_SUITE_P(Walking, OpenBeneath, testing::Values(&open_by_walking));

} // namespace
} // namespace datum::cp
