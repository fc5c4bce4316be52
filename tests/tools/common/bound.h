// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/tools/common/bound.h: takes something away from a program that runs, and gives it back.
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <algorithm>

#include <gtest/gtest.h>

namespace datum::test {

// Its soft limit; RLIM_INFINITY: as much as it may have.
inline void bound(pid_t pid, __rlimit_resource resource, rlim_t octets) {
  rlimit limit{};
  ASSERT_EQ(prlimit(pid, resource, nullptr, &limit), 0);
  limit.rlim_cur = std::min(octets, limit.rlim_max);
  ASSERT_EQ(prlimit(pid, resource, &limit, nullptr), 0);
}

} // namespace datum::test
