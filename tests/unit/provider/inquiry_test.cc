// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Inquiry: a question is answered in several parts. Between two parts the lock of the IA is free.
#include "provider/inquiry.h"

#include <gtest/gtest.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "endpoints.h"

namespace datum::test {
namespace {

// A reactor of one descriptor. It knows which events the descriptor is watched for.
class OneDescriptor final : public Reactor {
 public:
  Status add(int fd, std::uint32_t events, FdHandler& handler) override {
    fd_ = fd;
    handler_ = &handler;
    events_ = events;
    return kOk;
  }
  int change(int, std::uint32_t events, FdHandler&) override {
    if (change_error != 0) return change_error;
    events_ = events;
    return 0;
  }
  void remove(int, FdHandler&) override { handler_ = nullptr; }
  void handle_all() override { handler_->on_ready(events_); }

  int fd() const { return fd_; }
  bool watched() const { return events_ != 0; }
  bool has_handler() const { return handler_ != nullptr; }
  int change_error = 0;

 private:
  int fd_ = -1;
  FdHandler* handler_ = nullptr;
  std::uint32_t events_ = 0;
};

class InquiryInParts : public testing::Test {
 protected:
  static constexpr int kEndpoints = 200;

  void SetUp() override {
    inquiry_ = Inquiry::open(reactor_, endpoints_.adapter, "fake", random_);
    ASSERT_NE(inquiry_, nullptr);
  }
  // Connects as an asker. Returns the socket of the answer.
  UniqueFd ask() {
    sockaddr_un name{};
    socklen_t size = sizeof name;
    EXPECT_EQ(getsockname(reactor_.fd(), reinterpret_cast<sockaddr*>(&name), &size), 0);
    UniqueFd asker(socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    EXPECT_EQ(connect(asker.get(), reinterpret_cast<const sockaddr*>(&name), size), 0);
    reactor_.handle_all();
    return asker;
  }
  // What the driver of an IA does while it holds the lock once. No other work is due then.
  void look() {
    TimerQueue& timers = endpoints_.world.a->timers;
    endpoints_.world.now = timers.next();
    EXPECT_TRUE(timers.run(endpoints_.world.now));
    EXPECT_FALSE(timers.run(endpoints_.world.now)) << "the lock would not be let go";
  }
  static bool answered(const UniqueFd& asker) {
    char greeting = 0;
    return recv(asker.get(), &greeting, 1, 0) == 1;
  }

  Endpoints endpoints_{kEndpoints};
  OneDescriptor reactor_;
  // The seed differs from process to process, so that tests that run at once have different names.
  SeededRandom random_{static_cast<std::uint64_t>(::getpid())};
  std::unique_ptr<Inquiry> inquiry_;
};

// Rules: PROGRESS.3
TEST_F(InquiryInParts, ALookWritesOnePartAndLetsGoOfTheLock) {
  const UniqueFd asker = ask();
  // 200 endpoints and an EVD fill four parts of at most 64 objects. The fifth look finds no more.
  for (int part = 1; part <= 4; ++part) {
    look();
    EXPECT_FALSE(answered(asker)) << "after part " << part;
    EXPECT_FALSE(reactor_.watched()) << "one at a time";
  }
  look();
  EXPECT_TRUE(answered(asker));
  EXPECT_FALSE(reactor_.watched()) << "a rest";
  look();
  EXPECT_TRUE(reactor_.watched()) << "for the next one";
}

// Rules: VERSION.10
TEST_F(InquiryInParts, TheAnswerBeginsWithTheNumberOfItsForm) {
  const UniqueFd asker = ask();
  for (int part = 1; part <= 5; ++part) look();
  char form = 0;
  ASSERT_EQ(recv(asker.get(), &form, 1, 0), 1);
  EXPECT_EQ(form, 3);
}

TEST_F(InquiryInParts, EndpointsMayGoBetweenTwoLooks) {
  const UniqueFd asker = ask();
  look();
  for (std::size_t at = 0; at < kEndpoints; ++at) endpoints_.free(at);
  look();
  EXPECT_FALSE(answered(asker)) << "the dispatcher is told";
  look();
  EXPECT_TRUE(answered(asker));
}

// Rules: SANDBOX.2
TEST_F(InquiryInParts, GivesUpWhereALaterSandboxRefusesToChangeTheWatch) {
  reactor_.change_error = EPERM;
  testing::internal::CaptureStderr();
  const UniqueFd asker = ask();
  testing::internal::GetCapturedStderr(); // the line depends on DATUM_LOG
  EXPECT_FALSE(reactor_.has_handler());
  char greeting = 0;
  EXPECT_LE(recv(asker.get(), &greeting, 1, 0), 0);
  EXPECT_NE(errno, EAGAIN) << "the asker is hung up on";
}

TEST_F(InquiryInParts, AnIaThatClosesMeanwhileOwesNothing) {
  const UniqueFd asker = ask();
  look();
  inquiry_.reset();
  EXPECT_EQ(endpoints_.world.a->timers.next(), kNever);
  EXPECT_FALSE(answered(asker));
}

} // namespace
} // namespace datum::test
