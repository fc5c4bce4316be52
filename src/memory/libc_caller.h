// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// memory/libc_caller.h: tells whether the C library itself makes a call to malloc.
// Lives here: the address ranges of libc and the dynamic loader.
#pragma once

#include <cstdint>

namespace datum::memory {

class LibcCallers {
 public:
  void find();
  bool contains(const void* code) const {
    const auto at = reinterpret_cast<std::uintptr_t>(code);
    return at - libc_.begin < libc_.length || at - loader_.begin < loader_.length;
  }

 private:
  struct Range {
    std::uintptr_t begin = 0, length = 0;
  };
  Range libc_, loader_;
};

} // namespace datum::memory
