// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Fences under a filter of system calls that forbids membarrier(2), from the start or after the
// kernel has granted it. Each body runs in a child process, so that no other test has the filter.
#include "base/fence.h"

#include <cerrno>
#include <cstdlib>
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <thread>

#include "base/biased_mutex.h"
#include "tests/filter.h"

namespace datum {
namespace {

constexpr int kDone = 7;
constexpr int kNoFilter = 77;

void forbid_membarrier() {
  if (!test::forbid_call(SYS_membarrier, EPERM)) std::_Exit(kNoFilter);
}

bool offered() {
  return heavy_fence_ready();
}

TEST(Fence, ThatIsForbiddenLaterIsNotRecommendedAnyMore) {
  if (!offered()) GTEST_SKIP() << "no membarrier here";
  const auto body = [] {
    static_cast<void>(heavy_fence_ready());
    forbid_membarrier();
    heavy_fence();
    std::_Exit(heavy_fence_ready() ? 1 : kDone);
  };
  EXPECT_EXIT(body(), testing::ExitedWithCode(kDone), "membarrier was forbidden");
}

// The child executes the program anew. In a forked copy of this process, an earlier test may have
// asked the kernel already.
TEST(Fence, ThatIsForbiddenFromTheStartIsAPlainOneWithoutAWord) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto body = [] {
    forbid_membarrier();
    if (heavy_fence_ready() || shared_heavy_fence_ready()) std::_Exit(1);
    shared_heavy_fence();
    std::_Exit(kDone);
  };
  EXPECT_EXIT(body(), testing::ExitedWithCode(kDone), testing::Eq(""));
}

TEST(Fence, AmongProcessesThatIsForbiddenLaterIsToldOnce) {
  if (!shared_heavy_fence_ready()) GTEST_SKIP() << "no membarrier here";
  const auto body = [] {
    forbid_membarrier();
    shared_heavy_fence();
    shared_heavy_fence();
    std::_Exit(kDone);
  };
  EXPECT_EXIT(body(), testing::ExitedWithCode(kDone),
              "^[^\n]*membarrier was forbidden after an IA was opened: [^\n]*\n$");
}

TEST(Fence, ThatIsForbiddenLaterStillExcludes) {
  if (!offered()) GTEST_SKIP() << "no membarrier here";
  const auto body = [] {
    constexpr int kRounds = 100'000;
    BiasedMutex mutex;
    int count = 0;
    const auto add = [&](int rounds) {
      for (int i = 0; i < rounds; ++i) {
        const MutexLock lock(mutex);
        ++count;
      }
    };
    add(kRounds); // it is the bias owner now
    forbid_membarrier();
    std::thread other(add, kRounds);
    add(kRounds);
    other.join();
    std::_Exit(count == 3 * kRounds ? kDone : 1);
  };
  EXPECT_EXIT(body(), testing::ExitedWithCode(kDone), "");
}

} // namespace
} // namespace datum
