// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/cores.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "tests/one_core.h"

namespace datum::test {
namespace {

TEST(Cores, AThreadThatMayUseSeveralHasNoOnlyOne) {
  if (cores_allowed() < 2) GTEST_SKIP() << "this process may use one processor only";
  EXPECT_EQ(only_core(), std::nullopt);
}

TEST(Cores, APinnedThreadHasOne) {
  const OneCore pinned;
  EXPECT_EQ(only_core(), pinned.core());
}

TEST(Cores, AProcessIsAskedForItsOwn) {
  const OneCore pinned;
  EXPECT_TRUE(runs_only_on(pinned.core(), ::getpid()));
  EXPECT_FALSE(runs_only_on(pinned.core() + 1, ::getpid()));
}

TEST(Cores, AProcessThatMayUseSeveralRunsOnNoneOnly) {
  if (cores_allowed() < 2) GTEST_SKIP() << "this process may use one processor only";
  EXPECT_FALSE(runs_only_on(0, ::getpid()));
}

TEST(Cores, AProcessThatHasGoneRunsNowhere) {
  constexpr pid_t kNone = 0x7fffffff; // above the kernel's highest number
  EXPECT_FALSE(runs_only_on(0, kNone));
}

// A peer in another container.
TEST(Cores, OfAProcessThatCannotBeSeenNothingIsKnown) {
  const OneCore pinned;
  EXPECT_FALSE(runs_only_on(pinned.core(), 0));
}

} // namespace
} // namespace datum::test
