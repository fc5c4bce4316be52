// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// provider/usable_paths.h: whether this process can use shared memory at all. This is checked when
// an IA is opened. Without shared memory, DATUM_TRANSPORT=auto means TCP alone.
// Not here:   resources that run out or are refused only later: each connection finds that by
//             itself.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "transport/host/descriptors_left.h"

namespace datum {

// How many descriptors an IA needs beyond those that it has when the paths are chosen: to listen on
// both paths, to be linked with one process, and to share memory with peers.
inline constexpr std::size_t kDescriptorsForBothWays = 3 + kDescriptorsToListen;

struct NoSharedMemory {
  std::string lack; // what is lacking: a system call, or descriptors
  std::string why;  // "shared memory is not available: ..."
};
// Nothing: shared memory is available.
std::optional<NoSharedMemory> find_lack_of_shared_memory();

} // namespace datum
