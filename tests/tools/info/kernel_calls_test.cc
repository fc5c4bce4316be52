// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// missing_kernel_calls(), with filters of system calls that imitate an older kernel.
#include "info/kernel_calls.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <optional>
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

// Asks in a thread of its own, so that the filter ends with it. Without a value where there are no
// filters.
std::optional<bool> misses_diagnostics_where_netlink_fails_with(int error) {
  std::optional<bool> found;
  std::thread([&] {
    if (test::forbid_family(AF_NETLINK, error))
      found = names(missing_kernel_calls(), "NETLINK_SOCK_DIAG");
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
