// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The two processes that measure a limit, of which one ends too early.
#include "limits/two.h"

#include <atomic>
#include <csignal>
#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

namespace {

double spin_for_ever() {
  for (std::atomic<bool> end{false}; !end;) {
  }
  return 0;
}

class Limits : public testing::Test {
 protected:
  void SetUp() override {
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    sched_getaffinity(0, sizeof allowed, &allowed);
    if (CPU_COUNT(&allowed) < 2) GTEST_SKIP() << "a limit needs two processors";
  }
};

TEST_F(Limits, AKilledPartnerEndsAMeasurementThatWaitsForIt) {
  EXPECT_EXIT(limits::run_two(spin_for_ever, [] { raise(SIGKILL); }), testing::ExitedWithCode(1),
              "limits: the second process failed");
}

TEST_F(Limits, APartnerThatFailsEndsAMeasurementThatWaitsForIt) {
  EXPECT_EXIT(limits::run_two(spin_for_ever, [] { _exit(2); }), testing::ExitedWithCode(1),
              "limits: the second process failed");
}

TEST_F(Limits, APartnerThatHasFinishedEndsNothing) {
  EXPECT_EQ(limits::run_two([] { return 7.0; }, [] {}), 7.0);
}

} // namespace
