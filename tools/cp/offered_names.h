// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// cp/offered_names.h: which names a source may offer to a sink.
// Lives here: what was asked for, and the order of a tree walk: a folder before what is in it, the
//             names of a folder in ascending order of bytes, so each once.
// Not here:   where a name leads to (placement.h), what a file system takes for one name
//             (taken_names.h).
// A source of ours walks in that order. Another order is an attack or a bug, and ends the copy.
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

// The names that were asked for, in the order of the request; "" is the served folder, which the
// server may call what it likes. Nothing: the source chooses (a put).
using Requested = std::optional<std::vector<std::string>>;

class OfferedNames {
 public:
  // one_root: the destination is a new name, which only one root can have.
  OfferedNames(Requested requested, bool one_root);

  // Throws ToolError(Failed), naming the path, if the source may not offer it now. True: a folder
  // above it was refused, so it has no place to go to.
  bool offer(const std::string& path, Kind kind);
  // The folder that was offered last is not there: nothing below it may be touched.
  void refuse_last_folder();
  // The end of a folder; throws as above. True: it, or a folder above it, was refused.
  bool end(const std::string& path);
  // Nothing more is offered. Throws as above if a folder has no end yet. The requested names that
  // were not offered.
  [[nodiscard]] std::vector<std::string> finish();

 private:
  struct Folder {
    std::string path;
    std::string last_name; // in it
    bool refused = false;
  };
  void take_root(const std::string& path, Kind kind);
  void pass_over(std::size_t until);
  bool enter(std::string_view parent);

  Requested requested_;
  std::size_t next_request_ = 0;
  std::vector<std::string> passed_over_; // of the requested ones before it
  std::size_t most_roots_;
  std::set<std::string> roots_;
  std::vector<Folder> open_;    // the innermost last
  std::deque<Folder> complete_; // all in them was offered; their ends come in this order
};

} // namespace datum::cp
