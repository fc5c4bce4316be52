// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/refused_calls.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstdint>
#include <string>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

#include "tests/filter.h"

namespace datum {
namespace {

TEST(RefusedCalls, NoneIsRefusedWithoutAFilter) {
  for (std::size_t i = 0; i < kSystemCalls; ++i) {
    const auto call = static_cast<SystemCall>(i);
    EXPECT_EQ(refusal_of(call), 0) << name_of(call);
  }
}

TEST(RefusedCalls, LeaveErrnoAsItWas) {
  errno = ENOTTY;
  EXPECT_EQ(refusal_of(SystemCall::SendMessage), 0);
  EXPECT_EQ(errno, ENOTTY);
}

// A filter lasts for the rest of a thread's life, so each call is tried in a thread of its own.
TEST(RefusedCalls, AreFoundWithTheErrorOfTheFilter) {
  struct {
    SystemCall call;
    std::uint32_t number;
    const char* name;
  } const kAll[] = {
      {SystemCall::Accept, SYS_accept4, "accept4"},
      {SystemCall::Bind, SYS_bind, "bind"},
      {SystemCall::Connect, SYS_connect, "connect"},
      {SystemCall::EpollControl, SYS_epoll_ctl, "epoll_ctl"},
      {SystemCall::EpollCreate, SYS_epoll_create1, "epoll_create1"},
      {SystemCall::EventCreate, SYS_eventfd2, "eventfd2"},
      {SystemCall::FileControl, SYS_fcntl, "fcntl"},
      {SystemCall::FileLength, SYS_ftruncate, "ftruncate"},
      {SystemCall::FileSystem, SYS_fstatfs, "fstatfs"},
      {SystemCall::GetSocketName, SYS_getsockname, "getsockname"},
      {SystemCall::GetSocketOption, SYS_getsockopt, "getsockopt"},
      {SystemCall::Listen, SYS_listen, "listen"},
      {SystemCall::MapShared, SYS_mmap, "mmap"},
      {SystemCall::MemoryFile, SYS_memfd_create, "memfd_create"},
      {SystemCall::ReadVector, SYS_readv, "readv"},
      {SystemCall::ReceiveFrom, SYS_recvfrom, "recvfrom"},
      {SystemCall::ReceiveMessage, SYS_recvmsg, "recvmsg"},
      {SystemCall::ResourceLimit, SYS_prlimit64, "prlimit64"},
      {SystemCall::SendMessage, SYS_sendmsg, "sendmsg"},
      {SystemCall::SendTo, SYS_sendto, "sendto"},
      {SystemCall::SetSocketOption, SYS_setsockopt, "setsockopt"},
      {SystemCall::Socket, SYS_socket, "socket"},
      {SystemCall::TimerCreate, SYS_timerfd_create, "timerfd_create"},
  };
  static_assert(std::size(kAll) == kSystemCalls - 2); // and those that make threads
  for (const auto& [call, number, name] : kAll) {
    bool filtered = false;
    int found = 0;
    std::thread([&, refused = call, its_number = number] {
      filtered = test::forbid_call(its_number, ENOSYS);
      found = refusal_of(refused);
    }).join();
    if (!filtered) GTEST_SKIP() << "no filter of system calls here";
    EXPECT_EQ(found, ENOSYS) << name;
    EXPECT_STREQ(name_of(call), name);
  }
}

// At ENOSYS to clone3 the C library takes clone, at EPERM it makes no thread.
TEST(RefusedCalls, CloneIsNeededWhereClone3IsNotThere) {
  struct {
    int clone3, clone; // what the filter answers; 0: it lets the call through
    int found_clone3, found_clone;
  } const kAll[] = {
      {EPERM, 0, EPERM, 0},      {EPERM, EPERM, EPERM, 0}, {ENOSYS, 0, 0, 0},
      {ENOSYS, EPERM, 0, EPERM}, {0, EPERM, 0, 0},
  };
  const bool lacks_clone3 = ::syscall(SYS_clone3, nullptr, 0) < 0 && errno == ENOSYS;
  for (const auto& each : kAll) {
    if (each.clone3 == 0 && lacks_clone3) continue; // as in the case before
    bool filtered = false;
    int clone3 = -1, clone = -1;
    std::thread([&] {
      filtered = (each.clone3 == 0 || test::forbid_call(SYS_clone3, each.clone3)) &&
                 (each.clone == 0 || test::forbid_call(SYS_clone, each.clone));
      clone3 = refusal_of(SystemCall::ThreadCreate);
      clone = refusal_of(SystemCall::Clone);
    }).join();
    if (!filtered) GTEST_SKIP() << "no filter of system calls here";
    EXPECT_EQ(clone3, each.found_clone3);
    EXPECT_EQ(clone, each.found_clone);
  }
}

TEST(RefusedCalls, SocketIsNotRefusedWhereOneFamilyIs) {
  bool filtered = false;
  int found = -1;
  std::thread([&] {
    filtered = test::forbid_family(AF_UNIX, EPERM);
    found = refusal_of(SystemCall::Socket);
  }).join();
  if (!filtered) GTEST_SKIP() << "no filter of system calls here";
  EXPECT_EQ(found, 0);
}

} // namespace
} // namespace datum
