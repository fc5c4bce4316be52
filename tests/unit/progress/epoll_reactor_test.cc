// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "progress/epoll_reactor.h"

#include <array>
#include <cerrno>
#include <functional>
#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

#include "tests/filter.h"

namespace datum {
namespace {

class Handler final : public FdHandler {
 public:
  std::function<void()> action = [] {};
  int calls = 0;
  std::uint32_t events = 0;
  void on_ready(std::uint32_t which) override {
    ++calls;
    events = which;
    action();
  }
  std::optional<bool> answer; // of look_unasked()
  int unasked = 0;
  std::optional<bool> look_unasked() override {
    ++unasked;
    return answer;
  }
};

class EpollReactorTest : public testing::Test {
 protected:
  static void fill(const UniqueFd& fd) {
    const std::uint64_t one = 1;
    ASSERT_EQ(::write(fd.get(), &one, sizeof one), static_cast<ssize_t>(sizeof one));
  }
  UniqueFd first_{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
  UniqueFd second_{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
  EpollReactor reactor_;
};

TEST_F(EpollReactorTest, CallsTheHandlerOfADescriptorThatIsReady) {
  Handler handler;
  ASSERT_TRUE(reactor_.add(first_.get(), EPOLLIN, handler).ok());
  EXPECT_FALSE(reactor_.handle_now());
  fill(first_);
  EXPECT_TRUE(reactor_.handle_now());
  EXPECT_EQ(handler.calls, 1);
  EXPECT_EQ(handler.events, 1U); // EPOLLIN
  reactor_.remove(first_.get(), handler);
}

TEST_F(EpollReactorTest, ChangesWhatItWatchesFor) {
  Handler handler;
  ASSERT_TRUE(reactor_.add(first_.get(), EPOLLIN, handler).ok());
  EXPECT_EQ(reactor_.change(first_.get(), EPOLLOUT, handler), 0);
  EXPECT_TRUE(reactor_.handle_now());
  EXPECT_EQ(handler.events, 4U); // EPOLLOUT
  EXPECT_EQ(reactor_.change(first_.get(), 0, handler), 0);
  EXPECT_FALSE(reactor_.handle_now());
  reactor_.remove(first_.get(), handler);
}

TEST_F(EpollReactorTest, AHandlerRemovedByAnotherOfTheSameBatchIsNotCalled) {
  Handler one;
  Handler two;
  ASSERT_TRUE(reactor_.add(first_.get(), EPOLLIN, one).ok());
  ASSERT_TRUE(reactor_.add(second_.get(), EPOLLIN, two).ok());
  one.action = [&] { reactor_.remove(second_.get(), two); };
  two.action = [&] { reactor_.remove(first_.get(), one); };
  fill(first_);
  fill(second_);
  EXPECT_TRUE(reactor_.handle_now());
  EXPECT_EQ(one.calls + two.calls, 1);
}

// This holds in seven of eight polls. In the eighth poll the reactor asks the kernel which
// descriptors are ready.
TEST_F(EpollReactorTest, APollerAsksWhoeverHadSomethingLast) {
  Handler recent;
  Handler other;
  recent.answer = false;
  ASSERT_TRUE(reactor_.add(first_.get(), EPOLLIN, recent).ok());
  ASSERT_TRUE(reactor_.add(second_.get(), EPOLLIN, other).ok());
  fill(first_);
  EXPECT_TRUE(reactor_.handle_polling());
  EXPECT_EQ(reactor_.change(first_.get(), 0, recent), 0);
  fill(second_);
  for (int i = 1; i <= 7; ++i) {
    EXPECT_FALSE(reactor_.handle_polling());
    EXPECT_EQ(recent.unasked, i);
    EXPECT_EQ(other.calls, 0);
  }
  EXPECT_TRUE(reactor_.handle_polling());
  EXPECT_EQ(other.calls, 1);
  EXPECT_EQ(recent.calls, 1);
}

TEST_F(EpollReactorTest, APollerThatFindsNothingGoesOnAskingTheSameOne) {
  Handler recent;
  recent.answer = false;
  ASSERT_TRUE(reactor_.add(first_.get(), EPOLLIN, recent).ok());
  fill(first_);
  EXPECT_TRUE(reactor_.handle_polling());
  EXPECT_EQ(reactor_.change(first_.get(), 0, recent), 0);
  for (int i = 0; i < 24; ++i) EXPECT_FALSE(reactor_.handle_polling());
  EXPECT_EQ(recent.unasked, 21);
}

TEST_F(EpollReactorTest, APollerAsksTheKernelWhereSeveralHadSomethingLast) {
  Handler one;
  Handler two;
  one.answer = two.answer = false;
  ASSERT_TRUE(reactor_.add(first_.get(), EPOLLIN, one).ok());
  fill(first_);
  EXPECT_TRUE(reactor_.handle_polling());
  ASSERT_TRUE(reactor_.add(second_.get(), EPOLLIN, two).ok());
  fill(second_);
  for (int i = 0; i < 8; ++i) reactor_.handle_polling();
  EXPECT_EQ(one.unasked, 7);
  for (int i = 0; i < 4; ++i) EXPECT_TRUE(reactor_.handle_polling());
  EXPECT_EQ(one.unasked + two.unasked, 7);
  EXPECT_EQ(two.calls, 5);
}

TEST_F(EpollReactorTest, APollerAsksTheKernelWhereNobodyLooksUnasked) {
  Handler silent; // it must be reported
  ASSERT_TRUE(reactor_.add(first_.get(), EPOLLIN, silent).ok());
  fill(first_);
  for (int i = 1; i <= 3; ++i) {
    EXPECT_TRUE(reactor_.handle_polling());
    EXPECT_EQ(silent.calls, i);
  }
}

TEST_F(EpollReactorTest, APollerDoesNotAskWhoeverHasLeft) {
  Handler former;
  Handler present;
  former.answer = present.answer = true;
  ASSERT_TRUE(reactor_.add(first_.get(), EPOLLIN, former).ok());
  fill(first_);
  EXPECT_TRUE(reactor_.handle_polling());
  reactor_.remove(first_.get(), former);
  ASSERT_TRUE(reactor_.add(first_.get(), EPOLLOUT, present).ok());
  EXPECT_TRUE(reactor_.handle_polling());
  EXPECT_EQ(former.unasked + present.unasked, 0);
  EXPECT_EQ(present.calls, 1);
  reactor_.remove(first_.get(), present);
  EXPECT_FALSE(reactor_.handle_polling());
}

// There are more descriptors than one epoll_wait() reports, and all of them stay ready.
TEST_F(EpollReactorTest, HandlesAllThatIsReadyOnce) {
  constexpr std::size_t kMany = 3 * ReadyBatch::kSize + 1;
  std::array<UniqueFd, kMany> fds;
  std::array<Handler, kMany> handlers;
  for (std::size_t i = 0; i < kMany; ++i) {
    fds[i] = UniqueFd(::eventfd(1, EFD_CLOEXEC | EFD_NONBLOCK));
    ASSERT_TRUE(reactor_.add(fds[i].get(), EPOLLIN, handlers[i]).ok());
  }
  reactor_.handle_all();
  for (const Handler& each : handlers) EXPECT_GE(each.calls, 1);
  for (std::size_t i = 0; i < kMany; ++i) reactor_.remove(fds[i].get(), handlers[i]);
  reactor_.handle_all(); // none is left
}

TEST_F(EpollReactorTest, AnEventOfAFormerOwnerDoesNotReachANewOne) {
  Handler former;
  Handler present;
  ASSERT_TRUE(reactor_.add(first_.get(), EPOLLIN, former).ok());
  fill(first_);
  ReadyBatch ready;
  ASSERT_EQ(reactor_.wait(0, kNever, ready), Wake::Event);
  ASSERT_EQ(ready.count, 1);
  reactor_.remove(first_.get(), former);
  ASSERT_TRUE(reactor_.add(first_.get(), EPOLLOUT, present).ok());
  EXPECT_FALSE(reactor_.handle(ready));
  EXPECT_EQ(former.calls, 0);
  EXPECT_EQ(present.calls, 0);
  reactor_.remove(first_.get(), present);
}

TEST_F(EpollReactorTest, ADescriptorThatCannotBeWatchedIsALackOfResources) {
  Handler handler;
  const int closed = ::dup(first_.get());
  ::close(closed);
  EXPECT_EQ(reactor_.add(closed, EPOLLIN, handler).type(), Type::InsufficientResources);
}

TEST_F(EpollReactorTest, ASilentDescriptorEndsAWaitAndCallsNobody) {
  ASSERT_TRUE(reactor_.add_silent(first_.get()));
  fill(first_);
  ReadyBatch ready;
  EXPECT_EQ(reactor_.wait(0, kNever, ready), Wake::Event);
  EXPECT_FALSE(reactor_.handle(ready));
}

TEST_F(EpollReactorTest, AWaitInThePastOnlyLooks) {
  ReadyBatch ready;
  EXPECT_EQ(reactor_.wait(1000, 1000, ready), Wake::TimedOut);
  EXPECT_EQ(reactor_.wait(1000, 0, ready), Wake::TimedOut);
  EXPECT_EQ(ready.count, 0);
}

// Rules: SANDBOX.2
TEST_F(EpollReactorTest, ADescriptorWhoseWatchCannotEndHasNoHandlerAllTheSame) {
  Handler handler;
  ASSERT_TRUE(reactor_.add(first_.get(), EPOLLIN, handler).ok());
  bool filtered = false;
  bool handled = true;
  int refused = 0;
  std::thread([&] { // only this thread gets the filter
    filtered = test::forbid_call(SYS_epoll_ctl, EPERM);
    if (!filtered) return;
    refused = reactor_.change(first_.get(), EPOLLIN | EPOLLOUT, handler);
    reactor_.remove(first_.get(), handler);
    fill(first_);
    handled = reactor_.handle_now();
  })
      .join();
  if (!filtered) GTEST_SKIP() << "no filter of system calls here";
  EXPECT_EQ(refused, EPERM);
  EXPECT_FALSE(handled);
  EXPECT_EQ(handler.calls, 0);
}

} // namespace
} // namespace datum
