// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cp/workers.h"

#include <algorithm>
#include <condition_variable>
#include <future>
#include <mutex>
#include <stdexcept>

#include <gtest/gtest.h>

namespace datum::cp {
namespace {

// Uses Workers as a sink does: waits for a notice, then finishes the work that is done.
class Owner {
 public:
  void notify() {
    const std::lock_guard lock(mutex_);
    ++notices_;
    changed_.notify_one();
  }
  void finish_all(Workers& workers) {
    while (workers.busy()) {
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return notices_ > 0; });
        notices_ = 0;
      }
      workers.finish_done();
    }
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int notices_ = 0;
};

TEST(Workers, TasksOfOneWorkerRunInOrderAndFinishInTheOwnersThread) {
  Owner owner;
  Workers workers(2, [&] { owner.notify(); });
  std::vector<int> done, finished;
  bool elsewhere = true, here = true;
  const auto self = std::this_thread::get_id();
  for (int i = 0; i < 100; ++i)
    workers.submit(1, {[&, i] {
                         done.push_back(i);
                         elsewhere = elsewhere && std::this_thread::get_id() != self;
                       },
                       [&, i] {
                         finished.push_back(i);
                         here = here && std::this_thread::get_id() == self;
                       }});
  owner.finish_all(workers);
  ASSERT_EQ(done.size(), 100U);
  EXPECT_TRUE(std::is_sorted(done.begin(), done.end()));
  EXPECT_EQ(finished, done);
  EXPECT_TRUE(elsewhere && here);
}

TEST(Workers, WhatWasSubmittedBeforeIsFinishedOnceAllOfItIs) {
  Owner owner;
  Workers workers(2, [&] { owner.notify(); });
  std::promise<void> go;
  std::shared_future<void> gate = go.get_future();
  workers.submit(0, {[gate] { gate.wait(); }, [] {}});
  std::promise<void> second_done;
  workers.submit(1, {[&] { second_done.set_value(); }, [] {}});
  const std::uint64_t both = workers.submitted();
  second_done.get_future().wait();
  workers.finish_done();
  EXPECT_FALSE(workers.finished(both));
  go.set_value();
  owner.finish_all(workers);
  EXPECT_TRUE(workers.finished(both));
}

TEST(Workers, TheIdlestHasTheLeastToDo) {
  Owner owner;
  Workers workers(2, [&] { owner.notify(); });
  std::promise<void> go;
  std::shared_future<void> gate = go.get_future();
  workers.submit(0, {[gate] { gate.wait(); }, [] {}});
  EXPECT_EQ(workers.idlest(), 1U);
  go.set_value();
  owner.finish_all(workers);
}

TEST(Workers, WhatATaskThrowsReachesTheOwner) {
  Workers workers(0, [] {});
  EXPECT_THROW(workers.submit(0, {[] { throw std::runtime_error("no memory"); }, [] {}}),
               std::runtime_error);
  Owner owner;
  Workers threads(1, [&] { owner.notify(); });
  threads.submit(0, {[] { throw std::runtime_error("no memory"); }, [] {}});
  EXPECT_THROW(owner.finish_all(threads), std::runtime_error);
}

TEST(Workers, ALongTaskEndsAtItsNextTickOnceNobodyWaits) {
  std::promise<void> begun;
  bool stopped = false;
  {
    Workers workers(1, [] {});
    workers.submit(0, {[&] {
                         begun.set_value();
                         try {
                           for (;;) workers.tick();
                         } catch (const std::runtime_error&) {
                           stopped = true;
                           throw;
                         }
                       },
                       [] {}});
    begun.get_future().wait();
  }
  EXPECT_TRUE(stopped);
}

} // namespace
} // namespace datum::cp
