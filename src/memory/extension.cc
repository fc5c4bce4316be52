// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The start-up of libdatum.so.1, which returns shareable memory only.
#include "heap.h"

namespace datum::memory {
bool start_library() {
  return false;
}
} // namespace datum::memory
