// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cp/placement.h"

#include <linux/capability.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <stdexcept>

#include <gtest/gtest.h>

#include "cp/file_error.h"
#include "folder.h"

namespace datum::cp {
namespace {

class PlacementTest : public testing::Test {
 protected:
  Placement make(const std::string& path, bool into, Mode mode = Mode::Copy) {
    return Placement({folder_.open(), path, into}, mode);
  }
  test::Folder folder_;
};

TEST_F(PlacementTest, IntoAFolderKeepsTheName) {
  const Placement to = make("dest", true);
  EXPECT_TRUE(folder_.exists("dest"));
  EXPECT_EQ(to.place("tree", Kind::Directory), "dest/tree");
  EXPECT_EQ(to.place("tree/a/b", Kind::File), "dest/tree/a/b");
}

TEST_F(PlacementTest, ANewNameReplacesTheFirstComponent) {
  const Placement to = make("copy", false);
  EXPECT_EQ(to.place("tree", Kind::Directory), "copy");
  EXPECT_EQ(to.place("tree/a/b", Kind::File), "copy/a/b");
  EXPECT_EQ(to.place("file", Kind::File), "copy");
}

TEST_F(PlacementTest, ATreeGoesToTheSamePlaceTwiceButAFileGoesIntoAFolder) {
  folder_.write("copy/x", "");
  const Placement to = make("copy", false);
  EXPECT_EQ(to.place("tree", Kind::Directory), "copy");
  EXPECT_EQ(to.place("file", Kind::File), "copy/file");
}

TEST_F(PlacementTest, HostilePathsAreRefused) {
  const Placement to = make("", true);
  for (const char* path : {"../x", "/x", "a/../../x", "", "a//b", ".dat-cp-x", "a/.dat-cp-link"})
    EXPECT_THROW((void)to.place(path, Kind::File), std::invalid_argument) << path;
}

TEST_F(PlacementTest, ADryRunCreatesNothing) {
  make("dest", true, Mode::DryRun);
  EXPECT_FALSE(folder_.exists("dest"));
}

TEST_F(PlacementTest, NothingIsCreatedThroughASymbolicLink) {
  test::Folder outside;
  std::filesystem::create_directory_symlink(outside.path(), folder_ / "out");
  Placement to = make("", true);
  EXPECT_THROW(to.make_folder("out/new"), FileError);
  EXPECT_THROW(to.make_folder("out"), FileError);
  EXPECT_THROW((void)to.parent("out/file"), FileError);
  EXPECT_THROW(to.finish_folder("out", 0777, {}), FileError);
  Offer link;
  link.target = "/etc";
  EXPECT_THROW(to.make_link("out/link", link), FileError);
  EXPECT_TRUE(std::filesystem::is_empty(outside.path()));
}

TEST_F(PlacementTest, ALinkIsMadeAsALinkAndReplacesAFile) {
  folder_.write("link", "a file");
  const Placement to = make("", true);
  Offer offer;
  offer.kind = Kind::Symlink;
  offer.target = "../../etc/passwd";
  to.make_link("link", offer);
  EXPECT_EQ(std::filesystem::read_symlink(folder_ / "link"), "../../etc/passwd");
  EXPECT_EQ(Placement::present(to.look("link"), offer), Present::Same);
  offer.target = "other";
  EXPECT_EQ(Placement::present(to.look("link"), offer), Present::Other);
  EXPECT_EQ(folder_.leftovers(), 0);
}

TEST_F(PlacementTest, ALinkDoesNotReplaceAFolder) {
  folder_.write("folder/x", "");
  Offer offer;
  offer.kind = Kind::Symlink;
  offer.target = "t";
  const Placement to = make("", true);
  EXPECT_THROW(to.make_link("folder", offer), FileError);
  EXPECT_EQ(folder_.leftovers(), 0);
}

TEST_F(PlacementTest, AFolderTwiceIsOneFolder) {
  Placement to = make("", true);
  EXPECT_TRUE(to.make_folder("a"));
  EXPECT_FALSE(to.make_folder("a"));
  to.finish_folder("a", 0555, {1234, 0});
  struct stat st = {};
  ASSERT_EQ(stat((folder_ / "a").c_str(), &st), 0);
  EXPECT_EQ(st.st_mode & 07777, 0555U);
  EXPECT_EQ(st.st_mtim.tv_sec, 1234);
  // A later run must be able to write into the folder.
  EXPECT_FALSE(to.make_folder("a"));
  ASSERT_EQ(stat((folder_ / "a").c_str(), &st), 0);
  EXPECT_EQ(st.st_mode & 0700, 0700U);
}

TEST_F(PlacementTest, AFolderKeepsItsStickyAndSetGroupIdBits) {
  std::filesystem::create_directory(folder_ / "a");
  ASSERT_EQ(chmod((folder_ / "a").c_str(), 03577), 0);
  Placement to = make("", true);
  EXPECT_FALSE(to.make_folder("a")); // makes it writable for its owner
  struct stat st = {};
  ASSERT_EQ(stat((folder_ / "a").c_str(), &st), 0);
  EXPECT_EQ(st.st_mode & 07777, 03777U);
  to.finish_folder("a", 0750, {1234, 0});
  ASSERT_EQ(stat((folder_ / "a").c_str(), &st), 0);
  EXPECT_EQ(st.st_mode & 07777, 03750U);
}

mode_t mode_of(const std::string& path) {
  struct stat st = {};
  return stat(path.c_str(), &st) == 0 ? st.st_mode & 07777U : 0;
}

// The copy does not offer this folder, so no end of a folder would set its permissions again.
TEST_F(PlacementTest, ADestinationFolderThatIsThereKeepsItsPermissions) {
  std::filesystem::create_directory(folder_ / "ro");
  ASSERT_EQ(chmod((folder_ / "ro").c_str(), 0555), 0);
  const Placement to = make("ro", true);
  EXPECT_EQ(mode_of(folder_ / "ro"), 0555U);
}

TEST_F(PlacementTest, ADestinationFolderIsNoLinkAndNoFile) {
  folder_.write("file", "");
  folder_.write("folder/x", "");
  std::filesystem::create_directory_symlink("folder", folder_ / "link");
  EXPECT_THROW(make("file", true), FileError);
  EXPECT_THROW(make("link", true), FileError);
}

TEST_F(PlacementTest, AFolderWhoseEndDoesNotComeIsAsItWas) {
  std::filesystem::create_directories(folder_ / "a/b");
  ASSERT_EQ(chmod((folder_ / "a/b").c_str(), 0555), 0);
  ASSERT_EQ(chmod((folder_ / "a").c_str(), 02555), 0);
  {
    Placement to = make("", true);
    EXPECT_FALSE(to.make_folder("a"));
    EXPECT_FALSE(to.make_folder("a/b"));
    EXPECT_EQ(mode_of(folder_ / "a"), 02755U);
    EXPECT_EQ(mode_of(folder_ / "a/b"), 0755U);
  }
  EXPECT_EQ(mode_of(folder_ / "a/b"), 0555U);
  EXPECT_EQ(mode_of(folder_ / "a"), 02555U);
}

bool give_up_right(unsigned right) {
  __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct data[2] = {};
  if (syscall(SYS_capget, &header, data) != 0) return false;
  data[0].effective &= ~(1U << right);
  return syscall(SYS_capset, &header, data) == 0;
}

// The kernel clears the set-group-id bit when a process outside the folder's group sets the mode.
TEST_F(PlacementTest, AFolderWhoseSetGroupIdBitIsLostIsReadOnlyAgain) {
  const std::string path = folder_ / "a";
  std::filesystem::create_directory(path);
  constexpr gid_t kForeign = 54321;
  if (chown(path.c_str(), static_cast<uid_t>(-1), kForeign) != 0)
    GTEST_SKIP() << "only root gives a folder to a foreign group";
  ASSERT_EQ(chmod(path.c_str(), 02555), 0);
  const pid_t child = fork();
  if (child == 0) { // only the child gives up the capability that keeps the bit
    if (!give_up_right(CAP_FSETID)) _exit(2);
    {
      Placement to = make("", true);
      to.make_folder("a");
      if (mode_of(path) != 0755) _exit(1);
    }
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(mode_of(path), 0555U);
}

// After leave_folder() dat-cp must not change the mode of the folder any more.
TEST_F(PlacementTest, AFolderThatIsLeftIsAsItWasAndNotTouchedAgain) {
  std::filesystem::create_directory(folder_ / "a");
  ASSERT_EQ(chmod((folder_ / "a").c_str(), 0555), 0);
  {
    Placement to = make("", true);
    EXPECT_FALSE(to.make_folder("a"));
    to.leave_folder("a");
    EXPECT_EQ(mode_of(folder_ / "a"), 0555U);
    ASSERT_EQ(chmod((folder_ / "a").c_str(), 0755), 0);
  }
  EXPECT_EQ(mode_of(folder_ / "a"), 0755U);
}

TEST_F(PlacementTest, AFolderThatWasChangedMeanwhileIsLeftAlone) {
  for (const char* name : {"moded", "moved"}) {
    std::filesystem::create_directory(folder_ / name);
    ASSERT_EQ(chmod((folder_ / name).c_str(), 0555), 0);
  }
  {
    Placement to = make("", true);
    EXPECT_FALSE(to.make_folder("moded"));
    EXPECT_FALSE(to.make_folder("moved"));
    ASSERT_EQ(chmod((folder_ / "moded").c_str(), 0711), 0);
    std::filesystem::rename(folder_ / "moved", folder_ / "elsewhere");
    std::filesystem::create_directory(folder_ / "moved");
    ASSERT_EQ(chmod((folder_ / "moved").c_str(), 0755), 0);
  }
  EXPECT_EQ(mode_of(folder_ / "moded"), 0711U);
  EXPECT_EQ(mode_of(folder_ / "moved"), 0755U);
}

TEST_F(PlacementTest, AFileIsInTheWayOfAFolder) {
  folder_.write("a", "");
  EXPECT_THROW(make("", true).make_folder("a"), FileError);
}

TEST_F(PlacementTest, SizeTimeAndModeDecideWhetherAFileIsThere) {
  folder_.write("f", "12345");
  chmod((folder_ / "f").c_str(), 0644);
  const timespec times[2] = {{50, 60}, {50, 60}};
  utimensat(AT_FDCWD, (folder_ / "f").c_str(), times, 0);
  const Placement to = make("", true);
  const Offer same = {1, Kind::File, 0644, {50, 60}, 5, "f", ""};
  EXPECT_EQ(Placement::present(to.look("f"), same), Present::Same);
  Offer other = same;
  other.size = 6;
  EXPECT_EQ(Placement::present(to.look("f"), other), Present::Other);
  other = same;
  other.mtime.nanoseconds = 61;
  EXPECT_EQ(Placement::present(to.look("f"), other), Present::Other);
  other = same;
  other.mode = 0600;
  EXPECT_EQ(Placement::present(to.look("f"), other), Present::Other);
  EXPECT_EQ(Placement::present(to.look("missing"), same), Present::Nothing);
  EXPECT_EQ(Placement::present(to.look("missing/f"), same), Present::Nothing);
}

} // namespace
} // namespace datum::cp
