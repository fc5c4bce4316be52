// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/host/descriptors_left.h: how many descriptors this process may still open.
// Threads:    any.
#pragma once

#include <cstddef>

namespace datum {

// What it takes to listen over TCP and over shared memory, and to have a link to one process.
inline constexpr std::size_t kDescriptorsToListen = 6;

struct DescriptorsLeft {
  std::size_t left = 0; // no more than was asked for
  int limit = 0;        // RLIMIT_NOFILE; INT_MAX: there is no limit, or the kernel does not tell
};
// Counts no more than `most`.
DescriptorsLeft count_descriptors_left(std::size_t most);

} // namespace datum
