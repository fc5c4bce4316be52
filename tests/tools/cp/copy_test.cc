// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Source and Sink together, in two threads, over a LoopLink instead of a provider.
#include <sys/stat.h>
#include <unistd.h>

#include <exception>
#include <thread>

#include <gtest/gtest.h>

#include "cp/sink.h"
#include "cp/source.h"
#include "folder.h"
#include "loop_link.h"

namespace datum::cp {
namespace {

const std::string kRefusedWhy =
    " (it or its folder is another user's, or may not be changed, see lsattr(1), or a filter of "
    "system calls refuses the call)";

class Copy : public testing::TestWithParam<Method> {
 protected:
  struct Side : Reporter {
    std::vector<std::string> texts;
    void outcome(Outcome o, const std::string& p, std::uint64_t s, const std::string& t) override {
      Reporter::outcome(o, p, s, t);
      if (!t.empty()) texts.push_back(t);
    }
    void problem(Severity s, const std::string& t) override {
      Reporter::problem(s, t);
      texts.push_back(t);
    }
  };

  // Copies from_/name to to_/destination. If one side throws, its link is cut and only that side
  // ends.
  void run(const std::string& name, const std::string& destination, Mode mode = Mode::Copy,
           const std::function<void(test::LoopLink& source, test::LoopLink& sink)>& prepare = {}) {
    const Terms terms = {GetParam(), mode, 65536, 4, true, compare_};
    const auto links = test::LoopLink::pair(terms.chunk_size, terms.depth);
    test::LoopLink *const source_link = links.first.get(), *const sink_link = links.second.get();
    if (prepare) prepare(*source_link, *sink_link);
    source_ = sink_ = Side();
    source_ended_well_ = sink_ended_well_ = false;
    std::thread sink([&] {
      guard(*sink_link, sink_ended_well_, [&] {
        Sink(*sink_link, terms, {to_.open(), destination, destination.empty()}, sink_, kWorkers)
            .run();
      });
    });
    guard(*source_link, source_ended_well_, [&] {
      std::vector<Root> roots;
      roots.push_back({std::make_shared<const UniqueFd>(from_.open()), name, name, name});
      Source(*source_link, terms, std::move(roots), source_).run();
    });
    sink.join();
  }
  void guard(test::LoopLink& link, bool& ended_well, const std::function<void()>& body) {
    try {
      body();
      ended_well = true;
    } catch (const std::exception& error) {
      const std::lock_guard lock(mutex_);
      errors_ += std::string(error.what()) + "; ";
      link.cut();
    }
  }
  void expect_same(const std::string& from, const std::string& to) {
    EXPECT_TRUE(from_.read(from) == to_.read(to)) << from;
  }

  static constexpr std::size_t kWorkers = 2;
  bool compare_ = false;
  test::Folder from_, to_;
  Side source_, sink_;
  bool source_ended_well_ = false, sink_ended_well_ = false;
  std::mutex mutex_;
  std::string errors_;
};

TEST_P(Copy, ATreeArrivesWithContentsModesTimesAndLinks) {
  from_.write("t/a", "alpha");
  from_.write("t/d/big", test::noise(3 * test::kMiB + 17));
  from_.write("t/d/empty", "");
  from_.write("t/d/one-chunk", test::noise(65536));
  std::filesystem::create_symlink("../../etc/passwd", from_ / "t/link");
  std::filesystem::create_symlink("nowhere", from_ / "t/dangling");
  chmod((from_ / "t/a").c_str(), 0400);
  chmod((from_ / "t/d").c_str(), 0555);
  run("t", "");
  EXPECT_TRUE(source_ended_well_ && sink_ended_well_) << errors_;
  for (const char* name : {"t/a", "t/d/big", "t/d/empty", "t/d/one-chunk"}) expect_same(name, name);
  EXPECT_EQ(std::filesystem::read_symlink(to_ / "t/link"), "../../etc/passwd");
  EXPECT_EQ(std::filesystem::read_symlink(to_ / "t/dangling"), "nowhere");
  for (const char* name : {"t/a", "t/d", "t/d/big", "t"}) {
    struct stat a = {}, b = {};
    ASSERT_EQ(lstat((from_ / name).c_str(), &a), 0);
    ASSERT_EQ(lstat((to_ / name).c_str(), &b), 0);
    EXPECT_EQ(a.st_mode, b.st_mode) << name;
    EXPECT_EQ(a.st_mtim.tv_sec, b.st_mtim.tv_sec) << name;
    EXPECT_EQ(a.st_mtim.tv_nsec, b.st_mtim.tv_nsec) << name;
  }
  EXPECT_EQ(source_.summary.copied, 8U);
  EXPECT_EQ(sink_.summary.copied, 8U);
  EXPECT_EQ(source_.summary.bytes_moved, 5 + 3 * test::kMiB + 17 + 65536);
  EXPECT_EQ(to_.leftovers("t/d"), 0);
}

TEST_P(Copy, ASingleFileLinkOrFolderArrives) {
  from_.write("f", "one");
  std::filesystem::create_symlink("f", from_ / "l");
  std::filesystem::create_directory(from_ / "d");
  for (const char* name : {"f", "l", "d"}) {
    run(name, "");
    EXPECT_TRUE(source_ended_well_ && sink_ended_well_) << name << errors_;
    EXPECT_EQ(source_.summary.copied, 1U) << name;
    EXPECT_TRUE(to_.exists(name)) << name;
  }
}

TEST_P(Copy, ASingleFileThatIsRefusedEndsTheCopy) {
  from_.write("f", "one");
  to_.write("f/in/the/way", "");
  run("f", "");
  EXPECT_TRUE(source_ended_well_ && sink_ended_well_) << errors_;
  EXPECT_EQ(source_.summary.failed, 1U);
}

TEST_P(Copy, ASecondRunFindsNothingToDo) {
  from_.write("t/a", "alpha");
  std::filesystem::create_symlink("a", from_ / "t/l");
  run("t", "copy");
  run("t", "copy");
  EXPECT_EQ(source_.summary.copied, 0U);
  EXPECT_EQ(source_.summary.unchanged, 3U);
  EXPECT_EQ(source_.summary.bytes_moved, 0U);
  expect_same("t/a", "copy/a");
}

TEST_P(Copy, ManySmallFilesArrive) {
  for (int i = 0; i < 1000; ++i)
    from_.write("t/" + std::to_string(i), "content " + std::to_string(i));
  run("t", "");
  EXPECT_EQ(sink_.summary.copied, 1001U);
  EXPECT_EQ(to_.read("t/0"), "content 0");
  EXPECT_EQ(to_.read("t/999"), "content 999");
}

TEST_P(Copy, ASparseFileStaysSparseAndItsHolesAreNotMoved) {
  from_.write("t", "");
  ASSERT_EQ(truncate((from_ / "t").c_str(), 1LL << 30), 0);
  {
    std::fstream file(from_ / "t", std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(500'000'000);
    file << "island";
  }
  run("t", "");
  struct stat st = {};
  ASSERT_EQ(stat((to_ / "t").c_str(), &st), 0);
  EXPECT_EQ(st.st_size, 1LL << 30);
  EXPECT_LT(st.st_blocks * 512, 4 * 1048576);
  EXPECT_LT(source_.summary.bytes_moved, 1048576U);
  EXPECT_EQ(source_.summary.copied, 1U);
  std::ifstream file(to_ / "t", std::ios::binary);
  file.seekg(499'999'999);
  std::string found(8, '?');
  file.read(found.data(), 8);
  EXPECT_EQ(found, std::string("\0island\0", 8));
}

TEST_P(Copy, ACutCopyContinuesWithWhatIsMissing) {
  from_.write("t", test::noise(12 * test::kMiB));
  // 160 chunks of 64 KiB are 10 MiB. The second run continues after the two whole blocks of 4 MiB.
  run("t", "", Mode::Copy, [](auto& source, auto&) { source.cut_at_load(161); });
  EXPECT_FALSE(source_ended_well_ || sink_ended_well_);
  EXPECT_FALSE(to_.exists("t"));
  run("t", "");
  EXPECT_TRUE(source_ended_well_ && sink_ended_well_) << errors_;
  EXPECT_EQ(sink_.summary.bytes_resumed, 8 * test::kMiB);
  EXPECT_EQ(source_.summary.bytes_moved, 4 * test::kMiB);
  expect_same("t", "t");
  EXPECT_EQ(to_.leftovers(), 0);
}

TEST_P(Copy, ACutCopyLeavesAReadOnlyFolderReadOnly) {
  from_.write("t/d/big", test::noise(12 * test::kMiB));
  std::filesystem::create_directories(to_ / "t/d");
  chmod((to_ / "t/d").c_str(), 0555);
  run("t", "", Mode::Copy, [](auto& source, auto&) { source.cut_at_load(161); });
  EXPECT_FALSE(source_ended_well_ || sink_ended_well_);
  struct stat st = {};
  ASSERT_EQ(stat((to_ / "t/d").c_str(), &st), 0);
  EXPECT_EQ(st.st_mode & 07777, 0555U);
  EXPECT_EQ(to_.leftovers("t/d"), 2); // the first run has written into it
}

TEST_P(Copy, ASourceThatChangedAfterACutIsCopiedFromTheStart) {
  from_.write("t", test::noise(12 * test::kMiB));
  run("t", "", Mode::Copy, [](auto& source, auto&) { source.cut_at_load(161); });
  from_.write("t", test::noise(12 * test::kMiB, 2));
  run("t", "");
  EXPECT_EQ(sink_.summary.bytes_resumed, 0U);
  expect_same("t", "t");
}

TEST_P(Copy, ADamagedChunkIsNoticedAndTheFileDoesNotAppear) {
  from_.write("t/bad", test::noise(200'000));
  from_.write("t/good", "fine");
  run("t", "", Mode::Copy, [](auto& source, auto& sink) {
    source.damage_slot(2);
    sink.damage_slot(2);
  });
  EXPECT_EQ(sink_.summary.failed, 1U);
  ASSERT_EQ(source_.texts.size(), 1U);
  EXPECT_NE(source_.texts[0].find("checksum of \"t/bad\" differs"), std::string::npos);
  EXPECT_FALSE(to_.exists("t/bad"));
  EXPECT_EQ(to_.read("t/good"), "fine");
  EXPECT_EQ(to_.leftovers("t"), 0);
}

TEST_P(Copy, ADryRunTellsAndTouchesNothing) {
  from_.write("t/a", "alpha");
  run("t", "", Mode::DryRun);
  EXPECT_EQ(source_.summary.would_copy, 2U);
  EXPECT_TRUE(std::filesystem::is_empty(to_.path()));
}

// If dat-cp may not make a folder writable, the folder gets no files. A dry run must end as the
// copy does.
TEST_P(Copy, ADryRunForetellsThatTheFolderOfAnotherUserStaysReadOnly) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can make files of another user";
  constexpr uid_t kUs = 65534;
  from_.write("t/a", "alpha");
  std::filesystem::create_directory(to_ / "ro");
  chmod((to_ / "ro").c_str(), 0555);
  for (const std::string& path : {from_.path(), to_.path()})
    ASSERT_EQ(chown(path.c_str(), kUs, kUs), 0);
  ASSERT_EQ(seteuid(kUs), 0);
  std::vector<std::vector<std::string>> texts;
  for (const Mode mode : {Mode::DryRun, Mode::Copy}) {
    run("t", "ro", mode);
    EXPECT_TRUE(source_ended_well_ && sink_ended_well_) << errors_;
    EXPECT_EQ(sink_.summary.would_copy + sink_.summary.copied, 0U);
    EXPECT_EQ(sink_.summary.failed, 2U);
    texts.push_back(sink_.texts);
  }
  ASSERT_EQ(seteuid(0), 0);
  EXPECT_EQ(texts[0], texts[1]);
  ASSERT_EQ(texts[0].size(), 1U);
  EXPECT_EQ(texts[0][0], "cannot make writable \"ro\": Operation not permitted" + kRefusedWhy);
}

// The file inside the folder is copied.
TEST_P(Copy, AFolderWhoseModeAnotherUserSetsCountsOnceAndADryRunForetellsThat) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can make files of another user";
  constexpr uid_t kUs = 65534;
  from_.write("t/x", "12345");
  std::filesystem::create_directory(to_ / "t");
  chmod((to_ / "t").c_str(), 0777);
  for (const std::string& path : {from_.path(), to_.path()})
    ASSERT_EQ(chown(path.c_str(), kUs, kUs), 0);
  ASSERT_EQ(seteuid(kUs), 0);
  for (const Mode mode : {Mode::DryRun, Mode::Copy}) {
    run("t", "", mode);
    EXPECT_TRUE(source_ended_well_ && sink_ended_well_) << errors_;
    for (const Side* side : {&source_, &sink_}) {
      EXPECT_EQ(side->summary.would_copy + side->summary.copied, 1U);
      EXPECT_EQ(side->summary.unchanged, 0U);
      EXPECT_EQ(side->summary.failed, 1U);
      EXPECT_EQ(side->texts,
                std::vector<std::string>{
                    "cannot set mode and time of \"t\": Operation not permitted" + kRefusedWhy});
    }
  }
  ASSERT_EQ(seteuid(0), 0);
}

TEST_P(Copy, VerifyFindsEveryDifferenceAndMovesNothing) {
  from_.write("t/same", "12345");
  from_.write("t/changed", "12345");
  from_.write("t/longer", "12345");
  from_.write("t/missing", "12345");
  run("t", "");
  to_.write("t/changed", "12x45");
  to_.write("t/longer", "123456");
  std::filesystem::remove(to_ / "t/missing");
  run("t", "", Mode::Verify);
  EXPECT_EQ(source_.summary.differing, 3U);
  EXPECT_EQ(sink_.summary.differing, 3U);
  EXPECT_EQ(source_.summary.unchanged, 2U);
  EXPECT_EQ(source_.summary.bytes_moved, 0U);
  EXPECT_EQ(to_.read("t/changed"), "12x45");
}

TEST_P(Copy, WithChecksumsAChangedFileOfTheSameSizeAndTimeIsCopiedAgain) {
  from_.write("t/a", "alpha");
  from_.write("t/b", test::noise(5 * test::kMiB));
  from_.write("t/empty", "");
  run("t", "");
  const auto time = std::filesystem::last_write_time(to_ / "t/a");
  to_.write("t/a", "ALPHA");
  std::filesystem::last_write_time(to_ / "t/a", time);
  run("t", "");
  EXPECT_EQ(to_.read("t/a"), "ALPHA");
  EXPECT_EQ(source_.summary.skipped, 3U);
  EXPECT_EQ(sink_.summary.skipped, 3U);
  EXPECT_EQ(source_.summary.compared, 0U);
  compare_ = true;
  run("t", "");
  EXPECT_TRUE(source_ended_well_ && sink_ended_well_) << errors_;
  EXPECT_EQ(to_.read("t/a"), "alpha");
  EXPECT_EQ(source_.summary.copied, 1U);
  EXPECT_EQ(source_.summary.bytes_moved, 5U);
  for (const Side* side : {&source_, &sink_}) {
    EXPECT_EQ(side->summary.compared, 3U);
    EXPECT_EQ(side->summary.skipped, 0U);
  }
}

// About a hundred small files share a slot of 64 KiB, two of 40,000 octets do not fit into one, and
// the file of 3 MiB takes many.
TEST_P(Copy, FilesOfAllSizesShareSlotsAndKeepTheirContents) {
  for (std::size_t i = 0; i < 400; ++i)
    from_.write("t/" + std::to_string(i), test::noise(i % 20 == 19 ? 40'000 : 500 + i, i));
  from_.write("t/large", test::noise(3 * test::kMiB + 1, 7));
  run("t", "");
  EXPECT_TRUE(source_ended_well_ && sink_ended_well_) << errors_;
  for (int i = 0; i < 400; ++i) expect_same("t/" + std::to_string(i), "t/" + std::to_string(i));
  expect_same("t/large", "t/large");
  EXPECT_EQ(to_.leftovers("t"), 0);
}

TEST_P(Copy, AFileThatIsThereIsReplacedBySomethingWhole) {
  from_.write("t/a", "new");
  from_.write("t/b", test::noise(200'000));
  to_.write("t/a", "what was there");
  to_.write("t/b", "what was there");
  run("t", "");
  expect_same("t/a", "t/a");
  expect_same("t/b", "t/b");
  EXPECT_EQ(to_.leftovers("t"), 0);
}

TEST_P(Copy, AFolderInTheWayFailsThatFileOnly) {
  from_.write("t/x", "file");
  from_.write("t/y", "file");
  to_.write("t/x/inside", "");
  run("t", "");
  EXPECT_EQ(source_.summary.failed, 1U);
  EXPECT_EQ(to_.read("t/y"), "file");
  EXPECT_TRUE(to_.exists("t/x/inside"));
}

TEST_P(Copy, AFolderThatCannotBeMadeIsSaidOnceAndEverythingInItCounts) {
  from_.write("t/d/a", "file");
  from_.write("t/d/b", "file");
  from_.write("t/d/deep/c", "file");
  from_.write("t/e", "arrives");
  to_.write("t/d", "a file in the way");
  run("t", "");
  EXPECT_EQ(source_.summary.failed, 5U) << "d, a, b, deep, c";
  EXPECT_EQ(sink_.summary.failed, 5U);
  ASSERT_EQ(source_.texts.size(), 1U) << source_.texts.back();
  EXPECT_EQ(source_.texts.front().find("cannot use as a folder \"t/d\""), 0U);
  EXPECT_EQ(sink_.texts, source_.texts);
  EXPECT_EQ(to_.read("t/e"), "arrives");
}

TEST_P(Copy, ALinkInTheDestinationIsReplacedNotFollowed) {
  test::Folder outside;
  outside.write("victim", "untouched");
  from_.write("t/x", "new");
  to_.write("t/other", "");
  std::filesystem::create_symlink(outside / "victim", to_ / "t/x");
  run("t", "");
  EXPECT_EQ(outside.read("victim"), "untouched");
  EXPECT_EQ(to_.read("t/x"), "new");
}

TEST_P(Copy, ALinkedFolderInTheDestinationIsNotEntered) {
  test::Folder outside;
  from_.write("t/d/x", "new");
  to_.write("t/other", "");
  std::filesystem::create_directory_symlink(outside.path(), to_ / "t/d");
  run("t", "");
  EXPECT_TRUE(std::filesystem::is_empty(outside.path()));
  EXPECT_GE(source_.summary.failed, 1U);
}

INSTANTIATE_TEST_SUITE_P(Write, Copy, testing::Values(Method::Write));
INSTANTIATE_TEST_SUITE_P(Read, Copy, testing::Values(Method::Read));

} // namespace
} // namespace datum::cp
