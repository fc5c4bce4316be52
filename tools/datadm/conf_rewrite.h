// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// datadm/conf_rewrite.h: replaces a file at once or not at all.
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

  // Readers see either the old text or the new text, even after a crash. Mode and owner stay as
  // they were. A symbolic link stays a link, even if its target did not exist before. If it throws
  // ToolError, the old file is untouched.
  void replace(const std::string& text);

 private:
  std::filesystem::path file_; // the target, if `file` is a symbolic link
  UniqueFd folder_;
};

} // namespace datum::datadm
