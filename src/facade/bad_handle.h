// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// facade/bad_handle.h: the text that says why a handle names no object, for the call that is
// refused.
// Threads:    any. It takes no lock: the reason may change before the text is read, with or without
//             a lock.
#pragma once

#include "core/object/object.h"

namespace datum {

// `wanted`: None for calls that take any kind.
[[gnu::cold, gnu::noinline]] void note_bad_handle(const void* handle, ObjectKind wanted) noexcept;

} // namespace datum
