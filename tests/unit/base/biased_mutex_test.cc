// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The lock excludes other threads, whether the bias owner or another thread takes it.
#include <atomic>
#include <chrono>
#include <csignal>
#include <fstream>
#include <functional>
#include <new>
#include <string>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/biased_mutex.h"

namespace datum::test {
namespace {

constexpr int kLongStreak = 1000; // more than it takes to become the bias owner

void take_often(BiasedMutex& mutex, int times) {
  for (int i = 0; i < times; ++i) {
    mutex.lock();
    mutex.unlock();
  }
}

TEST(BiasedMutex, AnotherThreadGetsInAfterTheBiasOwner) {
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

TEST(BiasedMutex, WhoeverEndsTheBiasWaitsForTheBiasOwnerToLeave) {
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
  // Long enough, in most runs, for the other thread to fall asleep.
  for (int i = 0; i < 1000; ++i) std::this_thread::yield();
  left = true;
  mutex.unlock();
  other.join();
}

TEST(BiasedMutex, TheBiasOwnerWaitsForWhoeverEndedTheBias) {
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

// The mutex is on a write-protected page. The store by which a thread announces itself faults, and
// the handler of SIGSEGV holds the thread up. After a fork, the copy of the page does the same.
struct HeldUp {
  static inline std::atomic<bool> arrived{false};
  static inline std::atomic<bool> may_go_on{false};
  static void wait(int) {
    arrived = true;
    while (!may_go_on) std::this_thread::yield();
  }
};

// Rules: THREAD.1
TEST(BiasedMutex, ABiasOwnerThatWasHeldUpDoesNotTakeBackWhatTheNextOneSays) {
  if (!heavy_fence_ready()) GTEST_SKIP() << "no bias owners here";
  const auto size = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  void* const page =
      ::mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(page, MAP_FAILED);
  auto& mutex = *new (page) BiasedMutex;
  struct sigaction before {};
  struct sigaction hold_up {};
  hold_up.sa_handler = &HeldUp::wait;
  ::sigaction(SIGSEGV, &hold_up, &before);

  std::atomic<bool> owns_the_bias{false};
  std::atomic<bool> is_protected{false};
  std::atomic<bool> entered{false};
  std::thread first([&] {
    take_often(mutex, kLongStreak);
    owns_the_bias = true;
    while (!is_protected) std::this_thread::yield();
    mutex.lock();
    entered = true;
    mutex.unlock();
  });
  while (!owns_the_bias) std::this_thread::yield();
  ASSERT_EQ(::mprotect(page, size, PROT_READ), 0);
  is_protected = true;
  while (!HeldUp::arrived) std::this_thread::yield();
  ASSERT_EQ(::mprotect(page, size, PROT_READ | PROT_WRITE), 0);
  take_often(mutex, kLongStreak); // now this thread is the bias owner
  mutex.lock();
  HeldUp::may_go_on = true;
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_FALSE(entered);
  mutex.unlock();
  first.join();
  EXPECT_TRUE(entered);
  ::sigaction(SIGSEGV, &before, nullptr);
  ::munmap(page, size);
}

bool sleeps(pid_t thread) {
  std::ifstream stat("/proc/self/task/" + std::to_string(thread) + "/stat");
  std::string line;
  std::getline(stat, line);
  const std::size_t name_end = line.rfind(") ");
  return name_end != std::string::npos && line[name_end + 2] == 'S';
}

// A thread that takes the lock each time invite() is called.
class Guest {
 public:
  explicit Guest(BiasedMutex& mutex, int visits, std::function<void()> inside = nullptr)
      : mutex_(mutex), inside_(std::move(inside)), thread_([this, visits] {
          id_ = ::gettid();
          for (int i = 0; i < visits; ++i) visit(i);
        }) {}
  ~Guest() { thread_.join(); }
  Guest(const Guest&) = delete;
  Guest& operator=(const Guest&) = delete;
  int visits() const { return visits_; }
  // The caller holds the lock. Returns when the guest sleeps until the lock is free.
  void invite() {
    ++invited_;
    while (!mutex_.contended() || !sleeps(id_)) std::this_thread::yield();
  }

 private:
  void visit(int number) {
    while (invited_ <= number) std::this_thread::yield();
    mutex_.lock();
    if (inside_) inside_();
    ++visits_;
    mutex_.unlock();
  }
  BiasedMutex& mutex_;
  std::function<void()> inside_;
  std::atomic<pid_t> id_{0};
  std::atomic<int> invited_{0};
  std::atomic<int> visits_{0};
  std::thread thread_;
};

// A thread that unlocks and locks in a loop has the lock again before a sleeping thread is awake.
// let_in() must wait until the sleeper has had the lock.
// Rules: PROGRESS.3
TEST(BiasedMutex, WhoeverSleepsForItHasItWhenTheHolderLetsHimIn) {
  BiasedMutex mutex;
  mutex.lock();
  constexpr int kVisits = 40;
  Guest guest(mutex, kVisits);
  int let_in = 0;
  for (int i = 1; i <= kVisits; ++i) {
    guest.invite();
    mutex.let_in();
    let_in += guest.visits() >= i ? 1 : 0;
  }
  mutex.unlock();
  EXPECT_GE(let_in, kVisits / 2) << "the others were not given a processor for a millisecond";
}

// The second guest comes while the first guest has the lock. So it sleeps behind the thread that
// let the first guest in. That thread is woken first, and must not forget the second guest.
TEST(BiasedMutex, WhoeverIsBackAfterLettingInRemembersWhoElseSleeps) {
  BiasedMutex mutex;
  mutex.lock();
  Guest second(mutex, 1);
  Guest first(mutex, 1, [&] { second.invite(); });
  first.invite();
  mutex.let_in();
  mutex.unlock();
}

TEST(BiasedMutex, WhereNobodySleepsLettingInTakesTheLockAgain) {
  BiasedMutex mutex;
  for (const int streak : {0, kLongStreak}) { // by plain locks, and as the bias owner
    take_often(mutex, streak);
    mutex.lock();
    for (int i = 0; i < kLongStreak; ++i) mutex.let_in();
    std::atomic<bool> entered = false;
    std::thread other([&] {
      mutex.lock();
      entered = true;
      mutex.unlock();
    });
    for (int i = 0; i < 1000; ++i) std::this_thread::yield();
    EXPECT_FALSE(entered);
    mutex.unlock();
    other.join();
  }
}

// Each thread becomes the bias owner again and again, and each time another thread ends the bias.
// Now and then a thread lets others in.
TEST(BiasedMutex, NoTwoThreadsAreInsideAtOnce) {
  constexpr int kThreads = 4;
  constexpr int kRounds = 300;
  BiasedMutex mutex;
  std::uint64_t shared = 0; // not atomic: the lock protects it
  bool occupied = false;
  std::atomic<int> collisions = 0;
  const auto visit = [&](bool lets_in) {
    mutex.lock();
    if (lets_in) mutex.let_in();
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
        // Each thread has another number of visits, so that the threads do not fall into step.
        for (int i = 0; i < kLongStreak / 2 + 37 * t; ++i) visit(i % 64 == t);
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
