// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// cp/closed_folders.h: folders that take no new names. Each such folder is reported once. Files
// that belong below it are only counted.
#pragma once

#include <cstddef>
#include <functional>
#include <set>
#include <string>
#include <string_view>

#include "cp/safe_path.h"

namespace datum::cp {

class ClosedFolders {
 public:
  // Only a source that never ends its folders reaches this bound. Beyond it, the files of further
  // folders are reported one by one.
  void add(std::string_view folder) {
    if (folders_.size() < kMost) folders_.emplace(folder);
  }
  // Called at the end of a folder. True: it was closed, or a folder above it is.
  bool end(const std::string& folder) { return folders_.erase(folder) != 0 || covers(folder); }
  // True: a folder above the path is closed. "" is above every path.
  [[nodiscard]] bool covers(std::string_view path) const {
    while (!folders_.empty() && !path.empty()) {
      path = parent_of(path);
      if (folders_.find(path) != folders_.end()) return true;
    }
    return false;
  }

 private:
  static constexpr std::size_t kMost = 1024;
  std::set<std::string, std::less<>> folders_;
};

} // namespace datum::cp
