// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "child.h"

#include <datum/memory.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <thread>
#include <vector>

#include "tests/filter.h"

namespace {

using datum::test::in_child;
using datum::test::kMiB;
using datum::test::Signal;
using datum::test::spawn;
using datum::test::start_child;
using datum::test::wait_for;

constexpr std::size_t kForkedSize = 300000;

// The rules hold for blocks of every kind.
class DatumMemoryFork : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const std::string kind = GetParam();
    block_ = static_cast<char*>(kind == "small"   ? datum_memory_alloc(kForkedSize)
                                : kind == "large" ? datum_memory_alloc(16 * kMiB)
                                                  : datum_memory_alloc_huge(kForkedSize, nullptr));
    ASSERT_NE(block_, nullptr);
    std::memset(block_, 'a', kForkedSize);
  }
  void TearDown() override { datum_memory_free(block_); }
  bool is_all(char value) const {
    for (std::size_t i = 0; i < kForkedSize; ++i)
      if (block_[i] != value) return false;
    return true;
  }
  char* block_ = nullptr;
};

INSTANTIATE_TEST_SUITE_P(Blocks, DatumMemoryFork, testing::Values("small", "large", "huge"),
                         [](const auto& kind) { return std::string(kind.param); });

TEST_P(DatumMemoryFork, ChildHasWhatTheParentWroteBefore) {
  EXPECT_EQ(in_child([&] { return is_all('a') ? 0 : 1; }), 0);
}

// A child must not run with half of its heap. If the kernel does not tell which pages were written,
// the child has to end. Without descriptors its copy would consist of private pages.
TEST_P(DatumMemoryFork, ChildEndsWhereTheKernelDoesNotTellWhatWasWritten) {
  for (const bool with_files : {true, false})
    EXPECT_EQ(in_child([&] {
                if (!datum::test::forbid_call(SYS_lseek, EINVAL)) return 1;
                if (!with_files && !datum::test::forbid_call(SYS_memfd_create, EMFILE)) return 2;
                return in_child([&] { return is_all('a') ? 3 : 4; });
              }),
              (1000 + SIGABRT) % 256)
        << "with files: " << with_files;
}

TEST_P(DatumMemoryFork, ParentDoesNotSeeWhatTheChildWrites) {
  EXPECT_EQ(in_child([&] {
              std::memset(block_, 'c', kForkedSize);
              return is_all('c') ? 0 : 1;
            }),
            0);
  EXPECT_TRUE(is_all('a'));
}

TEST_P(DatumMemoryFork, ChildDoesNotSeeWhatTheParentWritesLater) {
  Signal parent_wrote;
  const pid_t child = start_child([&] {
    if (!parent_wrote.await()) return 1;
    return is_all('a') ? 0 : 2;
  });
  std::memset(block_, 'p', kForkedSize);
  ASSERT_TRUE(parent_wrote.raise());
  EXPECT_EQ(wait_for(child), 0);
  EXPECT_TRUE(is_all('p'));
}

TEST_P(DatumMemoryFork, ChildsCopyIsShareableThroughAFileOfItsOwn) {
  datum_memory_backing mine{};
  ASSERT_EQ(datum_memory_lookup(block_, kForkedSize, &mine), 0);
  EXPECT_EQ(in_child([&] {
              datum_memory_backing own{};
              if (datum_memory_lookup(block_, kForkedSize, &own) != 0) return 1;
              if (own.inode == mine.inode && own.device == mine.device) return 2;
              if (own.offset != mine.offset || own.flags != 0x1u) return 3;
              block_[kForkedSize - 1] = 'z';
              char last = 0;
              const auto at = static_cast<off_t>(own.offset + kForkedSize - 1);
              return pread(own.fd, &last, 1, at) == 1 && last == 'z' ? 0 : 4;
            }),
            0);
}

TEST_P(DatumMemoryFork, GrandchildIsSeparateFromBoth) {
  EXPECT_EQ(in_child([&] {
              std::memset(block_, 'c', kForkedSize);
              if (in_child([&] {
                    if (!is_all('c')) return 1;
                    std::memset(block_, 'g', kForkedSize);
                    return 0;
                  }) != 0)
                return 1;
              return is_all('c') ? 0 : 2;
            }),
            0);
  EXPECT_TRUE(is_all('a'));
}

TEST_P(DatumMemoryFork, ChildCanFreeAndAllocate) {
  EXPECT_EQ(in_child([&] {
              datum_memory_free(block_);
              for (std::size_t size = 16; size < 32 * kMiB; size *= 4) {
                void* fresh = datum_memory_alloc(size);
                if (fresh == nullptr) return 1;
                std::memset(fresh, 1, size);
                datum_memory_free(fresh);
              }
              return 0;
            }),
            0);
  EXPECT_TRUE(is_all('a'));
}

// If the child has no descriptor for its file, it gets private pages. They are still separate from
// the parent's pages, and lookup reports that no file is behind them.
TEST_P(DatumMemoryFork, WithoutDescriptorsTheChildHasAPrivateCopy) {
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  rlimit none = before;
  none.rlim_cur = 3;
  setrlimit(RLIMIT_NOFILE, &none);
  const pid_t child = start_child([&] {
    datum_memory_backing backing{};
    if (!is_all('a')) return 1;
    std::memset(block_, 'c', kForkedSize);
    if (datum_memory_lookup(block_, kForkedSize, &backing) != EBADF) return 2;
    datum_memory_free(block_);
    return 0;
  });
  setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_EQ(wait_for(child), 0);
  EXPECT_TRUE(is_all('a'));
}

TEST_P(DatumMemoryFork, CopiesAlsoWhatTheProgramClosedTheDescriptorOf) {
  EXPECT_EQ(in_child([&] {
              datum_memory_backing backing{};
              if (datum_memory_lookup(block_, kForkedSize, &backing) != 0) return 1;
              close(backing.fd);
              if (in_child([&] {
                    if (!is_all('a')) return 1;
                    std::memset(block_, 'g', kForkedSize);
                    return 0;
                  }) != 0)
                return 2;
              return is_all('a') ? 0 : 3;
            }),
            0);
}

TEST(DatumMemoryForkCost, HolesAreNotCopied) {
  constexpr std::size_t kSparse = std::size_t{8} << 30;
  auto* block = static_cast<char*>(datum_memory_alloc(kSparse));
  ASSERT_NE(block, nullptr);
  block[kSparse / 2] = 'm';
  EXPECT_EQ(in_child([&] { return block[kSparse / 2] == 'm' && block[0] == 0 ? 0 : 1; }), 0);
  datum_memory_free(block);
}

TEST(DatumMemorySpawn, ProgramsStartWithoutACopy) {
  auto* block = static_cast<char*>(datum_memory_alloc(kForkedSize));
  std::memset(block, 'a', kForkedSize);
  EXPECT_EQ(wait_for(spawn({"true"})), 0);
  EXPECT_EQ(block[kForkedSize - 1], 'a');
  datum_memory_free(block);
}

TEST(DatumMemoryForkStack, RefusesToForkOnAStackThatBothSidesWouldShare) {
  EXPECT_EQ(in_child([] {
              // The message of the abort would only confuse the output of the tests.
              close(STDERR_FILENO);
              const std::size_t size = 4 * kMiB;
              void* stack = datum_memory_aligned(4096, size);
              pthread_attr_t attributes;
              pthread_attr_init(&attributes);
              if (stack == nullptr || pthread_attr_setstack(&attributes, stack, size) != 0)
                return 1;
              pthread_t thread{};
              if (pthread_create(
                      &thread, &attributes,
                      [](void*) -> void* {
                        const pid_t child = fork();
                        if (child == 0) _exit(0);
                        return nullptr;
                      },
                      nullptr) != 0)
                return 2;
              pthread_join(thread, nullptr);
              return 3;
            }),
            1000 + SIGABRT);
}

// Threads of the parent keep writing. Their writes must not change the child's memory, and the
// child's writes must not reach the parent.
class BusyParent : public testing::Test {
 protected:
  static constexpr unsigned kThreads = 3;
  using Counter = std::atomic<std::uint64_t>;

  void SetUp() override {
    counters_ = static_cast<Counter*>(datum_memory_calloc(kThreads, sizeof(Counter)));
    ASSERT_NE(counters_, nullptr);
    for (unsigned t = 0; t < kThreads; ++t) threads_.emplace_back([this, t] { work(t); });
  }
  void TearDown() override {
    stop_ = true;
    for (std::thread& thread : threads_) thread.join();
    EXPECT_EQ(intruded_.load(), 0u);
    datum_memory_free(counters_);
  }

  void work(unsigned t) {
    std::uint64_t expected = 0;
    std::vector<void*> blocks;
    while (!stop_) {
      if (counters_[t].load(std::memory_order_relaxed) != expected) ++intruded_;
      counters_[t].store(++expected, std::memory_order_release);
      const std::size_t size = expected % 512 == 0 ? 200000 : 16 + expected % 2000;
      blocks.push_back(datum_memory_alloc(size));
      if (blocks.size() == 64) {
        for (void* block : blocks) datum_memory_free(block);
        blocks.clear();
      }
    }
    for (void* block : blocks) datum_memory_free(block);
  }

  void let_every_thread_go_on() {
    for (unsigned t = 0; t < kThreads; ++t) {
      const std::uint64_t seen = counters_[t].load(std::memory_order_acquire);
      while (counters_[t].load(std::memory_order_acquire) == seen) std::this_thread::yield();
    }
  }

  int child_body(Signal& parent_went_on) {
    std::uint64_t seen[kThreads];
    for (unsigned t = 0; t < kThreads; ++t) seen[t] = counters_[t].load();
    if (!parent_went_on.await()) return 1;
    for (unsigned t = 0; t < kThreads; ++t)
      if (counters_[t].load() != seen[t]) return 2;
    for (unsigned t = 0; t < kThreads; ++t) counters_[t].store(UINT64_MAX);
    void* block = datum_memory_alloc(1000);
    if (block == nullptr) return 3;
    datum_memory_free(block);
    return 0;
  }

  Counter* counters_ = nullptr;
  std::atomic<bool> stop_{false};
  std::atomic<unsigned> intruded_{0};
  std::vector<std::thread> threads_;
};

TEST_F(BusyParent, NeitherSideSeesTheOthersLaterWrites) {
  for (int round = 0; round < 60; ++round) {
    Signal parent_went_on;
    const pid_t child = start_child([&] { return child_body(parent_went_on); });
    let_every_thread_go_on();
    ASSERT_TRUE(parent_went_on.raise());
    ASSERT_EQ(wait_for(child), 0) << "round " << round;
  }
}

TEST_F(BusyParent, SeveralThreadsMayForkAtOnce) {
  std::atomic<int> wrong{0};
  std::vector<std::thread> forkers;
  forkers.reserve(3);
  for (int t = 0; t < 3; ++t)
    forkers.emplace_back([&wrong] {
      for (int round = 0; round < 20; ++round)
        wrong += in_child([] {
                   void* block = datum_memory_alloc(5000);
                   datum_memory_free(block);
                   return block == nullptr ? 1 : 0;
                 }) == 0
                     ? 0
                     : 1;
    });
  for (std::thread& forker : forkers) forker.join();
  EXPECT_EQ(wrong.load(), 0);
}

} // namespace
