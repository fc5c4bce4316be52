// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/sim/live_blocks.h: how many blocks of memory are allocated.
#pragma once

#include <cstdint>

namespace datum::test {

// Of operator new, by all threads; always 0 under a sanitizer, which looks for leaks itself.
std::int64_t live_blocks();

} // namespace datum::test
