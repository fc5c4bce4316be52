// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Notification of DAT 2.0: CNOs with a descriptor, and taking a trigger without waiting.
#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <unistd.h>

#include <string>
#include <thread>

#include "fixture.h"

namespace {

using namespace datum::test;

class Dat2Notification : public Conformance {
 protected:
  void SetUp() override {
    Conformance::SetUp();
    ASSERT_DAT_OK(dat_cno_fd_create(ia, &descriptor, cno.out()));
    evd = create_evd(ia, DAT_EVD_SOFTWARE_FLAG, 8, cno);
  }
  bool readable() const {
    pollfd one{descriptor, POLLIN, 0};
    return ::poll(&one, 1, 0) == 1;
  }
  void trigger() { ASSERT_DAT_OK(post_software_event(evd, nullptr)); }

  DAT_FD descriptor = -1;
  Cno cno;
  Evd evd;
};

// Rules: DAT2.7 DAT2.8
TEST_F(Dat2Notification, ReadableWhileATriggerWaits) {
  EXPECT_FALSE(readable());
  trigger();
  EXPECT_TRUE(readable());
  EXPECT_TRUE(readable()) << "looking takes nothing";
  DAT_EVD_HANDLE fired = DAT_HANDLE_NULL;
  EXPECT_DAT_OK(dat_cno_trigger(cno, &fired));
  EXPECT_EQ(fired, evd);
  EXPECT_FALSE(readable());
}

// Rules: DAT2.91
TEST_F(Dat2Notification, WithoutDescriptorsTheLimitIsNamed) {
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  testing::internal::CaptureStderr();
  const rlimit none{0, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none), 0);
  DAT_FD no_descriptor = -1;
  Cno no_cno;
  const DAT_RETURN answer = dat_cno_fd_create(ia, &no_descriptor, no_cno.out());
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_DAT_ERROR(answer, DAT_INSUFFICIENT_RESOURCES, DAT_RESOURCE_DEVICE);
  EXPECT_EQ(no_descriptor, -1);
  // With DATUM_LOG=debug a second line reports the refusal.
  EXPECT_EQ(said.substr(0, said.find('\n')),
            "datum warn: dat_cno_fd_create: no descriptors for the CNO (eventfd2, fcntl): "
            "Too many open files; this process may have 0 (`ulimit -n`), which is its "
            "RLIMIT_NOFILE");
}

// Rules: DAT2.7
TEST_F(Dat2Notification, AWaitTakesTheTrigger) {
  trigger();
  DAT_EVD_HANDLE fired = DAT_HANDLE_NULL;
  EXPECT_DAT_OK(dat_cno_wait(cno, kPatience, &fired));
  EXPECT_EQ(fired, evd);
  EXPECT_FALSE(readable());
}

// Rules: DAT2.7
TEST_F(Dat2Notification, OneWakeUpForSeveralTriggers) {
  trigger();
  trigger();
  DAT_EVD_HANDLE fired = DAT_HANDLE_NULL;
  EXPECT_DAT_OK(dat_cno_trigger(cno, &fired));
  EXPECT_FALSE(readable());
  trigger();
  EXPECT_TRUE(readable());
}

// Rules: DAT2.8
TEST_F(Dat2Notification, NoTrigger) {
  DAT_EVD_HANDLE fired = evd;
  EXPECT_DAT_TYPE(dat_cno_trigger(cno, &fired), DAT_QUEUE_EMPTY);
  EXPECT_EQ(fired, DAT_HANDLE(DAT_HANDLE_NULL));
  EXPECT_DAT_ERROR(dat_cno_trigger(evd, &fired), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_CNO);
  EXPECT_DAT_ERROR(dat_cno_trigger(cno, nullptr), DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
}

// Rules: DAT2.64
TEST_F(Dat2Notification, WhatBearsTheNumberOfAClosedDescriptorIsLeftAlone) {
  const int file = ::memfd_create("theirs", MFD_CLOEXEC);
  ASSERT_EQ(::dup2(file, descriptor), descriptor) << "closes it first";
  trigger();
  struct stat status {};
  ASSERT_EQ(::fstat(file, &status), 0);
  EXPECT_EQ(status.st_size, 0) << "written to";
  DAT_EVD_HANDLE fired = DAT_HANDLE_NULL;
  EXPECT_DAT_OK(dat_cno_trigger(cno, &fired));
  EXPECT_EQ(fired, evd);
  evd.free();
  cno.free();
  EXPECT_NE(::fcntl(descriptor, F_GETFD), -1) << "closed";
  ::close(descriptor);
  ::close(file);
}

// Rules: DAT2.64
TEST_F(Dat2Notification, ADescriptorEndsWithItsCno) {
  trigger();
  evd.free();
  cno.free();
  EXPECT_EQ(::fcntl(descriptor, F_GETFD), -1);
}

// Rules: DAT2.27
TEST_F(Dat2Notification, NothingOnAnEvdForCompletionsHasNoClass) {
  DAT_EVENT event{};
  const Evd completions = create_evd(ia, DAT_EVD_DTO_FLAG);
  EXPECT_EQ(dat_evd_dequeue(completions, &event), 0x000d0000U);
  const Evd binds = create_evd(ia, DAT_EVD_RMR_BIND_FLAG);
  EXPECT_EQ(dat_evd_dequeue(binds, &event), 0x000d0000U);
  EXPECT_EQ(dat_evd_dequeue(evd, &event), 0x800d0000U);
}

// Rules: DAT2.9
TEST_F(Dat2Notification, QueryNamesTheProxy) {
  DAT_CNO_PARAM param{};
  ASSERT_DAT_OK(dat_cno_query(cno, DAT_CNO_FIELD_ALL, &param));
  EXPECT_EQ(param.proxy_type, DAT_PROXY_TYPE_FD);
  EXPECT_EQ(param.proxy.fd, descriptor);
  EXPECT_EQ(param.ia_handle, ia);
  const Cno plain = create_cno(ia);
  ASSERT_DAT_OK(dat_cno_query(plain, DAT_CNO_FIELD_ALL, &param));
  EXPECT_EQ(param.proxy_type, DAT_PROXY_TYPE_NONE);
}

// Rules: DAT2.7
TEST(Dat2Descriptor, AMessageMakesItReadable) {
  ConnectedPair pair;
  DAT_FD descriptor = -1;
  Cno cno;
  ASSERT_DAT_OK(dat_cno_fd_create(pair.passive_ia(), &descriptor, cno.out()));
  ASSERT_DAT_OK(dat_evd_modify_cno(pair.passive().recv_evd(), cno));
  Buffer from = pair.active().buffer(16);
  Buffer to = pair.passive().buffer(16);
  ASSERT_DAT_OK(post_recv(pair.passive().ep(), {to.segment()}, 1));
  ASSERT_DAT_OK(post_send(pair.active().ep(), {from.segment()}, 2));
  expect_dto(pair.active().request_evd(), pair.active().ep(), 2);
  pollfd one{descriptor, POLLIN, 0};
  EXPECT_EQ(::poll(&one, 1, 5000), 1);
  DAT_EVD_HANDLE fired = DAT_HANDLE_NULL;
  EXPECT_DAT_OK(dat_cno_trigger(cno, &fired));
  EXPECT_EQ(fired, pair.passive().recv_evd());
  expect_dto(pair.passive().recv_evd(), pair.passive().ep(), 1);
  ASSERT_DAT_OK(dat_evd_modify_cno(pair.passive().recv_evd(), DAT_HANDLE_NULL));
}

// Three ways to check, without waiting, whether a descriptor is readable.
bool by_poll(int descriptor) {
  pollfd one{descriptor, POLLIN, 0};
  return ::poll(&one, 1, 0) == 1 && one.revents == POLLIN;
}
bool by_select(int descriptor) {
  fd_set set;
  FD_ZERO(&set);
  FD_SET(descriptor, &set);
  timeval none{0, 0};
  return ::select(descriptor + 1, &set, nullptr, nullptr, &none) == 1 && FD_ISSET(descriptor, &set);
}
class Epoll {
 public:
  Epoll(int descriptor, std::uint32_t events) {
    epoll_event wanted{};
    wanted.events = events;
    EXPECT_EQ(::epoll_ctl(epoll_, EPOLL_CTL_ADD, descriptor, &wanted), 0);
  }
  ~Epoll() { ::close(epoll_); }
  Epoll(const Epoll&) = delete;
  Epoll& operator=(const Epoll&) = delete;
  bool reports(int patience_ms = 0) const {
    epoll_event event{};
    return ::epoll_wait(epoll_, &event, 1, patience_ms) == 1 && (event.events & EPOLLIN) != 0;
  }

 private:
  int epoll_ = ::epoll_create1(EPOLL_CLOEXEC);
};

// Rules: DAT2.74
TEST_F(Dat2Notification, PollSelectAndEpollReportItAsLongAsATriggerWaits) {
  const Epoll level(descriptor, EPOLLIN);
  const auto expect_all = [&](bool expected) {
    EXPECT_EQ(by_poll(descriptor), expected);
    EXPECT_EQ(by_select(descriptor), expected);
    EXPECT_EQ(level.reports(), expected);
  };
  for (int round = 0; round != 3; ++round) {
    expect_all(false);
    trigger();
    expect_all(true);
    expect_all(true); // polling the descriptor takes no trigger
    DAT_EVD_HANDLE fired = DAT_HANDLE_NULL;
    EXPECT_DAT_OK(dat_cno_trigger(cno, &fired));
  }
  expect_all(false);
}

// Rules: DAT2.74
TEST_F(Dat2Notification, EdgeTriggeredEpollReportsEachFirstTriggerOnce) {
  const Epoll edge(descriptor, EPOLLIN | EPOLLET);
  EXPECT_FALSE(edge.reports());
  for (int round = 0; round != 3; ++round) {
    trigger();
    EXPECT_TRUE(edge.reports());
    EXPECT_FALSE(edge.reports()) << "once";
    trigger();
    EXPECT_FALSE(edge.reports()) << "it is triggered already";
    DAT_EVD_HANDLE fired = DAT_HANDLE_NULL;
    EXPECT_DAT_OK(dat_cno_trigger(cno, &fired));
  }
  EXPECT_FALSE(edge.reports());
}

// Rules: DAT2.74
TEST_F(Dat2Notification, ATriggerFromBeforeIsReportedToWhoeverBeginsToLook) {
  trigger();
  const Epoll level(descriptor, EPOLLIN);
  const Epoll edge(descriptor, EPOLLIN | EPOLLET);
  const Epoll once(descriptor, EPOLLIN | EPOLLONESHOT);
  EXPECT_TRUE(level.reports());
  EXPECT_TRUE(edge.reports());
  EXPECT_TRUE(once.reports());
  EXPECT_FALSE(once.reports());
}

// The loop of the manual page: take the trigger, empty the EVD, wait again. With an edge-triggered
// epoll, a message that the loop overlooks is lost to it for ever.
class Dat2EventLoop : public testing::TestWithParam<std::uint32_t> {};

// Rules: DAT2.74
TEST_P(Dat2EventLoop, MissesNoMessage) {
  constexpr DAT_UINT64 kMessages = 500;
  ConnectedPair pair;
  DAT_FD descriptor = -1;
  Cno cno;
  ASSERT_DAT_OK(dat_cno_fd_create(pair.passive_ia(), &descriptor, cno.out()));
  const DAT_EVD_HANDLE evd = pair.passive().recv_evd();
  ASSERT_DAT_OK(dat_evd_modify_cno(evd, cno));
  Buffer from = pair.active().buffer(16);
  Buffer to = pair.passive().buffer(16);
  ASSERT_DAT_OK(post_recv(pair.passive().ep(), {to.segment()}, 0));
  std::thread sender([&] {
    for (DAT_UINT64 i = 0; i != kMessages; ++i) {
      EXPECT_DAT_OK(post_send(pair.active().ep(), {from.segment()}, i));
      expect_dto(pair.active().request_evd(), pair.active().ep(), i);
    }
  });
  const Epoll loop(descriptor, GetParam());
  DAT_UINT64 received = 0;
  while (received != kMessages && loop.reports(5000)) {
    DAT_EVD_HANDLE fired = DAT_HANDLE_NULL;
    EXPECT_DAT_OK(dat_cno_trigger(cno, &fired));
    EXPECT_EQ(fired, evd);
    DAT_EVENT event{};
    while (dat_evd_dequeue(evd, &event) == DAT_SUCCESS) {
      EXPECT_EQ(event.event_data.dto_completion_event_data.user_cookie.as_64, received);
      if (++received == kMessages) break;
      EXPECT_DAT_OK(post_recv(pair.passive().ep(), {to.segment()}, received));
    }
  }
  EXPECT_EQ(received, 500U);
  sender.join();
  ASSERT_DAT_OK(dat_evd_modify_cno(evd, DAT_HANDLE_NULL));
}

INSTANTIATE_TEST_SUITE_P(Epolls, Dat2EventLoop,
                         testing::Values(std::uint32_t{EPOLLIN},
                                         std::uint32_t{EPOLLIN} | std::uint32_t{EPOLLET}),
                         [](const testing::TestParamInfo<std::uint32_t>& epoll) {
                           return std::string(epoll.param == EPOLLIN ? "Level" : "Edge");
                         });

} // namespace
