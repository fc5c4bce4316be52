// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// base/scoped_flag.h: sets a flag for a scope. However the scope ends, the flag gets its old value
// back.
#pragma once

#include <utility>

namespace datum {

class ScopedFlag {
 public:
  explicit ScopedFlag(bool& flag) : flag_(flag), before_(std::exchange(flag, true)) {}
  ~ScopedFlag() { flag_ = before_; }
  ScopedFlag(const ScopedFlag&) = delete;
  ScopedFlag& operator=(const ScopedFlag&) = delete;

 private:
  bool& flag_;
  const bool before_;
};

} // namespace datum
