// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// cp/offered_names.h: which names a source may offer to a sink.
// Lives here: the names that were requested, and the order of a tree walk: a folder before its
//             contents, and the names of a folder in ascending order of bytes, so each name once.
// Not here:   where a name leads to (placement.h); two names that a file system takes for the same
//             name (taken_names.h).
// dat-cp's source walks in that order. Another order is an attack or a bug, and ends the copy.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "cp/protocol.h"

namespace datum::cp {

// The requested names, in the order of the request. "" is the served folder, to which the server
// may give any name. Nothing: the source chooses the names (a put).
using Requested = std::optional<std::vector<std::string>>;

class OfferedNames {
 public:
  // one_root: the destination is a new name, which only one root can have.
  OfferedNames(Requested requested, bool one_root);

  // Throws ToolError(Failed), naming the path, if the source may not offer the path now. True: a
  // folder above the path was refused, so there is no place for the name.
  bool offer(const std::string& path, Kind kind);
  // Called if the sink has no folder for the folder that was offered last. Nothing below it may be
  // touched.
  void refuse_last_folder();
  // The end of a folder. Throws like offer(). True: this folder, or a folder above it, was refused.
  bool end(const std::string& path);
  // Called when nothing more is offered. Throws like offer() if a folder has no end yet. Returns
  // the requested names that were not offered.
  [[nodiscard]] std::vector<std::string> finish();

 private:
  struct Folder {
    std::string path;
    std::string last_name; // the name in this folder that was offered last
    bool refused = false;
  };
  void take_root(const std::string& path, Kind kind);
  void pass_over(std::size_t until);
  bool enter(std::string_view parent);

  Requested requested_;
  std::size_t next_request_ = 0;
  // Requested names before next_request_ that were not offered.
  std::vector<std::string> passed_over_;
  std::size_t most_roots_;
  std::set<std::string> roots_;
  std::vector<Folder> open_; // the innermost last
  // folders whose contents were all offered; their ends come in this order
  std::deque<Folder> complete_;
};

} // namespace datum::cp
