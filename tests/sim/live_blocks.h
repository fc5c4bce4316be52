// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/sim/live_blocks.h: the number of allocated blocks of memory.
#pragma once

#include <cstdint>

namespace datum::test {

// Blocks from operator new, of all threads. Always 0 under a sanitizer, which searches for leaks
// itself.
std::int64_t live_blocks();

} // namespace datum::test
