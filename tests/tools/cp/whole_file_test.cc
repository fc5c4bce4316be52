// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cp/whole_file.h"

#include <sys/stat.h>

#include <cerrno>

#include <gtest/gtest.h>

#include "cp/file_error.h"
#include "folder.h"

namespace datum::cp {
namespace {

class WholeFileTest : public testing::Test {
 protected:
  [[nodiscard]] WholeFile file(const std::string& content, Existing existing) const {
    const auto bytes = test::bytes_of(content);
    return {std::make_shared<const UniqueFd>(folder_.open()),
            {"d/file", content.size(), {1000, 7}},
            0642,
            existing,
            bytes,
            digest_of_short_file(bytes)};
  }
  test::Folder folder_;
};

TEST_F(WholeFileTest, AppearsWithModeAndTimeWhateverTheMask) {
  const std::string content = "hello";
  const mode_t before = umask(077);
  const bool done = put_in_place(file(content, Existing::Keep));
  umask(before);
  EXPECT_TRUE(done);
  EXPECT_EQ(folder_.read("file"), "hello");
  struct stat st = {};
  ASSERT_EQ(stat((folder_ / "file").c_str(), &st), 0);
  EXPECT_EQ(st.st_mode & 07777, 0642U);
  EXPECT_EQ(st.st_mtim.tv_sec, 1000);
  EXPECT_EQ(st.st_mtim.tv_nsec, 7);
  EXPECT_EQ(st.st_nlink, 1U);
  EXPECT_EQ(folder_.leftovers(), 0);
}

TEST_F(WholeFileTest, AWrongDigestTouchesNothing) {
  const std::string content = "hello";
  WholeFile damaged = file(content, Existing::Keep);
  damaged.digest[0] ^= std::byte{1};
  EXPECT_FALSE(put_in_place(damaged));
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

TEST_F(WholeFileTest, WhatAppearedMeanwhileIsKept) {
  const std::string content = "new";
  folder_.write("file", "somebody else's");
  try {
    put_in_place(file(content, Existing::Keep));
    FAIL() << "it was replaced";
  } catch (const FileError& error) {
    EXPECT_EQ(error.error(), EEXIST);
  }
  EXPECT_EQ(folder_.read("file"), "somebody else's");
  EXPECT_EQ(folder_.leftovers(), 0);
}

TEST_F(WholeFileTest, WhatIsToBeReplacedIs) {
  const std::string content = "new";
  folder_.write("file", "old");
  EXPECT_TRUE(put_in_place(file(content, Existing::Replace)));
  EXPECT_EQ(folder_.read("file"), "new");
  EXPECT_EQ(folder_.leftovers(), 0);
}

TEST_F(WholeFileTest, AnEmptyFileIsAFile) {
  EXPECT_TRUE(put_in_place(file("", Existing::Keep)));
  EXPECT_TRUE(folder_.exists("file"));
  EXPECT_EQ(folder_.read("file"), "");
}

} // namespace
} // namespace datum::cp
