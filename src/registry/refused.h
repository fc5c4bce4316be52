// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// registry/refused.h: what the registry says of a call that it refuses itself (base/refusal.h).
// Lives here: from a DAT_RETURN to its names.
// Not here:   refusals of providers, which tell their own.
// Threads:    any.
#pragma once

#include <string_view>

#include "base/refusal.h"
#include "registry/api.h"

namespace datum::registry {

// Tells it, and gives `answer` back.
[[gnu::cold, gnu::noinline]] DAT_RETURN refused(std::string_view call, DAT_RETURN answer,
                                                const Cause& cause) noexcept;
// A handle that is none.
[[gnu::cold, gnu::noinline]] DAT_RETURN refused_handle(std::string_view call, DAT_RETURN answer,
                                                       std::string_view argument,
                                                       const void* handle) noexcept;

inline constexpr std::string_view kNotNull = "not null";

// An argument that is null and may not be.
[[gnu::cold, gnu::noinline]] inline DAT_RETURN refused_null(std::string_view call,
                                                            DAT_RETURN_SUBTYPE position,
                                                            std::string_view argument) noexcept {
  return refused(call, invalid_argument(position), {argument, "null", kNotNull, {}});
}

} // namespace datum::registry
