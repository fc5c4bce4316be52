// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/process/shortage_tables.h: the parts of the table in shortage_calls.h, and what their calls
// have in common: objects that are made and freed while the shortage lasts.
#pragma once

#include "shortage_calls.h"

namespace datum::test {

inline constexpr auto kDefaultFlags = DAT_COMPLETION_DEFAULT_FLAG;

// Frees the handle. If that succeeds, Stage::end() will not free it again.
inline DAT_RETURN freed(DAT_HANDLE& handle, Stage::Free free) {
  const DAT_RETURN answer = free(handle);
  if (answer == DAT_SUCCESS) handle = DAT_HANDLE_NULL;
  return answer;
}

// Creates an object and frees it while the shortage lasts.
template <class Create>
DAT_RETURN made_and_freed(Create create, Stage::Free free) {
  DAT_HANDLE handle = DAT_HANDLE_NULL;
  const DAT_RETURN answer = create(&handle);
  return answer == DAT_SUCCESS ? free(handle) : answer;
}

template <class Create>
DAT_RETURN made(Stage& s, Create create, Stage::Free free) {
  DAT_HANDLE handle = DAT_HANDLE_NULL;
  const DAT_RETURN answer = create(&handle);
  if (answer == DAT_SUCCESS) s.made(handle, free);
  return answer;
}

// The calls of both versions, by their objects.
std::span<const ShortCall> short_calls_of_adapters();
std::span<const ShortCall> short_calls_of_events();
std::span<const ShortCall> short_calls_of_memory();
std::span<const ShortCall> short_calls_of_service_points();
std::span<const ShortCall> short_calls_of_endpoints();
std::span<const ShortCall> short_calls_of_transfers();

} // namespace datum::test
