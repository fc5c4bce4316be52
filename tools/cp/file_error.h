// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// cp/file_error.h: a file operation that failed: the operation, the file, the reason, the remedy.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

namespace datum::cp {

// True: the errno value means that this process or its host has no descriptor left. Neither the
// file nor its folder is at fault.
bool is_shortage_of_descriptors(int error);

// What the next run does with this file.
enum class NextRun : std::uint8_t { Begins, Continues };

class FileError : public std::runtime_error {
 public:
  // "cannot write "a/b": No space left on device (free some, then ...)"; error is an errno value.
  FileError(std::string_view action, std::string_view path, int error,
            NextRun next_run = NextRun::Begins);
  [[nodiscard]] int error() const { return error_; }
  // True: the disk is full, so the rest of the copy will fail, too.
  [[nodiscard]] bool disk_full() const;

 private:
  int error_;
};

// A path between quotes. Characters that would disturb a terminal are escaped (human.h).
std::string shown(std::string_view path);

} // namespace datum::cp
