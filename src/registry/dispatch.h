// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// registry/dispatch.h: passes a dat_* call on to the provider's function of the same name.
// Lives here: finding the provider by the handle of an object, by an IA handle, or by a handle of
//             any kind.
// Not here:   rules about arguments, which providers check.
//
// If the provider's table lacks the function, the call returns kNotImplemented.
#pragma once

#include <string_view>

#include "registry/process.h"
#include "registry/refused.h"

namespace datum::registry {

// "ep_query" for &DAT_PROVIDER::ep_query_func, cut out of the compiler's name for this template.
template <auto kFunction>
constexpr std::string_view member_name() {
  std::string_view text = __PRETTY_FUNCTION__;
  text = text.substr(0, text.rfind("_func"));
  return text.substr(text.rfind("::") + 2);
}

template <auto kFunction>
[[gnu::cold, gnu::noinline]] DAT_RETURN refuse(DAT_RETURN answer, DAT_HANDLE handle,
                                               std::string_view argument = "handle") noexcept {
  constexpr std::string_view kPrefix = "dat_";
  constexpr std::string_view kMember = member_name<kFunction>();
  static_assert(kMember.find_first_not_of("abcdefghijklmnopqrstuvwxyz_") == kMember.npos);
  char name[kPrefix.size() + kMember.size()];
  kPrefix.copy(name, kPrefix.size());
  kMember.copy(name + kPrefix.size(), kMember.size());
  const std::string_view call(name, sizeof name);
  if (answer == kNotImplemented)
    return refused(call, answer, {"provider", "without this call", "one that has it", {}});
  return refused_handle(call, answer, argument, handle);
}

template <auto kFunction, class... Args>
DAT_RETURN forward(const DAT_PROVIDER* table, DAT_HANDLE handle, Args... args) {
  const auto function = table->*kFunction;
  if (function == nullptr) [[unlikely]]
    return refuse<kFunction>(kNotImplemented, handle);
  return function(handle, args...);
}

// call() for a handle that is not in the cache. Not inlined, because otherwise the fast path would
// have to save registers.
template <auto kFunction, DAT_RETURN_SUBTYPE kKind, class... Args>
[[gnu::noinline, gnu::cold]] DAT_RETURN call_unseen(DAT_HANDLE handle, Args... args) {
  const DAT_PROVIDER* table = process_handles.table_of(handle);
  return table == nullptr ? refuse<kFunction>(invalid_handle(kKind), handle)
                          : forward<kFunction>(table, handle, args...);
}

// kKind: the subtype for a handle that names no object.
template <auto kFunction, DAT_RETURN_SUBTYPE kKind, class... Args>
DAT_RETURN call(DAT_HANDLE handle, Args... args) {
  const DAT_PROVIDER* table = process_handles.table_if_seen(handle);
  if (table == nullptr) [[unlikely]]
    return call_unseen<kFunction, kKind>(handle, args...);
  return forward<kFunction>(table, handle, args...);
}

// Passes the provider its own object in place of the IA handle.
template <auto kFunction, class... Args>
DAT_RETURN call_ia(DAT_IA_HANDLE ia, Args... args) {
  const DAT_HANDLE object = process_ias.object_of(ia);
  const DAT_PROVIDER* table = process_handles.table_of(object);
  if (table == nullptr) [[unlikely]]
    return refuse<kFunction>(invalid_handle(DAT_INVALID_HANDLE_IA), ia, "ia_handle");
  return forward<kFunction>(table, object, args...);
}

// For calls that take any kind of handle.
template <auto kFunction, class... Args>
DAT_RETURN call_any(DAT_HANDLE handle, Args... args) {
  const DAT_HANDLE object = IaTable::is_index(handle) ? process_ias.object_of(handle) : handle;
  const DAT_PROVIDER* table = process_handles.table_of(object);
  if (table == nullptr) [[unlikely]]
    return refuse<kFunction>(invalid_handle(DAT_INVALID_HANDLE1), handle);
  return forward<kFunction>(table, object, args...);
}

} // namespace datum::registry
