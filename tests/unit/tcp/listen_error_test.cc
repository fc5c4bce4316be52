// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// ListenError: the status and the log line if no socket can listen at a qualifier, even without
// memory for the line.
#include "transport/host/listen_error.h"

#include <cerrno>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <optional>
#include <string>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <thread>
#include <utility>

#include "../iwarp/no_memory.h"
#include "base/unique_fd.h"
#include "filter.h"

namespace datum::test {
namespace {

using iwarp::test::NoMemory;

// A place whose text needs memory.
ListenPlace far_place() {
  HostAddress host;
  host.family = AF_INET6;
  host.bytes.fill(0xab);
  return {host, ConnQual{1} << 60U};
}

// The log line about that error if there is no memory for the text.
std::string said_without_memory(const ListenError& error) {
  ShortageLog shortages;
  const ListenPlace place = far_place();
  testing::internal::CaptureStderr();
  Status status;
  {
    const NoMemory none;
    status = listen_failure(shortages, 0, place, error).value();
  }
  EXPECT_EQ(status, Status(Type::InsufficientResources, Detail::ResourceDevice));
  return testing::internal::GetCapturedStderr();
}

// Rules: tcp.R10
TEST(ListenError, ALackWithoutMemoryForItsLineIsTheAnswerAllTheSame) {
  EXPECT_EQ(said_without_memory(port_error(ENOBUFS)), "datum warn: out of memory\n");
}

// Rules: tcp.R10
TEST(ListenError, ARefusalIsNoLackOfDescriptors) {
  ShortageLog shortages;
  testing::internal::CaptureStderr();
  EXPECT_EQ(listen_failure(shortages, 0, {HostAddress(), 5000}, name_error(EPERM)).value(),
            Status(Type::ConnQualUnavailable));
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "datum warn: listening at 0.0.0.0 qualifier 5000: no socket for it: Operation not "
            "permitted; a sandbox of this process (seccomp, SELinux, AppArmor) refuses bind or "
            "listen: permit both, dat-info --check names calls\n");
}

// Rules: tcp.R10
TEST(ListenError, NamesThePlaceAndTheCause) {
  ShortageLog shortages;
  testing::internal::CaptureStderr();
  static_cast<void>(listen_failure(shortages, 0, {HostAddress(), 5000}, name_error(EMFILE)));
  static_cast<void>(listen_failure(shortages, 0, {}, port_error(ENFILE)));
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(
      said.find("listening at 0.0.0.0 qualifier 5000: no socket for it: Too many open files;"),
      std::string::npos)
      << said;
  EXPECT_NE(said.find("listening at every address any qualifier: no socket for it: Too many open "
                      "files in system;"),
            std::string::npos)
      << said;
}

// Rules: tcp.R10
TEST(ListenError, SaysThatNoMarkIsFreeAndHowManyThereAre) {
  ShortageLog shortages;
  const ListenPlace place = {HostAddress(), ConnQual{70000}};
  testing::internal::CaptureStderr();
  for (int i = 0; i < 2; ++i)
    EXPECT_EQ(listen_failure(shortages, 0, place, name_error(EUSERS)).value(),
              Status(Type::InsufficientResources, Detail::ResourceDevice));
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "datum warn: listening at 0.0.0.0 qualifier 70000: none of the 64 marks of this "
            "qualifier is free: as many addresses of this host have it, or somebody holds their "
            "names (@datum/m/ in /proc/net/unix)\n");
}

// Rules: tcp.R10
TEST(ListenError, WithoutMemoryForItsLineNoFreeMarkIsTheAnswerAllTheSame) {
  EXPECT_EQ(said_without_memory(name_error(EUSERS)), "datum warn: out of memory\n");
}

// The port is not in use, and no privilege is missing. The user has to change a policy.
// Rules: tcp.R12
TEST(ListenError, SaysThatAPolicyRefusesThePort) {
  for (const auto& [error, word] :
       {std::pair{EACCES, "Permission denied"}, {EPERM, "Operation not permitted"}}) {
    ShortageLog shortages;
    testing::internal::CaptureStderr();
    EXPECT_EQ(listen_failure(shortages, 0, {HostAddress(), 7001}, port_error(error, 7001)).value(),
              Status(Type::ConnQualUnavailable));
    EXPECT_EQ(testing::internal::GetCapturedStderr(),
              std::string("datum warn: listening at 0.0.0.0 qualifier 7001: a security policy of "
                          "this process (Landlock, seccomp, SELinux) refuses port 7001: ") +
                  word + "; permit it, or choose one that is permitted\n");
  }
}

// The status says everything, and programs that search for a free port expect such errors.
TEST(ListenError, WhatTheCodeSaysWholeIsNotLogged) {
  ShortageLog shortages;
  testing::internal::CaptureStderr();
  EXPECT_EQ(listen_failure(shortages, 0, {}, port_error(EADDRINUSE)).value(),
            Status(Type::ConnQualInUse));
  EXPECT_EQ(listen_failure(shortages, 0, {}, name_error(EADDRINUSE)).value(),
            Status(Type::ConnQualInUse));
  EXPECT_EQ(listen_failure(shortages, 0, {}, port_error(EADDRNOTAVAIL)).value(),
            Status(Type::InvalidAddress, Detail::AddressUnreachable));
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

// getsockname(2) succeeds for a socket without a port. The log line must not say "Success".
TEST(BoundPort, ASocketWithoutOneHasAnError) {
  const UniqueFd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  errno = 0;
  const auto port = bound_port(socket.get());
  ASSERT_FALSE(port.has_value());
  EXPECT_NE(port.error().error, 0);
  EXPECT_EQ(bound_port(-1).error().error, EBADF);
}

// The kernel gave a port, and a filter of system calls hides which. No policy refuses that port.
// Rules: tcp.R12
TEST(BoundPort, NamesTheCallWhereAFilterRefusesIt) {
  bool filtered = false;
  testing::internal::CaptureStderr();
  std::thread([&] { // the filter ends with it
    filtered = forbid_call(SYS_getsockname, EPERM);
    ShortageLog shortages;
    const UniqueFd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (const auto port = bound_port(socket.get()); !port)
      static_cast<void>(listen_failure(shortages, 0, {HostAddress(), std::nullopt}, port.error()));
  })
      .join();
  const std::string said = testing::internal::GetCapturedStderr();
  if (!filtered) GTEST_SKIP() << "no filter of system calls here";
  EXPECT_EQ(said, "datum warn: listening at 0.0.0.0 any qualifier: the sandbox of this process "
                  "(seccomp) refuses the system call getsockname: Operation not permitted; permit "
                  "it, dat-info --check names all such calls\n");
}

} // namespace
} // namespace datum::test
