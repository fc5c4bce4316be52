// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// registry/guarded.h: wraps a call that the registry answers itself.
// Lives here: letting no exception out to C code, and keeping fork() out of the middle of the call.
// Not here:   calls that go straight to a provider (dispatch.h).
#pragma once

#include <new>

#include "base/fork_gate.h"
#include "registry/api.h"

namespace datum::registry {

template <class F>
DAT_RETURN guarded(F call) noexcept {
  const ForkGatePass pass;
  try {
    return call();
  } catch (const std::bad_alloc&) {
    return failure(DAT_INSUFFICIENT_RESOURCES, DAT_RESOURCE_MEMORY);
  } catch (...) {
    return failure(DAT_INTERNAL_ERROR, DAT_NO_SUBTYPE);
  }
}

} // namespace datum::registry
