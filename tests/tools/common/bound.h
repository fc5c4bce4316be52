// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/tools/common/bound.h: lowers a limit of a running program, and raises it again.
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <algorithm>

#include <gtest/gtest.h>

namespace datum::test {

// Sets the soft limit. RLIM_INFINITY sets it to the hard limit.
inline void bound(pid_t pid, __rlimit_resource resource, rlim_t octets) {
  rlimit limit{};
  ASSERT_EQ(prlimit(pid, resource, nullptr, &limit), 0);
  limit.rlim_cur = std::min(octets, limit.rlim_max);
  ASSERT_EQ(prlimit(pid, resource, &limit, nullptr), 0);
}

} // namespace datum::test
