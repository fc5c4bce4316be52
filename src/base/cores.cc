// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/cores.h"

#include <cstddef>
#include <sched.h>

namespace datum {
namespace {

std::optional<int> only_core_of(pid_t thread) {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  // Fails on machines with more processors than the set has room for.
  if (::sched_getaffinity(thread, sizeof allowed, &allowed) != 0) return std::nullopt;
  if (CPU_COUNT(&allowed) != 1) return std::nullopt;
  std::size_t core = 0;
  while (!CPU_ISSET(core, &allowed)) ++core;
  return static_cast<int>(core);
}

} // namespace

std::optional<int> only_core() {
  return only_core_of(0);
}

bool runs_only_on(int core, pid_t pid) {
  return pid > 0 && only_core_of(pid) == core;
}

} // namespace datum
