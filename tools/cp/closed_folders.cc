// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cp/closed_folders.h"

#include "cp/safe_path.h"

namespace datum::cp {

bool ClosedFolders::covers(std::string_view path) const {
  while (!folders_.empty() && !path.empty()) {
    path = parent_of(path);
    if (folders_.find(path) != folders_.end()) return true;
  }
  return false;
}

} // namespace datum::cp
