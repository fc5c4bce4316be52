// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The engine with real threads and the real kernel. ThreadSanitizer can check this test.
#include "progress/threaded_progress.h"

#include <array>
#include <atomic>
#include <csignal>
#include <gtest/gtest.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <thread>
#include <vector>

#include "base/mutex.h"
#include "core/port/timer.h"
#include "unreachable_transport.h"

namespace datum {
namespace {

class TestLock final : public LockOwner {
 public:
  void acquire() override DATUM_NO_TSA { mutex_.lock(); }
  void relinquish() override DATUM_NO_TSA { mutex_.unlock(); }

 private:
  Mutex mutex_;
};

class Held {
 public:
  explicit Held(LockOwner& lock) : lock_(lock) { lock_.acquire(); }
  ~Held() { lock_.relinquish(); }
  Held(const Held&) = delete;
  Held& operator=(const Held&) = delete;

 private:
  LockOwner& lock_;
};

// A transport whose peer is another thread. Both share a counter for each queue in memory, and an
// eventfd as the doorbell.
class MemoryTransport final : public test::UnreachableTransport, private FdHandler {
 public:
  static constexpr std::size_t kQueues = 4;

  MemoryTransport(Reactor& reactor, Progress& progress) : reactor_(reactor), progress_(progress) {
    EXPECT_TRUE(reactor_.add(doorbell_.get(), EPOLLIN, *this).ok());
  }
  ~MemoryTransport() override { reactor_.remove(doorbell_.get(), *this); }

  // For the peer's thread.
  void send(std::size_t queue) {
    sent_[queue].fetch_add(1, std::memory_order_seq_cst);
    if (attentive_.load(std::memory_order_seq_cst) != 0) return;
    const std::uint64_t one = 1;
    ASSERT_EQ(::write(doorbell_.get(), &one, sizeof one), static_cast<ssize_t>(sizeof one));
  }

  // For the adapter, with the lock held.
  std::array<unsigned, kQueues> arrived{};
  std::array<WaitPoint*, kQueues> waiting{};

  bool progress() override {
    bool any = false;
    for (std::size_t queue = 0; queue < kQueues; ++queue) {
      const unsigned sent = sent_[queue].load(std::memory_order_acquire);
      if (sent == arrived[queue]) continue;
      arrived[queue] = sent;
      any = true;
      WaitPoint* point = waiting[queue];
      if (point != nullptr && !point->signalled) progress_.signal(*point);
    }
    return any;
  }
  bool set_attention(Attention attention) override {
    attentive_.store(attention == Attention::Polling ? 1 : 0, std::memory_order_seq_cst);
    return attention == Attention::Asleep && progress();
  }

 private:
  void on_ready(std::uint32_t) override {
    std::uint64_t count = 0;
    [[maybe_unused]] const ssize_t got = ::read(doorbell_.get(), &count, sizeof count);
    progress();
  }

  UniqueFd doorbell_{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
  Reactor& reactor_;
  Progress& progress_;
  std::array<std::atomic<unsigned>, kQueues> sent_{};
  std::atomic<unsigned> attentive_{1}; // until told otherwise
};

class ThreadedProgressTest : public testing::Test {
 protected:
  void SetUp() override {
    auto opened = ThreadedProgress::open("test", lock_);
    ASSERT_TRUE(opened.has_value());
    progress_ = std::move(*opened);
    transport_ = std::make_unique<MemoryTransport>(progress_->reactor(), *progress_);
    progress_->bind(*transport_, timers_);
    const Held held(lock_);
    ASSERT_TRUE(progress_->start("test").ok());
  }
  void TearDown() override { progress_->stop(); }

  void wait_for(std::size_t queue, unsigned count) {
    const Held held(lock_);
    while (transport_->arrived[queue] < count) {
      WaitPoint point;
      transport_->waiting[queue] = &point;
      static_cast<void>(progress_->wait(point, kNever));
      transport_->waiting[queue] = nullptr;
    }
  }
  void poll_for(std::size_t queue, unsigned count) {
    for (bool done = false; !done;) {
      const Held held(lock_);
      progress_->poll();
      done = transport_->arrived[queue] >= count;
    }
  }

  TestLock lock_;
  TimerQueue timers_;
  std::unique_ptr<ThreadedProgress> progress_;
  std::unique_ptr<MemoryTransport> transport_;
};

TEST_F(ThreadedProgressTest, P7PingPongBetweenSleepersLosesNoWakeUp) {
  constexpr unsigned kRounds = 2000;
  std::atomic<unsigned> seen{0};
  std::thread peer([&] {
    for (unsigned i = 1; i <= kRounds; ++i) {
      transport_->send(0);
      while (seen.load() < i) std::this_thread::yield();
    }
  });
  for (unsigned i = 1; i <= kRounds; ++i) {
    wait_for(0, i);
    seen.store(i);
  }
  peer.join();
}

TEST_F(ThreadedProgressTest, P7WaitersAndPollersOfOneAdapterAllGetTheirEvents) {
  constexpr unsigned kRounds = 500;
  std::array<std::atomic<unsigned>, MemoryTransport::kQueues> seen{};
  std::vector<std::thread> threads;
  for (std::size_t queue = 0; queue < MemoryTransport::kQueues; ++queue) {
    threads.emplace_back([&, queue] {
      for (unsigned i = 1; i <= kRounds; ++i) {
        if (queue == 3 && i % 4 == 0)
          poll_for(queue, i);
        else
          wait_for(queue, i);
        seen[queue].store(i);
      }
    });
    threads.emplace_back([&, queue] {
      for (unsigned i = 1; i <= kRounds; ++i) {
        transport_->send(queue);
        while (seen[queue].load() < i) std::this_thread::yield();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_F(ThreadedProgressTest, P1TheBackgroundThreadWorksWhenNobodyCalls) {
  for (unsigned i = 1; i <= 50; ++i) {
    transport_->send(0);
    // Watches the memory and drives nothing.
    for (bool done = false; !done;) {
      {
        const Held held(lock_);
        done = transport_->arrived[0] == i;
      }
      std::this_thread::yield();
    }
  }
}

TEST_F(ThreadedProgressTest, P8AThreadThatPollsDrivesTheTransportItself) {
  const Held held(lock_); // so the background thread cannot have it
  transport_->send(0);
  EXPECT_TRUE(progress_->poll());
  EXPECT_EQ(transport_->arrived[0], 1U);
}

TEST_F(ThreadedProgressTest, ATimeoutNeverEndsEarly) {
  const Held held(lock_);
  for (const Duration length : {0L, 1000L, 30'000L, 2'000'000L}) {
    WaitPoint point;
    const Instant deadline = progress_->now() + length;
    EXPECT_EQ(progress_->wait(point, deadline), WaitResult::TimedOut);
    EXPECT_GE(progress_->now(), deadline);
    EXPECT_EQ(point.sleeper, nullptr);
  }
}

TEST_F(ThreadedProgressTest, AnotherThreadsSignalEndsAWait) {
  WaitPoint point;
  std::thread waiter([&] {
    const Held held(lock_);
    EXPECT_EQ(progress_->wait(point, kNever), WaitResult::Signalled);
  });
  {
    const Held held(lock_);
    progress_->signal(point);
  }
  waiter.join();
}

void ignore_signal(int) {}

// One waiter sleeps at the doorbell, the other beside it. A signal handler ends both waits, with
// SA_RESTART or without.
TEST_F(ThreadedProgressTest, ASignalHandlerEndsAWaitAsInterrupted) {
  for (const int flags : {0, SA_RESTART}) {
    struct sigaction action {};
    struct sigaction before {};
    action.sa_handler = ignore_signal;
    action.sa_flags = flags;
    ASSERT_EQ(::sigaction(SIGUSR2, &action, &before), 0);
    std::array<std::atomic<bool>, 2> ended{};
    std::vector<std::thread> waiters;
    for (std::atomic<bool>& end : ended)
      waiters.emplace_back([&] {
        const Held held(lock_);
        WaitPoint point;
        EXPECT_EQ(progress_->wait(point, kNever), WaitResult::Interrupted);
        end.store(true);
      });
    // A handler that runs before its thread sleeps interrupts nothing, so the loop sends more
    // signals.
    while (!ended[0].load() || !ended[1].load()) {
      for (std::size_t i = 0; i < 2; ++i)
        if (!ended[i].load()) ::pthread_kill(waiters[i].native_handle(), SIGUSR2);
      std::this_thread::yield();
    }
    for (std::thread& waiter : waiters) waiter.join();
    ASSERT_EQ(::sigaction(SIGUSR2, &before, nullptr), 0);
  }
}

class Alarm final : public Timer {
 public:
  std::atomic<Instant> expired{0};

 private:
  void on_expired(Instant now) override { expired.store(now); }
};

TEST_F(ThreadedProgressTest, ATimerExpiresThoughNobodyCalls) {
  Alarm alarm;
  Instant due = 0;
  {
    const Held held(lock_);
    due = progress_->now() + kMillisecond;
    timers_.arm(alarm, due);
    progress_->wake();
  }
  while (alarm.expired.load() == 0) std::this_thread::yield();
  EXPECT_GE(alarm.expired.load(), due);
}

TEST_F(ThreadedProgressTest, StopsWhileAWaiterOwnsTheDoorbell) {
  WaitPoint point;
  std::thread waiter([&] {
    const Held held(lock_);
    EXPECT_EQ(progress_->wait(point, kNever), WaitResult::Signalled);
  });
  progress_->stop();
  {
    const Held held(lock_);
    progress_->signal(point);
  }
  waiter.join();
}

} // namespace
} // namespace datum
