// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "provider/usable_paths.h"

#include <algorithm>
#include <climits>
#include <fcntl.h>
#include <sys/resource.h>

#include "base/text.h"
#include "transport/host/unix_sockets.h"

namespace datum {
namespace {

int descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur > INT_MAX) return INT_MAX;
  return static_cast<int>(limit.rlim_cur);
}

// Counts no more than `most`. The highest numbers are the last to be taken.
std::size_t free_descriptors(int limit, std::size_t most) {
  std::size_t found = 0;
  for (int number = limit - 1; number >= 0 && found < most; --number)
    if (::fcntl(number, F_GETFD) < 0) ++found;
  return found;
}

} // namespace

std::optional<NoSharedMemory> find_lack_of_shared_memory() {
  if (const auto refusal = refusal_of_unix_sockets())
    return NoSharedMemory{refusal->call, no_shared_memory(*refusal)};
  const int limit = descriptor_limit();
  const std::size_t left = free_descriptors(limit, kDescriptorsForBothWays);
  if (left >= kDescriptorsForBothWays) return std::nullopt;
  return NoSharedMemory{
      "descriptors", text("shared memory is not available: it takes {} descriptors more, and this "
                          "process has {} left of {} (`ulimit -n`)",
                          kDescriptorsForBothWays, left, limit)};
}

} // namespace datum
