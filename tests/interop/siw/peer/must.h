// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// siw/peer/must.h: turns failures of the C libraries below into exceptions that name the call.
#pragma once

#include <cerrno>
#include <system_error>

namespace datum::siw {

// For a call that returns a pointer, or null on failure.
template <typename T>
T* must(T* pointer, const char* call) {
  if (pointer == nullptr) throw std::system_error(errno, std::generic_category(), call);
  return pointer;
}

// For a call that returns 0, or on failure either -1 with errno or the error itself.
inline void must(int result, const char* call) {
  if (result != 0)
    throw std::system_error(result < 0 ? errno : result, std::generic_category(), call);
}

} // namespace datum::siw
