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
