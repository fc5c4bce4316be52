// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// cp/file_error.h: a file operation that failed: what was tried, on which file, why, what to do.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

namespace datum::cp {

// An errno value that says that this process, or its host, has no descriptor left: the file is not at
// fault, nor is its folder.
bool is_shortage_of_descriptors(int error);

class FileError : public std::runtime_error {
 public:
  // "cannot write "a/b": No space left on device (free some, then ...)"; error is an errno value.
  FileError(std::string_view action, std::string_view path, int error);
  [[nodiscard]] int error() const { return error_; }
  // The whole copy is pointless, not just this file.
  [[nodiscard]] bool disk_full() const;

 private:
  int error_;
};

// A path between quotes; what would disturb a terminal is written out (human.h).
std::string shown(std::string_view path);

} // namespace datum::cp
