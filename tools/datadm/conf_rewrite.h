// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// datadm/conf_rewrite.h: a file replaced at once or not at all.
#pragma once

#include <filesystem>
#include <string>

#include "base/unique_fd.h"

namespace datum::datadm {

// The lock is held while a file is read and rewritten, so that two datadm processes do not lose
// each other's lines. It creates no folder. The constructor throws ToolError.
class ConfLock {
 public:
  explicit ConfLock(const std::filesystem::path& file);

  // Readers see the old text or the new one, also after a crash. Mode and owner stay as they were;
  // a symbolic link stays one, even if its target did not exist before. Throws ToolError; the old
  // file is then untouched.
  void replace(const std::string& text);

 private:
  std::filesystem::path file_; // the target, if `file` is a symbolic link
  UniqueFd folder_;
};

} // namespace datum::datadm
