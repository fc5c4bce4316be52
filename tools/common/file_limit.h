// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// common/file_limit.h: how many descriptors this process may have (RLIMIT_NOFILE, getrlimit(2)).
#pragma once

#include <sys/resource.h>

#include <cstdint>

namespace datum::tools {

// Raises the soft limit to the hard limit, which needs no privilege.
void raise_file_limit();
// Descriptors that this process may have. kNoFileLimit: any number, or a filter of system calls
// refuses the question.
std::uint64_t file_limit();
inline constexpr std::uint64_t kNoFileLimit = RLIM_INFINITY;

} // namespace datum::tools
