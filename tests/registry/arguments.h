// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/registry/arguments.h: argument lists as bytes, and argument lists to call functions with.
// The stub provider records the arguments that arrive as bytes; the tests compare them with what
// they passed.
#pragma once

#include <cstdint>
#include <cstring>
#include <tuple>
#include <type_traits>
#include <utility>

#include "stub_provider.h"

template <class... Args>
void record_arguments(StubCall& call, const Args&... args) {
  call.size = 0;
  const auto append = [&call](const auto& value) {
    std::memcpy(call.arguments + call.size, &value, sizeof value);
    call.size += sizeof value;
  };
  (append(args), ...);
}

// A value of any argument type, different from the values of neighbouring arguments.
template <class T>
T argument(std::uintptr_t number) {
  if constexpr (std::is_pointer_v<T>) {
    return reinterpret_cast<T>(number * 16);
  } else if constexpr (std::is_enum_v<T>) {
    return static_cast<T>(number % 2);
  } else if constexpr (std::is_integral_v<T>) {
    return static_cast<T>(number);
  } else {
    T value;
    std::memset(&value, static_cast<int>(number), sizeof value);
    return value;
  }
}

// The arguments that follow the handle in a call of a function of this type.
template <class... Rest>
std::tuple<Rest...> rest_of(DAT_RETURN (*)(DAT_HANDLE, Rest...)) {
  return []<std::size_t... kIndex>(std::index_sequence<kIndex...>) {
    return std::tuple<Rest...>{argument<Rest>(kIndex + 2)...};
  }
  (std::index_sequence_for<Rest...>{});
}
