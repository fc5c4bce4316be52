// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The behaviour of the extent hooks that no test can cause from outside: with strict overcommit
// and, for the preloaded library, going on with private memory.
#include "arenas.h"
#include "backing.h"
#include "extent_hooks.h"

#include <cstring>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>
#include <vector>

namespace datum::memory {
namespace {

constexpr std::size_t kExtentSize = std::size_t{1} << 20;

bool all_present(void* address, std::size_t length) {
  std::vector<unsigned char> present(length / static_cast<std::size_t>(sysconf(_SC_PAGESIZE)));
  if (mincore(address, length, present.data()) != 0) return false;
  for (unsigned char page : present)
    if ((page & 1) == 0) return false;
  return true;
}

// MADV_POPULATE_WRITE came with Linux 5.14.
bool kernel_makes_pages_present() {
  return madvise(nullptr, 0, MADV_POPULATE_WRITE) == 0;
}

class ExtentHooks : public testing::Test {
 protected:
  void TearDown() override { set_extent_policy({}); }
  void* allocate(std::size_t size) {
    bool zero = false, commit = false;
    void* got = hooks_->alloc(hooks_, nullptr, size, 4096, &zero, &commit, 0);
    EXPECT_TRUE(got == nullptr || (zero && commit));
    return got;
  }
  extent_hooks_t* hooks_ = shareable_extent_hooks();
};

TEST_F(ExtentHooks, CommitEarlyMakesPagesPresentAndDecommitTakesThem) {
  if (!kernel_makes_pages_present()) GTEST_SKIP() << "this kernel has no MADV_POPULATE_WRITE";
  set_extent_policy({.private_fallback = false, .commit_early = true});
  auto* got = static_cast<char*>(allocate(kExtentSize));
  ASSERT_NE(got, nullptr);
  EXPECT_TRUE(all_present(got, kExtentSize));
  got[0] = 'x';
  EXPECT_FALSE(hooks_->decommit(hooks_, got, kExtentSize, 0, kExtentSize, 0));
  EXPECT_FALSE(all_present(got, kExtentSize));
  EXPECT_FALSE(hooks_->commit(hooks_, got, kExtentSize, 0, kExtentSize, 0));
  EXPECT_TRUE(all_present(got, kExtentSize));
  EXPECT_EQ(got[0], 0);
  // The hook refuses, because a page that it gave back would only return at the next access.
  EXPECT_TRUE(hooks_->purge_forced(hooks_, got, kExtentSize, 0, kExtentSize, 0));
}

TEST_F(ExtentHooks, OtherwisePagesComeAtFirstTouch) {
  auto* got = static_cast<char*>(allocate(kExtentSize));
  ASSERT_NE(got, nullptr);
  EXPECT_FALSE(all_present(got, kExtentSize));
  EXPECT_TRUE(hooks_->decommit(hooks_, got, kExtentSize, 0, kExtentSize, 0));
  std::memset(got, 1, kExtentSize);
  EXPECT_FALSE(hooks_->purge_forced(hooks_, got, kExtentSize, 0, kExtentSize / 2, 0));
  EXPECT_EQ(got[0], 0);
  EXPECT_EQ(got[kExtentSize / 2], 1);
}

TEST_F(ExtentHooks, PrivateFallbackGivesMemoryThatIsNotShareable) {
  set_extent_policy({.private_fallback = true, .commit_early = false});
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  rlimit none = before;
  none.rlim_cur = 0;
  setrlimit(RLIMIT_FSIZE, &none);
  constexpr std::size_t kLarge = std::size_t{70} << 20; // more than the first arena holds
  auto* got = static_cast<char*>(allocate(kLarge));
  setrlimit(RLIMIT_FSIZE, &before);
  ASSERT_NE(got, nullptr);
  EXPECT_EQ(process_arenas.owner(got), 0u);
  got[kLarge - 1] = 'x';
  EXPECT_FALSE(hooks_->purge_forced(hooks_, got, kLarge, 0, kLarge, 0));
  EXPECT_EQ(got[kLarge - 1], 0);
}

TEST_F(ExtentHooks, NeverMergesAcrossArenas) {
  Arenas& arenas = process_arenas;
  datum_memory_pages pages{};
  void* first = arenas.open_block(1, pages);
  void* second = arenas.open_block(1, pages);
  ASSERT_NE(second, nullptr);
  EXPECT_TRUE(hooks_->merge(hooks_, first, 4096, second, 4096, true, 0));
  EXPECT_FALSE(hooks_->merge(hooks_, first, 4096, static_cast<char*>(first) + 4096, 4096, true, 0));
  arenas.close_block(first);
  arenas.close_block(second);
  EXPECT_EQ(arenas.owner(first), 0u);
}

TEST(ArenaTable, RetractedArenaIsForgotten) {
  auto table = std::make_unique<ArenaTable>();
  ArenaInfo info;
  info.base = std::uintptr_t{5} << 26;
  info.length = (std::size_t{1} << 26) + 100; // reaches into a second chunk
  info.fd = 9;
  table->publish(7, info);
  EXPECT_EQ(table->owner(info.base - 1), 0u);
  EXPECT_EQ(table->owner(info.base), 7u);
  EXPECT_EQ(table->owner(info.base + info.length - 1), 7u);
  EXPECT_EQ(table->owner(info.base + info.length), 0u);
  ArenaInfo found;
  ASSERT_TRUE(table->read(7, found));
  EXPECT_EQ(found.fd, 9);
  table->retract(7);
  EXPECT_EQ(table->owner(info.base), 0u);
  EXPECT_FALSE(table->read(7, found));
}

TEST(ArenaTable, AddressesBeyondTheTableBelongToNobody) {
  auto table = std::make_unique<ArenaTable>();
  EXPECT_EQ(table->owner(std::uintptr_t{1} << 48), 0u);
  EXPECT_EQ(table->owner(UINTPTR_MAX), 0u);
}

TEST(Carve, TheLastRangeCanBeTakenBack) {
  void* first = process_arenas.carve(65536, 4096);
  ASSERT_NE(first, nullptr);
  process_arenas.uncarve(first, 65536);
  EXPECT_EQ(process_arenas.carve(65536, 4096), first);
}

} // namespace
} // namespace datum::memory
