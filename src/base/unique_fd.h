// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// base/unique_fd.h: a descriptor whose owner closes it when the owner ends.
#pragma once

#include <unistd.h>
#include <utility>

#include "base/cancellation.h"

namespace datum {

class UniqueFd {
 public:
  UniqueFd() = default;
  explicit UniqueFd(int fd) : fd_(fd) {}
  UniqueFd(UniqueFd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  UniqueFd& operator=(UniqueFd&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~UniqueFd() { reset(); }

  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  void reset() {
    if (fd_ < 0) return;
    const NotCancellable here;
    ::close(std::exchange(fd_, -1));
  }

 private:
  int fd_ = -1;
};

} // namespace datum
