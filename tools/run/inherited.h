// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// run/inherited.h: undoes changes that a tool makes to its own process and that a program would
// inherit over exec.
#pragma once

#include <array>
#include <csignal>

namespace datum::run {

// Must be constructed before the command line is read, while everything is as the caller left it.
class Inherited {
 public:
  Inherited();
  // Closes the standard descriptors that were closed at first, and restores the old action for
  // SIGXFSZ.
  void restore() const;

 private:
  std::array<bool, 3> open_;
  struct sigaction file_size_ {};
};

} // namespace datum::run
