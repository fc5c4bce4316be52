// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// common/file_limit.h: how many descriptors this process may have (RLIMIT_NOFILE, getrlimit(2)).
#pragma once

#include <cstdint>

namespace datum::tools {

// Raises the soft limit to the hard limit, which needs no privilege.
void raise_file_limit();
std::uint64_t file_limit(); // descriptors that this process may have

} // namespace datum::tools
