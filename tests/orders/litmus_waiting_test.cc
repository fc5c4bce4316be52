// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Litmus tests of threads that wait: they sleep on a futex, or spin.
#include <gtest/gtest.h>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <set>

#include "litmus.h"

namespace datum::test {
namespace {

long futex(std::atomic<std::uint32_t>& word, int operation, std::uint32_t value) {
  return ::syscall(SYS_futex, &word, operation, value, nullptr, nullptr, 0);
}

TEST(Litmus, NobodySleepsOnAFutexForEver) {
  EXPECT_EQ(play({[](Words& w, Registers&) {
                    w.x.store(1, rlx);
                    futex(w.x, FUTEX_WAKE_PRIVATE, 1);
                  },
                  [](Words& w, Registers&) {
                    while (w.x.load(rlx) == 0) futex(w.x, FUTEX_WAIT_PRIVATE, 0);
                  }})
                .asleep,
            0);
  // If the waker first checks whether a thread sleeps, both sides need a fence.
  const auto waker_looks = [](bool fenced) {
    return fenced ? play({[](Words& w, Registers&) {
                            w.x.store(1, rlx);
                            fence(sc);
                            if (w.y.load(rlx) != 0) futex(w.x, FUTEX_WAKE_PRIVATE, 1);
                          },
                          [](Words& w, Registers&) {
                            w.y.store(1, rlx);
                            fence(sc);
                            while (w.x.load(rlx) == 0) futex(w.x, FUTEX_WAIT_PRIVATE, 0);
                          }})
                        .asleep
                  : play({[](Words& w, Registers&) {
                            w.x.store(1, rlx);
                            if (w.y.load(rlx) != 0) futex(w.x, FUTEX_WAKE_PRIVATE, 1);
                          },
                          [](Words& w, Registers&) {
                            w.y.store(1, rlx);
                            fence(sc);
                            while (w.x.load(rlx) == 0) futex(w.x, FUTEX_WAIT_PRIVATE, 0);
                          }})
                        .asleep;
  };
  EXPECT_EQ(waker_looks(true), 0);
  EXPECT_GT(waker_looks(false), 0);
}

TEST(Litmus, ASpinSeesWhatComesLater) {
  EXPECT_EQ(play({[](Words& w, Registers&) { w.x.store(1, rel); },
                  [](Words& w, Registers& r) {
                    while (w.x.load(acq) == 0) {
                    }
                    r.a = 1;
                  }})
                .outcomes,
            (std::set<Outcome>{{1, 0, 0, 0}}));
  // A spin with a bound also ends without the value.
  EXPECT_TRUE(may({[](Words& w, Registers&) { w.x.store(1, rel); },
                   [](Words& w, Registers& r) {
                     for (int i = 0; i < 100 && r.a == 0; ++i) r.a = w.x.load(acq);
                   }},
                  {0, 0, 0, 0}));
}

} // namespace
} // namespace datum::test
