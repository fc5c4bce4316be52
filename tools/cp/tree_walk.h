// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// cp/tree_walk.h: some roots and the files below them, one after the other, parents before children.
// Lives here: which entries can be copied, and reading a tree without following a symbolic link.
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
  std::shared_ptr<const UniqueFd> folder; // the folder that contains it
  std::string name;                       // its name in the folder; "." is the folder itself
  std::string path;                       // its path as the sink gets it
  // its path as messages show it, that is, as the user typed it
  std::string label;
};

struct Entry {
  enum class Type { File, Directory, DirectoryEnd, Symlink, Problem };
  Type type{};
  std::string path;
  std::string label; // the path as messages of this side show it
  std::uint32_t mode = 0;
  Time mtime;
  std::uint64_t size = 0;
  std::string target;                     // for a symbolic link
  std::shared_ptr<const UniqueFd> folder; // for a file: the folder that contains it
  std::string name;                       // for a file: its name in the folder
  UniqueFd file;                          // for a file, once it is open
  bool sparse = false;
  std::string problem;
  Severity severity{}; // for a Problem. Severity::Note: the entry is left out on purpose
};

class TreeWalk {
 public:
  enum class Files { Open, Look }; // Look: the walk finds out only the kind and size of files
  TreeWalk(std::vector<Root> roots, Files files);
  std::optional<Entry> next(); // nothing: there are no more entries

 private:
  struct Level {
    std::shared_ptr<const UniqueFd> folder;
    std::vector<std::string> names; // in descending order, so the next is last
    Entry end;                      // next() returns this once names is empty
  };
  using Folder = std::shared_ptr<const UniqueFd>;
  [[nodiscard]] Entry visit(const Folder& folder, const std::string& name, Entry entry);
  Entry enter(int folder, const std::string& name, Entry entry);
  Entry read_link(int folder, const std::string& name, Entry entry);

  Files files_;
  std::vector<Root> roots_; // the next root is last
  std::vector<Level> levels_;
};

// Opens a file that the walk has found. Returns "", or why the open failed. By now the name may
// belong to another file, or to no file. The class Source therefore compares the size and the time
// of every file that it sends (changed_since()).
std::string open_file(Entry& entry);

// The number and size of these roots and of the entries below them, for progress bars. Calls tick
// for each entry, because a tree may be large.
Total count_tree(const std::vector<Root>& roots, const std::function<void()>& tick);

} // namespace datum::cp
