// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// registry/dispatch.h: from a handle to the provider's function of the same name.
// Lives here: the two ways in: by a provider's object, by an IA handle.
// Not here:   any rule about arguments; providers check those.
//
// A function that a provider's table lacks answers DAT_NOT_IMPLEMENTED.
#pragma once

#include "registry/process.h"

namespace datum::registry {

// kind: what to report about a handle that is none.
template <auto kFunction, class... Args>
inline DAT_RETURN call(DAT_RETURN_SUBTYPE kind, DAT_HANDLE handle, Args... args) {
  const DAT_PROVIDER* table = process_handles.table_of(handle);
  if (table == nullptr) [[unlikely]]
    return invalid_handle(kind);
  const auto function = table->*kFunction;
  if (function == nullptr) [[unlikely]]
    return DAT_NOT_IMPLEMENTED;
  return function(handle, args...);
}

// The provider gets its own object for the IA handle.
template <auto kFunction, class... Args>
inline DAT_RETURN call_ia(DAT_IA_HANDLE ia, Args... args) {
  return call<kFunction>(DAT_INVALID_HANDLE_IA, process_ias.object_of(ia), args...);
}

// For calls that take any kind of handle.
template <auto kFunction, class... Args>
inline DAT_RETURN call_any(DAT_HANDLE handle, Args... args) {
  const DAT_HANDLE object = IaTable::is_index(handle) ? process_ias.object_of(handle) : handle;
  return call<kFunction>(DAT_INVALID_HANDLE1, object, args...);
}

} // namespace datum::registry
