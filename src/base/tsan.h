// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// base/tsan.h: DATUM_TSAN is defined in a build for ThreadSanitizer, by GCC or Clang.
#pragma once

#if defined(__SANITIZE_THREAD__)
#define DATUM_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define DATUM_TSAN 1
#endif
#endif
