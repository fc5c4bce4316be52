// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// base/copy_bytes.h: memcpy for sizes that are mostly small and never known to the compiler.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace datum {

template <class Word>
inline void copy_both_ends(std::byte* to, const std::byte* from, std::uint64_t size) {
  Word first;
  Word last;
  std::memcpy(&first, from, sizeof first);
  std::memcpy(&last, from + size - sizeof last, sizeof last);
  std::memcpy(to, &first, sizeof first);
  std::memcpy(to + size - sizeof last, &last, sizeof last);
}

// The ranges do not overlap. Always inlined, so that the compiler's choice, which changes with the
// size of a library, does not cost a post a call.
[[gnu::always_inline]] inline void copy_bytes(std::byte* to, const std::byte* from,
                                              std::uint64_t size) {
  if (size > 2 * sizeof(std::uint64_t)) [[unlikely]] {
    std::memcpy(to, from, size);
  } else if (size >= sizeof(std::uint64_t)) {
    copy_both_ends<std::uint64_t>(to, from, size);
  } else if (size >= sizeof(std::uint32_t)) {
    copy_both_ends<std::uint32_t>(to, from, size);
  } else {
    for (std::uint64_t i = 0; i < size; ++i) to[i] = from[i];
  }
}

} // namespace datum
