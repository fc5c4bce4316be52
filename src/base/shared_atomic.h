// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// base/shared_atomic.h: a word that two processes share, or two threads without a lock.
#pragma once

#include "base/tsan.h"

#if defined(DATUM_TSAN)
#include "base/twice_mapped_atomic.h"
#else

#include <atomic>

namespace datum {

template <class T>
using SharedAtomic = std::atomic<T>;

} // namespace datum

#endif
