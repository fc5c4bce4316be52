// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "progress/kernel_places.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <sys/syscall.h>
#include <thread>

#include "tests/filter.h"

namespace datum {
namespace {

// Progress.P5APromptWakeThatIsRefusedMakesOnlyTheBackoffLonger shows the effect on a backoff.
// Rules: PROGRESS.5
TEST(KernelPlaces, ARefusedPromptWakeLetsASleepEndByItself) {
  KernelPlaces places;
  ASSERT_TRUE(places.valid());
  bool filtered = false;
  bool rung = true;
  Instant end = 0;
  std::thread([&] { // only this thread gets the filter
    filtered = test::forbid_call(SYS_timerfd_settime, EPERM);
    end = places.now() + 5 * kMillisecond;
    places.wake_background_by(places.now());
    rung = places.sleep_in_background(false, end);
  })
      .join();
  if (!filtered) GTEST_SKIP() << "no filter of system calls here";
  EXPECT_FALSE(rung);
  EXPECT_GE(places.now(), end);
}

} // namespace
} // namespace datum
