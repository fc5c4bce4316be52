// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "progress/kernel_places.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstdint>
#include <optional>
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

// What the calls return where a filter refuses `call` to this thread alone. Without a filter: empty.
struct WakeUps {
  bool background = false;
  Wake owner = Wake::TimedOut;
  Wake after_taking_back = Wake::Event;
};
std::optional<WakeUps> wake_both_without(std::uint32_t call) {
  std::optional<WakeUps> found;
  std::thread([&] {
    KernelPlaces places;
    if (!places.valid() || !test::forbid_call(call, EPERM)) return;
    ReadyBatch ready;
    found.emplace();
    places.wake_background();
    const Instant begin = places.now();
    places.sleep_in_background(false, begin + 10 * kSecond);
    found->background = places.now() < begin + 5 * kSecond;
    places.take_back_background_wake_up();
    places.wake_owner();
    found->owner = places.sleep_at_doorbell(places.now() + 10 * kSecond, ready);
    places.take_back_owner_wake_up();
    found->after_taking_back = places.sleep_at_doorbell(places.now() + kMillisecond, ready);
  }).join();
  return found;
}

// Rules: SANDBOX.2
TEST(KernelPlaces, AWakeUpArrivesAndIsTakenBackWithoutOneCallOfAPair) {
  for (const int call : {SYS_write, SYS_writev, SYS_read, SYS_readv}) {
    SCOPED_TRACE(call);
    const auto found = wake_both_without(static_cast<std::uint32_t>(call));
    if (!found) GTEST_SKIP() << "no filter of system calls here";
    EXPECT_TRUE(found->background);
    EXPECT_EQ(found->owner, Wake::Event);
    EXPECT_EQ(found->after_taking_back, Wake::TimedOut);
  }
}

// dat_ia_close(3) waits for the thread.
// Rules: SANDBOX.2
TEST(KernelPlaces, TheBackgroundThreadIsWokenByItsTimerWithoutBothCallsThatWrite) {
  bool filtered = false;
  Duration slept = 0;
  std::thread([&] { // only this thread gets the filters
    KernelPlaces places;
    filtered = places.valid() && test::forbid_call(SYS_write, EPERM) &&
               test::forbid_call(SYS_writev, EPERM);
    if (!filtered) return;
    places.wake_background();
    const Instant begin = places.now();
    places.sleep_in_background(false, begin + 10 * kSecond);
    slept = places.now() - begin;
  })
      .join();
  if (!filtered) GTEST_SKIP() << "no filter of system calls here";
  EXPECT_LT(slept, 5 * kSecond);
}

} // namespace
} // namespace datum
