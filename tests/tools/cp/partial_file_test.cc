// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cp/partial_file.h"

#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "cp/file_error.h"
#include "folder.h"
#include "tests/filter.h"

namespace datum::cp {
namespace {

Digest digest_of_file(const std::string& text) {
  FileDigest digest;
  digest.update(test::bytes_of(text));
  return digest.finish();
}

class PartialFileTest : public testing::Test {
 protected:
  std::unique_ptr<PartialFile> open(std::uint64_t size, Time mtime = {1000, 7}) {
    return std::make_unique<PartialFile>(std::make_shared<const UniqueFd>(folder_.open()),
                                         Identity{"file", size, mtime}, 0640, [] {});
  }
  // Leaves a file as a run leaves it that was cut after `received` bytes.
  void leave(const std::string& content, std::size_t received) {
    open(content.size())->append(test::bytes_of(content).first(received));
  }
  // Gives the leftovers of an earlier run to another user, and lets all users read and write them.
  void give_leftovers_away() const {
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path()))
      if (entry.path().filename().string().starts_with(".dat-cp-")) {
        ASSERT_EQ(chown(entry.path().c_str(), kAnother, kAnother), 0);
        ASSERT_EQ(chmod(entry.path().c_str(), 0666), 0);
      }
  }
  // Does what another user's dat-cp does if it takes the file for leftovers.
  void replace_the_only_file() const {
    const std::filesystem::directory_iterator first(folder_.path());
    ASSERT_NE(first, std::filesystem::directory_iterator());
    const std::string name = first->path().filename().string();
    std::filesystem::remove(folder_ / name);
    folder_.write(name, "half");
  }
  static constexpr uid_t kAnother = 65534, kUs = 65533;
  test::Folder folder_;
};

TEST_F(PartialFileTest, AppearsWholeWithModeAndTime) {
  auto file = open(5);
  file->append(test::bytes_of("hello"));
  EXPECT_FALSE(folder_.exists("file"));
  EXPECT_TRUE(file->finish(digest_of_file("hello")));
  EXPECT_EQ(folder_.read("file"), "hello");
  struct stat st = {};
  ASSERT_EQ(stat((folder_ / "file").c_str(), &st), 0);
  EXPECT_EQ(st.st_mode & 07777, 0640U);
  EXPECT_EQ(st.st_mtim.tv_sec, 1000);
  EXPECT_EQ(st.st_mtim.tv_nsec, 7);
  EXPECT_EQ(folder_.leftovers(), 0);
}

TEST_F(PartialFileTest, AWrongDigestKeepsTheOldFileAndNothingElse) {
  folder_.write("file", "old");
  auto file = open(3);
  file->append(test::bytes_of("new"));
  EXPECT_FALSE(file->finish(digest_of_file("NEW")));
  EXPECT_EQ(folder_.read("file"), "old");
  EXPECT_EQ(folder_.leftovers(), 0);
}

TEST_F(PartialFileTest, AShortFileLeavesNothingBehindAfterACut) {
  leave("hello", 3);
  EXPECT_EQ(folder_.leftovers(), 0);
}

TEST_F(PartialFileTest, ACutFileContinuesAtTheLastWholeBlock) {
  const std::string content = test::noise(10 * test::kMiB);
  leave(content, 9 * test::kMiB);
  EXPECT_EQ(folder_.leftovers(), 2);
  auto file = open(content.size());
  ASSERT_EQ(file->offset(), 8 * test::kMiB);
  file->append(test::bytes_of(content).subspan(8 * test::kMiB));
  EXPECT_TRUE(file->finish(digest_of_file(content)));
  EXPECT_EQ(folder_.read("file"), content);
  EXPECT_EQ(folder_.leftovers(), 0);
}

TEST_F(PartialFileTest, ADamagedBlockIsNotTrusted) {
  const std::string content = test::noise(14 * test::kMiB);
  leave(content, 13 * test::kMiB);
  for (const auto& entry : std::filesystem::directory_iterator(folder_.path()))
    if (entry.path().extension() == ".part") {
      std::fstream part(entry.path(), std::ios::in | std::ios::out | std::ios::binary);
      part.seekp(5 * test::kMiB);
      part.put(static_cast<char>(content[5 * test::kMiB] ^ 1));
    }
  EXPECT_EQ(open(content.size())->offset(), 4 * test::kMiB);
}

TEST_F(PartialFileTest, AnotherVersionStartsOver) {
  const std::string content = test::noise(10 * test::kMiB);
  leave(content, 9 * test::kMiB);
  EXPECT_EQ(open(content.size(), {1001, 7})->offset(), 0U);
}

// What is left is longer than the file, and stands where it has a hole.
TEST_F(PartialFileTest, WithoutFtruncateAnotherVersionStartsOver) {
  leave(test::noise(14 * test::kMiB), 13 * test::kMiB);
  const std::string content = std::string(9 * test::kMiB, '\0') + test::noise(test::kMiB);
  bool filtered = false;
  std::thread([&] { // the filter ends with it
    filtered = datum::test::forbid_call(SYS_ftruncate, EPERM);
    if (!filtered) return;
    auto file = open(content.size(), {1001, 7});
    EXPECT_EQ(file->offset(), 0U);
    file->append_zeros(9 * test::kMiB, [] {});
    file->append(test::bytes_of(content).subspan(9 * test::kMiB));
    EXPECT_TRUE(file->finish(digest_of_file(content)));
  })
      .join();
  if (!filtered) GTEST_SKIP() << "no filter of system calls here";
  EXPECT_TRUE(folder_.read("file") == content);
  EXPECT_EQ(folder_.leftovers(), 0);
}

TEST_F(PartialFileTest, AJournalThatIsALinkToAnotherFileIsNotWritten) {
  leave(test::noise(10 * test::kMiB), 9 * test::kMiB);
  folder_.write("victim", "mine");
  for (const auto& entry : std::filesystem::directory_iterator(folder_.path()))
    if (entry.path().extension() == ".journal") {
      std::filesystem::remove(entry.path());
      std::filesystem::create_hard_link(folder_ / "victim", entry.path());
      break;
    }
  EXPECT_THROW(open(10 * test::kMiB), FileError);
  EXPECT_EQ(folder_.read("victim"), "mine");
}

TEST_F(PartialFileTest, ALongHoleCanBeGivenUp) {
  struct Enough {};
  const auto file = open(1ULL << 43U);
  int ticks = 0;
  EXPECT_THROW(file->append_zeros(1ULL << 43U,
                                  [&] {
                                    if (++ticks == 3) throw Enough{};
                                  }),
               Enough);
  EXPECT_LT(file->offset(), 1ULL << 40U);
}

TEST_F(PartialFileTest, ZerosBecomeAHole) {
  auto file = open(64 * test::kMiB + 1);
  file->append_zeros(64 * test::kMiB, [] {});
  file->append(test::bytes_of("x"));
  EXPECT_TRUE(file->finish(digest_of_file(std::string(64 * test::kMiB, '\0') + "x")));
  struct stat st = {};
  ASSERT_EQ(stat((folder_ / "file").c_str(), &st), 0);
  EXPECT_EQ(st.st_size, 67108865);
  EXPECT_LT(st.st_blocks * 512, 1048576);
}

TEST_F(PartialFileTest, TwoWritersDoNotMix) {
  auto first = open(10);
  EXPECT_THROW(open(10), FileError);
  first->append(test::bytes_of("0123456789"));
  EXPECT_TRUE(first->finish(digest_of_file("0123456789")));
}

TEST_F(PartialFileTest, ASymbolicLinkInPlaceOfTheTemporaryFileIsNotFollowed) {
  test::Folder outside;
  outside.write("victim", "untouched");
  leave(test::noise(10 * test::kMiB), 9 * test::kMiB);
  for (const auto& entry : std::filesystem::directory_iterator(folder_.path()))
    if (entry.path().extension() == ".part") {
      const auto path = entry.path();
      std::filesystem::remove(path);
      std::filesystem::create_symlink(outside / "victim", path);
      break;
    }
  EXPECT_THROW(open(10 * test::kMiB), FileError);
  EXPECT_EQ(outside.read("victim"), "untouched");
}

TEST_F(PartialFileTest, AHardLinkInPlaceOfTheTemporaryFileIsNotUsed) {
  leave(test::noise(10 * test::kMiB), 9 * test::kMiB);
  for (const auto& entry : std::filesystem::directory_iterator(folder_.path()))
    if (entry.path().extension() == ".part") {
      std::filesystem::create_hard_link(entry.path(), folder_ / "other");
      break;
    }
  EXPECT_THROW(open(10 * test::kMiB), FileError);
}

TEST_F(PartialFileTest, UnfinishedFilesOfAnotherUserAreReplacedNotUsed) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can make files of another user";
  const std::string content = test::noise(10 * test::kMiB);
  leave(content, 9 * test::kMiB);
  give_leftovers_away();
  auto file = open(content.size());
  EXPECT_EQ(file->offset(), 0U);
  for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
    struct stat st = {};
    ASSERT_EQ(stat(entry.path().c_str(), &st), 0);
    EXPECT_EQ(st.st_uid, 0U) << entry.path();
    EXPECT_EQ(st.st_mode & 07777, 0600U) << entry.path();
  }
  file->append(test::bytes_of(content));
  EXPECT_TRUE(file->finish(digest_of_file(content)));
  struct stat st = {};
  ASSERT_EQ(stat((folder_ / "file").c_str(), &st), 0);
  EXPECT_EQ(st.st_uid, 0U);
  EXPECT_EQ(folder_.leftovers(), 0);
}

TEST_F(PartialFileTest, AnUnfinishedFileOfAnotherUserThatCannotBeRemovedIsNamed) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can make files of another user";
  leave(test::noise(10 * test::kMiB), 9 * test::kMiB);
  give_leftovers_away();
  ASSERT_EQ(chmod(folder_.path().c_str(), 01777), 0);
  ASSERT_EQ(seteuid(kUs), 0);
  std::string text;
  try {
    open(10 * test::kMiB);
  } catch (const FileError& error) {
    text = error.what();
  }
  ASSERT_EQ(seteuid(0), 0);
  EXPECT_NE(text.find(".part of another user, who must remove that first"), std::string::npos)
      << text;
}

// In a folder that both users may write, another user's dat-cp removes what it takes for leftovers.
TEST_F(PartialFileTest, AFileThatReplacedTheUnfinishedOneIsNotPutInPlace) {
  auto file = open(5);
  file->append(test::bytes_of("hello"));
  replace_the_only_file();
  EXPECT_THROW(file->finish(digest_of_file("hello")), FileError);
  EXPECT_FALSE(folder_.exists("file"));
  file.reset();
  EXPECT_EQ(folder_.leftovers(), 1);
}

TEST_F(PartialFileTest, AWrongDigestRemovesNothingThatReplacedTheUnfinishedFile) {
  auto file = open(5);
  file->append(test::bytes_of("hello"));
  replace_the_only_file();
  EXPECT_FALSE(file->finish(digest_of_file("HELLO")));
  EXPECT_EQ(folder_.leftovers(), 1);
}

// The other run may already have set the final mode, just before it gives the file its name.
TEST_F(PartialFileTest, AFileThatAnotherRunIsWritingKeepsItsMode) {
  const auto first = open(10);
  for (const auto& entry : std::filesystem::directory_iterator(folder_.path()))
    ASSERT_EQ(chmod(entry.path().c_str(), 0644), 0);
  EXPECT_THROW(open(10), FileError);
  for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
    struct stat st = {};
    ASSERT_EQ(stat(entry.path().c_str(), &st), 0);
    EXPECT_EQ(st.st_mode & 07777, 0644U) << entry.path();
  }
}

TEST_F(PartialFileTest, AnUnfinishedFileOfOursThatOthersMayOpenBecomesPrivate) {
  leave(test::noise(10 * test::kMiB), 9 * test::kMiB);
  for (const auto& entry : std::filesystem::directory_iterator(folder_.path()))
    ASSERT_EQ(chmod(entry.path().c_str(), 0666), 0);
  const auto file = open(10 * test::kMiB);
  EXPECT_EQ(file->offset(), 8 * test::kMiB);
  for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
    struct stat st = {};
    ASSERT_EQ(stat(entry.path().c_str(), &st), 0);
    EXPECT_EQ(st.st_mode & 07777, 0600U) << entry.path();
  }
}

} // namespace
} // namespace datum::cp
