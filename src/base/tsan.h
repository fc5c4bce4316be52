// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// base/tsan.h: DATUM_TSAN is defined in a build for ThreadSanitizer, by GCC or Clang.
#pragma once

// GCC 14 has __has_feature, too, but tests/orders undefines this macro of GCC's.
#if defined(__SANITIZE_THREAD__)
#define DATUM_TSAN 1
#elif defined(__clang__)
#if __has_feature(thread_sanitizer)
#define DATUM_TSAN 1
#endif
#endif
