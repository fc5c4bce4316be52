// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// cp/roots.h: what people name on the command line, as roots to read and destinations to fill.
// Lives here: local paths, which may be anything the user can reach, and served paths, which are a
//             peer's words and stay below the served folder.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "common/tool_error.h"
#include "cp/placement.h"
#include "cp/tree_walk.h"

namespace datum::cp {

// True if a destination typed like this is a folder to copy into, not a new name.
bool names_a_folder(const std::string& typed);

// The folders that hold the roots of one copy. Each is open once, however many of them it holds:
// their number is bounded by no limit on descriptors.
class RootFolders {
 public:
  // The folder of that path, by `open` if it is not open yet. Null with errno.
  std::shared_ptr<const UniqueFd> get(const std::string& path,
                                      const std::function<UniqueFd()>& open);

 private:
  std::map<std::string, std::shared_ptr<const UniqueFd>, std::less<>> opened_;
};

// A source that is not there: the others can be copied.
class MissingSource : public tools::ToolError {
 public:
  MissingSource(const std::string& path, int error);
};

// Throws MissingSource, or ToolError(Usage) if it cannot be named.
Root local_root(const std::string& path, RootFolders& folders);
// Creates the folder that is to be copied into, if something is to be copied.
Destination local_destination(const std::string& path, bool into_folder, Mode mode);

struct Served {
  int folder = -1;  // its owner keeps it open
  std::string name; // what its own root is called when a client gets all of it
};

// The other side's name for a root of this path; "" if its server chooses.
std::string requested_name(const std::string& path);

// Throws ToolError if two of the names, which are all to go into one folder, are equal.
void require_distinct(const std::vector<std::string>& names, tools::ExitCode code);

// Throw ToolError(Failed) with the reason, for the peer to read; a MissingSource is one.
Root served_root(const Served& served, const std::string& path, RootFolders& folders);
Destination served_destination(const Served& served, const std::string& path, bool into_folder);

} // namespace datum::cp
