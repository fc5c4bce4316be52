// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/fork_gate.h"

#include <atomic>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "base/clock.h"

namespace datum {
namespace {

constexpr unsigned kPatience = 20;          // seconds
constexpr Duration kForkPatience = kSecond; // base/fork_gate.h

// Runs `body` in a child and returns the exit status: 0 if `body` returned true. A signal ends a
// child that hangs.
template <class F>
int answer_of_child(const F& body) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(kPatience);
    ::_exit(body() ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return status;
}

// A thread that calls `work` again and again as long as this object lives.
template <class F>
class Beside {
 public:
  explicit Beside(const F& work)
      : thread_([this, work] {
          while (!done_) {
            work();
            ++rounds_;
          }
        }) {
    await_round();
  }
  ~Beside() {
    done_ = true;
    thread_.join();
  }
  void await_round() {
    for (const int seen = rounds_; rounds_ == seen;) std::this_thread::yield();
  }

 private:
  std::atomic<bool> done_{false};
  std::atomic<int> rounds_{0};
  std::thread thread_;
};

TEST(ForkGate, NoForkComesWhileAnotherThreadIsInside) {
  std::atomic<int> step{0};
  Beside other([&step] {
    const ForkGatePass pass;
    for (int i = 1; i < 1000; ++i) step = i;
    step = 0;
  });
  for (int i = 0; i < 50; ++i) {
    // A fork waits no longer than its patience, and a busy machine may keep the other thread from
    // leaving for as long.
    const auto nobody_was_inside = [&step, began = monotonic_now()] {
      return step == 0 || monotonic_now() - began >= kForkPatience;
    };
    ASSERT_EQ(answer_of_child(nobody_was_inside), 0) << i;
    other.await_round();
  }
}

TEST(ForkGate, AThreadMayForkFromWithinAndItsChildIsInside) {
  const ForkGatePass pass;
  EXPECT_EQ(answer_of_child([] {
              const ForkGatePass another;
              return answer_of_child([] { return true; }) == 0;
            }),
            0);
}

TEST(ForkGate, AChildEntersWhoseParentWasAboutTo) {
  Beside other([] { const ForkGatePass pass; });
  for (int i = 0; i < 50; ++i) {
    const auto enter = [] {
      const ForkGatePass pass;
      return true;
    };
    ASSERT_EQ(answer_of_child(enter), 0) << i;
  }
}

} // namespace
} // namespace datum
