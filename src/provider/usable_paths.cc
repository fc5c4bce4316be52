// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "provider/usable_paths.h"

#include "base/text.h"
#include "transport/host/unix_sockets.h"

namespace datum {

std::optional<NoSharedMemory> find_lack_of_shared_memory() {
  if (const auto refusal = refusal_of_unix_sockets())
    return NoSharedMemory{refusal->call, no_shared_memory(*refusal)};
  const auto [left, limit] = count_descriptors_left(kDescriptorsForBothWays);
  if (left >= kDescriptorsForBothWays) return std::nullopt;
  return NoSharedMemory{
      "descriptors", text("shared memory is not available: it takes {} descriptors more, and this "
                          "process has {} left of {} (`ulimit -n`)",
                          kDescriptorsForBothWays, left, limit)};
}

} // namespace datum
