// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/cores.h"

#include <csignal>
#include <gtest/gtest.h>
#include <sys/wait.h>
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

TEST(Cores, AnotherProcessIsAskedForItsOwn) {
  if (cores_allowed() < 2) GTEST_SKIP() << "this process may use one processor only";
  const pid_t free = ::fork();
  if (free == 0) {
    for (;;) ::pause();
  }
  {
    const OneCore pinned;
    const pid_t bound = ::fork();
    if (bound == 0) {
      for (;;) ::pause();
    }
    EXPECT_TRUE(runs_only_on(pinned.core(), bound));
    EXPECT_FALSE(runs_only_on(pinned.core(), free));
    ::kill(bound, SIGKILL);
    ::waitpid(bound, nullptr, 0);
    EXPECT_FALSE(runs_only_on(pinned.core(), bound)) << "it has gone";
  }
  ::kill(free, SIGKILL);
  ::waitpid(free, nullptr, 0);
}

// A peer in another container.
TEST(Cores, OfAProcessThatCannotBeSeenNothingIsKnown) {
  const OneCore pinned;
  EXPECT_FALSE(runs_only_on(pinned.core(), 0));
}

} // namespace
} // namespace datum::test
