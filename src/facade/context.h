// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// facade/context.h: contexts and cookies: eight bytes that Datum never interprets.
#pragma once

#include <cstdint>

namespace datum {

inline std::uint64_t bits(DAT_CONTEXT context) {
  return context.as_64;
}
inline DAT_CONTEXT to_context(std::uint64_t value) {
  DAT_CONTEXT context;
  context.as_64 = value;
  return context;
}

} // namespace datum
