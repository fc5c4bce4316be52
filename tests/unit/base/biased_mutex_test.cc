// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A lock first of all; then, that the favourite and everybody else shut each other out.
#include <atomic>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/biased_mutex.h"

namespace datum::test {
namespace {

constexpr int kLongStreak = 1000; // more than it takes to become the favourite

void take_often(BiasedMutex& mutex, int times) {
  for (int i = 0; i < times; ++i) {
    mutex.lock();
    mutex.unlock();
  }
}

TEST(BiasedMutex, AnotherThreadGetsInAfterTheFavourite) {
  BiasedMutex mutex;
  take_often(mutex, kLongStreak);
  bool entered = false;
  std::thread other([&] {
    mutex.lock();
    entered = true;
    mutex.unlock();
  });
  other.join();
  EXPECT_TRUE(entered);
  take_often(mutex, kLongStreak);
}

TEST(BiasedMutex, WhoeverEndsTheBiasWaitsForTheFavouriteToLeave) {
  BiasedMutex mutex;
  take_often(mutex, kLongStreak);
  std::atomic<bool> left = false;
  std::atomic<bool> waiting = false;
  mutex.lock();
  std::thread other([&] {
    waiting = true;
    mutex.lock();
    EXPECT_TRUE(left.load());
    mutex.unlock();
  });
  while (!waiting) std::this_thread::yield();
  // Long enough that the other one sleeps, in most runs.
  for (int i = 0; i < 1000; ++i) std::this_thread::yield();
  left = true;
  mutex.unlock();
  other.join();
}

TEST(BiasedMutex, TheFavouriteWaitsForWhoeverEndedTheBias) {
  BiasedMutex mutex;
  take_often(mutex, kLongStreak);
  std::atomic<bool> inside = false;
  std::atomic<bool> left = false;
  std::thread other([&] {
    mutex.lock();
    inside = true;
    for (int i = 0; i < 1000; ++i) std::this_thread::yield();
    left = true;
    mutex.unlock();
  });
  while (!inside) std::this_thread::yield();
  mutex.lock();
  EXPECT_TRUE(left.load());
  mutex.unlock();
  other.join();
}

// Each thread becomes the favourite again and again, and each time another one ends that.
TEST(BiasedMutex, NoTwoThreadsAreInsideAtOnce) {
  constexpr int kThreads = 4;
  constexpr int kRounds = 300;
  BiasedMutex mutex;
  std::uint64_t shared = 0; // not atomic: the lock is what keeps it whole
  bool occupied = false;
  std::atomic<int> collisions = 0;
  const auto visit = [&] {
    mutex.lock();
    if (occupied) ++collisions;
    occupied = true;
    ++shared;
    occupied = false;
    mutex.unlock();
  };
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int round = 0; round < kRounds; ++round) {
        // An uneven number, so that the threads do not fall into step.
        for (int i = 0; i < kLongStreak / 2 + 37 * t; ++i) visit();
        std::this_thread::yield();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(collisions.load(), 0);
  EXPECT_EQ(shared, 300U * (500 + 537 + 574 + 611));
}

} // namespace
} // namespace datum::test
