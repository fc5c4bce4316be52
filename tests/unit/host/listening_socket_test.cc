// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Which connections a listening socket accepts, and when the reactor does not watch the socket.
#include "transport/host/listening_socket.h"

#include <cerrno>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <vector>

#include "base/unique_fd.h"

namespace datum {
namespace {

class StoppedClock final : public Progress {
 public:
  bool poll() override { return false; }
  WaitResult wait(WaitPoint&, Instant) override { return WaitResult::TimedOut; }
  void signal(WaitPoint&) override {}
  void wake() override { ++wakes; }
  Instant now() override { return time; }
  Instant time = kSecond;
  int wakes = 0;
};

// A reactor of one descriptor.
class OneSocket final : public Reactor {
 public:
  Status add(int, std::uint32_t wanted, FdHandler& handler) override {
    if (refuses) return {Type::InsufficientResources, Detail::ResourceDevice};
    events = wanted;
    handler_ = &handler;
    return kOk;
  }
  int change(int, std::uint32_t wanted, FdHandler&) override {
    if (change_error != 0) return change_error;
    events = wanted;
    return 0;
  }
  void remove(int, FdHandler&) override { handler_ = nullptr; }
  void handle_all() override { handler_->on_ready(EPOLLIN); }
  bool is_asked() const { return handler_ != nullptr; }
  std::uint32_t events = 0;
  bool refuses = false;
  int change_error = 0;

 private:
  FdHandler* handler_ = nullptr;
};

class Hall final : public ListeningOwner {
 public:
  explicit Hall(StoppedClock& clock) : clock_(clock) {}
  void begin_turn() override { ++turns; }
  std::optional<Instant> full() override {
    if (inside.size() < most) return std::nullopt;
    return clock_.time + 5 * kMillisecond;
  }
  void welcome(GuardedFd accepted, const sockaddr_storage& peer) override {
    families.push_back(peer.ss_family);
    inside.push_back(std::move(accepted));
  }
  bool on_lack(int error) override {
    lacks.push_back(error);
    return make_room && make_room();
  }
  void on_closed(int error) override { closed = error; }
  std::size_t most = 100;
  std::vector<GuardedFd> inside;
  std::vector<sa_family_t> families; // of the peers inside
  std::vector<int> lacks;
  std::function<bool()> make_room;
  int turns = 0;
  int closed = 0;

 private:
  StoppedClock& clock_;
};

class Listening : public testing::Test {
 protected:
  static constexpr int kAtOnce = 4;
  Listening() {
    GuardedFd fd = GuardedFd::take(
        [] { return ::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0); });
    address_.sun_family = AF_UNIX;
    // The kernel chooses an abstract name.
    EXPECT_EQ(::bind(fd.get(), reinterpret_cast<sockaddr*>(&address_), sizeof(sa_family_t)), 0);
    length_ = sizeof address_;
    EXPECT_EQ(::getsockname(fd.get(), reinterpret_cast<sockaddr*>(&address_), &length_), 0);
    EXPECT_EQ(::listen(fd.get(), 64), 0);
    lent.progress = &clock;
    lent.timers = &timers;
    socket = std::make_unique<ListeningSocket>(reactor, lent, std::move(fd), hall, kAtOnce);
  }
  void come(int count) {
    for (int i = 0; i < count; ++i) {
      UniqueFd& fd = outside_.emplace_back(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
      ASSERT_EQ(::connect(fd.get(), reinterpret_cast<sockaddr*>(&address_), length_), 0);
    }
  }
  void pass(Duration time) {
    clock.time += time;
    timers.run(clock.time);
  }

  StoppedClock clock;
  TimerQueue timers;
  TransportHost lent;
  OneSocket reactor;
  Hall hall{clock};
  std::unique_ptr<ListeningSocket> socket;

 private:
  sockaddr_un address_{};
  socklen_t length_ = 0;
  std::vector<UniqueFd> outside_;
};

TEST_F(Listening, AcceptsAsManyInOneTurnAsItsOwnerSays) {
  ASSERT_TRUE(socket->begin().ok());
  come(6);
  reactor.handle_all();
  EXPECT_EQ(hall.inside.size(), 4U);
  EXPECT_EQ(hall.turns, 1);
  reactor.handle_all();
  EXPECT_EQ(hall.inside.size(), 6U);
  EXPECT_EQ(reactor.events, EPOLLIN);
  EXPECT_TRUE(hall.lacks.empty()) << "that nobody is left is no lack";
}

TEST_F(Listening, SaysFromWhereEachPeerComes) {
  ASSERT_TRUE(socket->begin().ok());
  come(2);
  reactor.handle_all();
  EXPECT_EQ(hall.families, (std::vector<sa_family_t>{AF_UNIX, AF_UNIX}));
}

TEST_F(Listening, IsNotLookedAtWhereThereIsNoRoomUntilTheTimeIsOver) {
  ASSERT_TRUE(socket->begin().ok());
  hall.most = 2;
  come(3);
  reactor.handle_all();
  EXPECT_EQ(hall.inside.size(), 2U);
  EXPECT_EQ(reactor.events, 0U);
  EXPECT_EQ(clock.wakes, 1) << "whoever sleeps has to learn of the time";
  reactor.handle_all(); // as if a hangup were reported for a socket that is not watched
  EXPECT_EQ(hall.turns, 1);
  pass(5 * kMillisecond - 1);
  EXPECT_EQ(reactor.events, 0U);
  pass(1);
  EXPECT_EQ(reactor.events, EPOLLIN);
}

TEST_F(Listening, OrUntilRoomWasMade) {
  ASSERT_TRUE(socket->begin().ok());
  hall.most = 2;
  come(3);
  reactor.handle_all();
  hall.inside.pop_back();
  socket->room_was_made();
  EXPECT_EQ(reactor.events, EPOLLIN);
  EXPECT_EQ(timers.next(), kNever);
  reactor.handle_all();
  EXPECT_EQ(hall.inside.size(), 2U);
}

class NoMoreDescriptors {
 public:
  NoMoreDescriptors() {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    rlimit none = before_;
    none.rlim_cur = static_cast<rlim_t>(UniqueFd(::dup(0)).get());
    ::setrlimit(RLIMIT_NOFILE, &none);
  }
  ~NoMoreDescriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  rlimit before_{};
};

TEST_F(Listening, RestsWhereADescriptorIsLackingAndNoRoomEndsThat) {
  ASSERT_TRUE(socket->begin().ok());
  come(1);
  {
    const NoMoreDescriptors none;
    reactor.handle_all();
  }
  EXPECT_EQ(hall.lacks, std::vector<int>{EMFILE});
  EXPECT_EQ(reactor.events, 0U);
  socket->room_was_made();
  EXPECT_EQ(reactor.events, 0U);
  pass(100 * kMillisecond - 1);
  EXPECT_EQ(reactor.events, 0U);
  pass(1);
  EXPECT_EQ(reactor.events, EPOLLIN);
  reactor.handle_all();
  EXPECT_EQ(hall.inside.size(), 1U);
}

TEST_F(Listening, GoesOnWhereItsOwnerHasFoundADescriptor) {
  ASSERT_TRUE(socket->begin().ok());
  come(1);
  auto none = std::make_unique<NoMoreDescriptors>();
  hall.make_room = [&] {
    none.reset();
    return true;
  };
  reactor.handle_all();
  EXPECT_EQ(hall.lacks, std::vector<int>{EMFILE});
  EXPECT_EQ(hall.inside.size(), 1U);
  EXPECT_EQ(reactor.events, EPOLLIN);
}

// The kernel would report a peer that waits in the backlog again and again.
// Rules: SANDBOX.7
TEST_F(Listening, IsClosedWhereALaterSandboxRefusesToChangeTheWatch) {
  ASSERT_TRUE(socket->begin().ok());
  hall.most = 2;
  come(3);
  reactor.change_error = EPERM;
  reactor.handle_all();
  EXPECT_EQ(hall.closed, EPERM);
  EXPECT_FALSE(reactor.is_asked());
  EXPECT_EQ(socket->get(), -1);
  EXPECT_EQ(timers.next(), kNever);
  socket->room_was_made();
  EXPECT_EQ(hall.inside.size(), 2U);
}

// The kernel would never report a peer that comes now.
// Rules: SANDBOX.7
TEST_F(Listening, IsClosedWhereALaterSandboxRefusesToWatchAgain) {
  ASSERT_TRUE(socket->begin().ok());
  hall.most = 2;
  come(3);
  reactor.handle_all();
  reactor.change_error = EPERM;
  pass(5 * kMillisecond);
  EXPECT_EQ(hall.closed, EPERM);
  EXPECT_FALSE(reactor.is_asked());
  EXPECT_EQ(socket->get(), -1);
}

TEST_F(Listening, IsTakenFromTheReactorAtItsEnd) {
  ASSERT_TRUE(socket->begin().ok());
  EXPECT_TRUE(reactor.is_asked());
  socket.reset();
  EXPECT_FALSE(reactor.is_asked());
}

TEST_F(Listening, WhatTheReactorRefusesIsTold) {
  reactor.refuses = true;
  EXPECT_FALSE(socket->begin().ok());
}

} // namespace
} // namespace datum
