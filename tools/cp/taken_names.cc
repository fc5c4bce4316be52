// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cp/taken_names.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <stdexcept>

#include <fmt/format.h>

#include "base/unique_fd.h"
#include "cp/file_error.h"
#include "cp/file_io.h"
#include "cp/safe_path.h"

namespace datum::cp {
namespace {

// The entry stays open, because some file systems reuse a file's number once no process uses the
// file.
class HeldEntry {
 public:
  HeldEntry(int folder, const std::string& name)
      : file_(openat(folder, name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC)),
        there_(file_ && fstat(file_.get(), &stat_) == 0) {}
  [[nodiscard]] bool there() const { return there_; }
  [[nodiscard]] bool is(const HeldEntry& other) const {
    return there_ && other.there_ && stat_.st_dev == other.stat_.st_dev &&
           stat_.st_ino == other.stat_.st_ino;
  }

 private:
  UniqueFd file_;
  struct stat stat_ = {};
  bool there_;
};

[[noreturn]] void taken(const std::string& path, const std::string& by) {
  throw std::invalid_argument(
      fmt::format("{} is refused: the file system there takes it for {}, which is {}", shown(path),
                  shown(by), is_reserved(by) ? "dat-cp's own" : "another name of this copy"));
}

} // namespace

TakenNames::TakenNames(int folder, const std::string& path) {
  std::vector<std::string> names;
  if (!read_names(folder, names)) throw FileError("read folder", path.empty() ? "." : path, errno);
  std::sort(names.begin(), names.end());
  before_.reserve(names.size());
  for (std::string& name : names) before_.push_back({std::move(name), false});
}

TakenNames::Before* TakenNames::find(const std::string& name) {
  const auto at =
      std::lower_bound(before_.begin(), before_.end(), name,
                       [](const Before& b, const std::string& n) { return b.name < n; });
  return at == before_.end() || at->name != name ? nullptr : &*at;
}

void TakenNames::claim(int folder, const std::string& path) {
  const std::string name(name_in(path));
  Before* before = find(name);
  const HeldEntry entry(folder, name);
  if (before == nullptr) { // the name leads to an entry that has another name
    std::vector<std::string> names;
    if (!read_names(folder, names)) throw FileError("read the folder of", path, errno);
    const auto found = std::find_if(names.begin(), names.end(), [&](const std::string& other) {
      return entry.is(HeldEntry(folder, other));
    });
    if (found == names.end() || *found == name)
      throw std::invalid_argument(
          fmt::format("{} is refused: it appeared there during this copy", shown(path)));
    before = find(*found);
    if (before == nullptr || is_reserved(*found)) taken(path, *found);
  }
  if (before->claimed) taken(path, before->name);
  before->claimed = true;
}

} // namespace datum::cp
