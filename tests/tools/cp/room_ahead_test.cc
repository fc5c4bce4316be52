// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cp/room_ahead.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/statfs.h>

#include <memory>

#include <gtest/gtest.h>

#include "cp/partial_file.h"
#include "folder.h"

namespace datum::cp {
namespace {

using test::kMiB;

class RoomAheadTest : public testing::Test {
 protected:
  void SetUp() override {
    struct statfs system = {};
    ASSERT_EQ(statfs(folder_.path().c_str(), &system), 0);
    if (system.f_type != EXT4_SUPER_MAGIC) GTEST_SKIP() << "the temporary folder is not on ext4";
  }
  UniqueFd make_file() const {
    return UniqueFd(open((folder_ / "file").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  }
  static struct stat look_at(int fd) {
    struct stat st = {};
    EXPECT_EQ(fstat(fd, &st), 0);
    return st;
  }
  static std::uint64_t bytes_on_disk(int fd) {
    return static_cast<std::uint64_t>(look_at(fd).st_blocks) * 512;
  }
  test::Folder folder_;
};

TEST_F(RoomAheadTest, IsThereBeforeTheBytesAndChangesNoSize) {
  const UniqueFd file = make_file();
  RoomAhead room(file.get(), 100 * kMiB);
  room.ask(0, kMiB);
  EXPECT_GE(bytes_on_disk(file.get()), 16 * kMiB);
  EXPECT_EQ(look_at(file.get()).st_size, 0);
}

TEST_F(RoomAheadTest, IsNeverMoreThanTheFileWillHold) {
  const UniqueFd file = make_file();
  RoomAhead room(file.get(), 3 * kMiB);
  room.ask(0, kMiB);
  EXPECT_GE(bytes_on_disk(file.get()), 3 * kMiB);
  EXPECT_LT(bytes_on_disk(file.get()), 4 * kMiB);
}

TEST_F(RoomAheadTest, IsNotAskedForAShortFile) {
  const UniqueFd file = make_file();
  RoomAhead room(file.get(), kMiB - 1);
  room.ask(0, kMiB - 1);
  EXPECT_EQ(bytes_on_disk(file.get()), 0U);
}

TEST_F(RoomAheadTest, IsGivenBackWhereACopyIsCut) {
  const std::string content = test::noise(5 * kMiB);
  const std::uint64_t size = 100 * kMiB;
  PartialFile(std::make_shared<const UniqueFd>(folder_.open()), {"file", size, {1, 2}}, 0600, [] {
  }).append(test::bytes_of(content));
  for (const auto& entry : std::filesystem::directory_iterator(folder_.path()))
    if (entry.path().extension() == ".part") {
      const UniqueFd part(open(entry.path().c_str(), O_RDONLY | O_CLOEXEC));
      EXPECT_EQ(look_at(part.get()).st_size, static_cast<off_t>(5 * kMiB));
      EXPECT_LT(bytes_on_disk(part.get()), 6 * kMiB);
    }
  EXPECT_EQ(folder_.leftovers(), 2);
}

TEST_F(RoomAheadTest, LeavesAHoleAHole) {
  const std::string content = test::noise(5 * kMiB);
  const std::uint64_t size = 100 * kMiB;
  PartialFile file(std::make_shared<const UniqueFd>(folder_.open()), {"file", size, {1, 2}}, 0600,
                   [] {});
  FileDigest digest;
  digest.update(test::bytes_of(content));
  digest.update_zeros(size - content.size());
  file.append(test::bytes_of(content));
  file.append_zeros(size - content.size(), [] {});
  ASSERT_TRUE(file.finish(digest.finish()));
  const UniqueFd whole(open((folder_ / "file").c_str(), O_RDONLY | O_CLOEXEC));
  EXPECT_EQ(look_at(whole.get()).st_size, static_cast<off_t>(size));
  EXPECT_LT(bytes_on_disk(whole.get()), 6 * kMiB);
}

} // namespace
} // namespace datum::cp
