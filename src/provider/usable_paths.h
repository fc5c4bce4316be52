// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// provider/usable_paths.h: whether this process can use shared memory at all. It is found out when
// an IA is opened: if not, DATUM_TRANSPORT=auto means TCP alone.
// Not here:   what runs out, or is refused, only later: each connection finds that by itself.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "transport/host/descriptors_left.h"

namespace datum {

// The descriptors that an IA needs beyond those it has when the paths are chosen: to listen on both
// paths and to be linked with one process, and for what it shares with peers.
inline constexpr std::size_t kDescriptorsForBothWays = 3 + kDescriptorsToListen;

struct NoSharedMemory {
  std::string lack; // a system call, or descriptors
  std::string why;  // "shared memory is not available: ..."
};
// Nothing: shared memory is available.
std::optional<NoSharedMemory> find_lack_of_shared_memory();

} // namespace datum
