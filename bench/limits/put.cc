// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Copies straight into memory that the other process has mapped: the least that a write must do.
#include <cstring>

#include "limits.h"
#include "two.h"

namespace limits {
namespace {

// Stores the last byte after all others, so that the last byte shows that all bytes are there.
void put(char* to, const char* from, std::size_t size, char mark) {
  std::memcpy(to, from, size - 1);
  __atomic_store_n(to + size - 1, mark, __ATOMIC_RELEASE);
}

} // namespace

double put_pingpong(std::size_t size, int rounds) {
  const std::size_t whole = (size + 4095) / 4096 * 4096;
  auto* there = static_cast<char*>(shared_memory(whole));
  auto* back = static_cast<char*>(shared_memory(whole));
  auto* from = static_cast<char*>(shared_memory(whole)); // read by both, written by none
  return run_two(
      [&] {
        const std::int64_t start = now();
        for (int i = 0; i < rounds; ++i) {
          put(there, from, size, mark_of(i));
          await(back + size - 1, mark_of(i));
        }
        return static_cast<double>(now() - start) / (2.0 * rounds);
      },
      [&] {
        for (int i = 0; i < rounds; ++i) {
          await(there + size - 1, mark_of(i));
          put(back, from, size, mark_of(i));
        }
      });
}

} // namespace limits
