// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// cp/tree_walk.h: the files below some roots, one at a time, parents before children.
// Lives here: what counts as copyable, and reading a tree without following a symbolic link.
// Not here:   reading file contents (source.cc).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/unique_fd.h"
#include "cp/protocol.h"

namespace datum::cp {

struct Root {
  std::shared_ptr<const UniqueFd> folder; // the one that contains it
  std::string name;                       // its name there; "." is the folder itself
  std::string path;                       // what the sink is told it is called
};

struct Entry {
  enum class Type { File, Directory, DirectoryEnd, Symlink, Problem };
  Type type{};
  std::string path;
  std::uint32_t mode = 0;
  Time mtime;
  std::uint64_t size = 0;
  std::string target;                     // of a symbolic link
  std::shared_ptr<const UniqueFd> folder; // of a file: where it is
  std::string name;                       // and what it is called there
  UniqueFd file;                          // and itself, once it is open
  bool sparse = false;
  std::string problem;
  Severity severity{}; // Note: left out on purpose
};

class TreeWalk {
 public:
  enum class Files { Open, Look }; // Look: only what they are and how large
  TreeWalk(std::vector<Root> roots, Files files);
  std::optional<Entry> next(); // nothing: that was all

 private:
  struct Level {
    std::shared_ptr<const UniqueFd> folder;
    std::vector<std::string> names; // sorted, the next one last
    Entry end;                      // what next() gives once names is empty
  };
  using Folder = std::shared_ptr<const UniqueFd>;
  [[nodiscard]] Entry visit(const Folder& folder, const std::string& name, const std::string& path);
  Entry enter(int folder, const std::string& name, Entry entry);
  Entry read_link(int folder, const std::string& name, Entry entry);

  Files files_;
  std::vector<Root> roots_; // the next one last
  std::vector<Level> levels_;
};

// Opens a file that the walk has looked at. Empty, or why that failed. That it is the same file,
// and a file at all, is for the caller to see.
std::string open_file(Entry& entry);

// What a walk over these roots will find, for progress bars. Leaves roots as they are; calls tick
// for each entry, because a tree may be large.
Total count_tree(const std::vector<Root>& roots, const std::function<void()>& tick);

} // namespace datum::cp
