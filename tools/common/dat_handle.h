// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// common/dat_handle.h: a DAT handle that frees itself, and an open IA as one.
// Not here: the other objects, and the calls that make them (dat_objects.h).
#pragma once

#include <utility>

#include "common/dat.h"

namespace datum::tools {

template <auto Free>
class DatHandle {
 public:
  DatHandle() = default;
  explicit DatHandle(DAT_HANDLE handle) : handle_(handle) {}
  DatHandle(DatHandle&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  DatHandle& operator=(DatHandle&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~DatHandle() { reset(); }

  // The result of Free is ignored, since a destructor cannot report it. If a free fails,
  // dat_ia_close() fails, too.
  void reset() {
    if (handle_ != nullptr) Free(std::exchange(handle_, nullptr));
  }
  // The caller frees the handle from now on.
  DAT_HANDLE release() { return std::exchange(handle_, nullptr); }
  [[nodiscard]] DAT_HANDLE get() const { return handle_; }
  explicit operator bool() const { return handle_ != nullptr; }

 private:
  DAT_HANDLE handle_ = nullptr;
};

inline void close_ia(DAT_IA_HANDLE ia) {
  dat_ia_close(ia, DAT_CLOSE_ABRUPT_FLAG);
}

using IaHandle = DatHandle<close_ia>;

} // namespace datum::tools
