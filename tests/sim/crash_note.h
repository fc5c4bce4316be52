// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/sim/crash_note.h: a failed assertion or another crash names the seed that was played.
#pragma once

#include <cstdint>

namespace datum::test {

// From now on a crash prints "seed N: ended by a signal" to stderr. After that the signal has its
// default action. A sanitizer keeps the signals that it reports itself.
void note_at_a_crash(std::uint64_t seed);

} // namespace datum::test
