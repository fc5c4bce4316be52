// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// base/aligned.h: a pointer to octets as a pointer to an object. The caller ensures the alignment.
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/assertion.h"

namespace datum {

// A processor may refuse an access that is not aligned, or split it.
template <class T>
T* aligned_as(std::byte* octets) {
  DATUM_ASSERT(reinterpret_cast<std::uintptr_t>(octets) % alignof(T) == 0);
  return static_cast<T*>(static_cast<void*>(octets));
}

} // namespace datum
