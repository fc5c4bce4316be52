// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// run/inherited.h: what a tool changes of its own process that a program after exec would inherit.
#pragma once

#include <array>
#include <csignal>

namespace datum::run {

// Made before the command line is read, while everything is still as the caller left it.
class Inherited {
 public:
  Inherited();
  // Closes the standard descriptors that were closed, and handles SIGXFSZ as it was handled.
  void restore() const;

 private:
  std::array<bool, 3> open_;
  struct sigaction file_size_ {};
};

} // namespace datum::run
