// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// bench/limits/two.h: two processes, one per core, with a page of shared memory between them.
#pragma once

#include <cstdint>
#include <functional>

namespace limits {

struct alignas(64) Line {
  volatile std::uint64_t value;
};

// Memory that parent and child share; zeroed, populated.
void* shared_memory(std::size_t bytes);

// Runs `other` in a child on the second allowed core, and `own` here on the first, once both
// processes are ready. Returns what `own` returned. A child that fails ends the program.
double run_two(const std::function<double()>& own, const std::function<void()>& other);

// The octet for which a process watches its memory in a round. It is never 0.
inline char mark_of(int round) {
  return static_cast<char>(round % 100 + 1);
}
inline void await(const char* octet, char mark) {
  while (__atomic_load_n(octet, __ATOMIC_ACQUIRE) != mark) {
  }
}

// Nanoseconds of a monotonic clock.
std::int64_t now();

// The child's id, known in both processes once run_two() has started them.
int child_pid();

} // namespace limits
