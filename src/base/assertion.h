// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// base/assertion.h: DATUM_ASSERT(expression), for conditions that Datum's own code has to keep.
// Input from a peer, a file, the environment or a consumer is checked in every build instead.
// Assertions are on in Debug builds and with -DDATUM_ASSERTIONS=ON. Otherwise the expression is
// still compiled, so that the compiler finds errors in it, but never evaluated.
#pragma once

namespace datum {

// Writes "FILE:LINE: assertion failed: EXPRESSION" to stderr and aborts. Allocates nothing.
[[noreturn]] void assertion_failed(const char* file, int line, const char* expression) noexcept;

} // namespace datum

#ifdef DATUM_ASSERTIONS
#define DATUM_ASSERT(...)                                                                          \
  (static_cast<bool>(__VA_ARGS__) ? static_cast<void>(0)                                           \
                                  : ::datum::assertion_failed(__FILE__, __LINE__, #__VA_ARGS__))
#else
#define DATUM_ASSERT(...) static_cast<void>(sizeof(static_cast<bool>(__VA_ARGS__)))
#endif
