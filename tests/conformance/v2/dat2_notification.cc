// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Notification of DAT 2.0: CNOs with a descriptor, taking a trigger without waiting.
#include <fcntl.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

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

} // namespace
