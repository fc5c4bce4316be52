// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// registry/refused.h: how the registry reports a call that it refuses itself (base/refusal.h).
// Lives here: the step from a DAT_RETURN to the names in the log line.
// Not here:   refusals by providers, which providers report themselves.
// Threads:    any.
#pragma once

#include <string_view>

#include "base/refusal.h"
#include "registry/api.h"

namespace datum::registry {

// Logs the refusal, and returns `answer`.
[[gnu::cold, gnu::noinline]] DAT_RETURN refused(std::string_view call, DAT_RETURN answer,
                                                const Cause& cause) noexcept;
// refused() for a handle that names no object.
[[gnu::cold, gnu::noinline]] DAT_RETURN refused_handle(std::string_view call, DAT_RETURN answer,
                                                       std::string_view argument,
                                                       const void* handle) noexcept;

inline constexpr std::string_view kNotNull = "not null";

// refused() for an argument that must not be null.
[[gnu::cold, gnu::noinline]] inline DAT_RETURN refused_null(std::string_view call,
                                                            DAT_RETURN_SUBTYPE position,
                                                            std::string_view argument) noexcept {
  return refused(call, invalid_argument(position), {argument, "null", kNotNull, {}});
}

} // namespace datum::registry
