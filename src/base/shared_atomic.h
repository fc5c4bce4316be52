// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// base/shared_atomic.h: a word that two processes share, or two threads without a lock.
// Only tests define DATUM_SHARED_ATOMIC, as the header of a SharedAtomic of theirs, to put a
// scheduler behind every access (tests/unit/link/stepped_atomic.h).
#pragma once

#include "base/tsan.h"

#ifdef DATUM_SHARED_ATOMIC
#include DATUM_SHARED_ATOMIC
#elif defined(DATUM_TSAN)
#include "base/twice_mapped_atomic.h"
#else

#include <atomic>

namespace datum {

template <class T>
using SharedAtomic = std::atomic<T>;

} // namespace datum

#endif
