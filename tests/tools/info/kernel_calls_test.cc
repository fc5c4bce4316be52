// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// missing_kernel_calls(), with filters of system calls that imitate an older kernel.
#include "info/kernel_calls.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "tests/filter.h"

namespace datum::info {
namespace {

bool names(const std::vector<KernelCall>& missing, std::string_view call) {
  return std::any_of(missing.begin(), missing.end(),
                     [&](const KernelCall& each) { return each.name == call; });
}

// Runs in a separate thread, so that the filter ends with that thread. Without a value if filters
// cannot be had.
std::optional<bool> misses_diagnostics_where_netlink_fails_with(int error) {
  std::optional<bool> found;
  std::thread([&] {
    if (test::forbid_family(AF_NETLINK, error))
      found = names(missing_kernel_calls("6.1.0"), "NETLINK_SOCK_DIAG");
  }).join();
  return found;
}

TEST(InfoKernelCalls, DiagnosticsAreMissedWhereTheirSocketIsRefused) {
  for (const int error : {EAFNOSUPPORT, EPROTONOSUPPORT, EPERM, EACCES}) {
    SCOPED_TRACE(error);
    const auto found = misses_diagnostics_where_netlink_fails_with(error);
    if (!found) GTEST_SKIP() << "no filter of system calls here";
    EXPECT_TRUE(*found);
  }
}

struct Case {
  std::uint32_t number;
  const char* name;
  const char* before; // a kernel that does not have it yet
};
const Case kCases[] = {{SYS_madvise, "madvise", "2.4.37"},
                       {SYS_membarrier, "membarrier", "4.13.16-generic"},
                       {434, "pidfd_open", "4.18.0-80.el8"},
                       {437, "openat2", "5.5"},
                       {441, "epoll_pwait2", "5.10.0"}};

// The reason that missing_kernel_calls() finds for this call, when a filter answers the call with
// `error` on a kernel of this version. Nothing if filters cannot be had, or if the call is not
// missing.
std::optional<Absence> absence_of(const Case& call, int error, const std::string& release) {
  std::optional<Absence> found;
  std::thread([&] {
    if (!test::forbid_call(call.number, error)) return;
    for (const KernelCall& each : missing_kernel_calls(release))
      if (each.name == std::string_view(call.name) && each.error == error) found = each.absence;
  }).join();
  return found;
}

bool filters_work() {
  bool works = false;
  std::thread([&] { works = test::forbid_call(SYS_membarrier, EPERM); }).join();
  return works;
}

TEST(InfoKernelCalls, AnErrorThatNoKernelHasIsAFilters) {
  if (!filters_work()) GTEST_SKIP() << "no filter of system calls here";
  for (const Case& call : kCases)
    for (const int error : {EPERM, EACCES})
      for (const char* release : {"6.1.0-18-amd64", call.before})
        EXPECT_EQ(absence_of(call, error, release), Absence::Refused) << call.name;
}

TEST(InfoKernelCalls, AnOlderKernelLacksTheCall) {
  if (!filters_work()) GTEST_SKIP() << "no filter of system calls here";
  for (const Case& call : kCases)
    EXPECT_EQ(absence_of(call, ENOSYS, call.before), Absence::Lacking) << call.name;
}

TEST(InfoKernelCalls, OfAYoungerKernelAMissingCallMayBeEither) {
  if (!filters_work()) GTEST_SKIP() << "no filter of system calls here";
  for (const Case& call : kCases)
    for (const char* release : {"5.11.0", "10.0", ""})
      EXPECT_EQ(absence_of(call, ENOSYS, release), Absence::RefusedOrLacking) << call.name;
}

struct Refused {
  std::vector<KernelCall> dispensable;
  std::vector<RefusedCall> needed;
};

// Nothing if filters cannot be had.
std::optional<Refused> refused_where(std::uint32_t call, int error) {
  std::optional<Refused> found;
  std::thread([&] {
    if (test::forbid_call(call, error))
      found = {missing_kernel_calls("6.1.0"), refused_kernel_calls()};
  }).join();
  return found;
}

struct NeededCase {
  std::uint32_t number;
  const char* name;
  const char* then; // in the table of datum(7), SANDBOXES
};
const NeededCase kNeededCases[] = {
    {SYS_socket, "socket", "no adapter opens"},
    {SYS_epoll_ctl, "epoll_ctl", "no adapter opens"},
    {SYS_sendto, "sendto", "connections go over TCP alone"},
    {SYS_recvmsg, "recvmsg", "connections go over TCP alone"},
    {SYS_ftruncate, "ftruncate", "connections go over TCP alone"},
    {SYS_connect, "connect", "no connect is made from here"},
    {SYS_bind, "bind", "no service point is made"},
    {SYS_accept4, "accept4", "a service point answers no peer"},
    {SYS_setsockopt, "setsockopt",
     "over TCP more delay, and a host that vanishes may not be noticed"}};

TEST(InfoKernelCalls, ACallThatDatumNeedsHasTheConsequenceOfTheManual) {
  for (const NeededCase& call : kNeededCases)
    for (const int error : {EPERM, ENOSYS}) {
      SCOPED_TRACE(call.name);
      const auto refused = refused_where(call.number, error);
      if (!refused) GTEST_SKIP() << "no filter of system calls here";
      ASSERT_EQ(refused->needed.size(), 1U);
      EXPECT_STREQ(refused->needed[0].name, call.name);
      EXPECT_STREQ(refused->needed[0].then, call.then);
      EXPECT_EQ(refused->needed[0].error, error);
      EXPECT_FALSE(names(refused->dispensable, call.name));
    }
}

TEST(InfoKernelCalls, DatumCanDoWithoutReadvAndPrlimit) {
  for (const auto& [number, name] :
       {std::pair{SYS_readv, "readv"}, std::pair{SYS_prlimit64, "prlimit64"}})
    for (const int error : {EPERM, ENOSYS}) {
      SCOPED_TRACE(name);
      const auto refused = refused_where(static_cast<std::uint32_t>(number), error);
      if (!refused) GTEST_SKIP() << "no filter of system calls here";
      EXPECT_TRUE(refused->needed.empty());
      ASSERT_TRUE(names(refused->dispensable, name));
      EXPECT_EQ(refused->dispensable.back().absence, Absence::Refused);
      EXPECT_EQ(refused->dispensable.back().error, error);
    }
}

TEST(InfoKernelCalls, AShortageIsNoRefusal) {
  for (const int error : {EMFILE, ENFILE, ENOMEM, ENOBUFS}) {
    SCOPED_TRACE(error);
    const auto found = misses_diagnostics_where_netlink_fails_with(error);
    if (!found) GTEST_SKIP() << "no filter of system calls here";
    EXPECT_FALSE(*found);
  }
}

} // namespace
} // namespace datum::info
