// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// cp/roots.h: the paths of the command line, as roots to read and destinations to fill.
// Lives here: local paths, which may lead anywhere that the user can reach; served paths, which a
//             peer sends and which stay below the served folder.
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

// The path without symbolic links. Empty: errno says why it leads nowhere.
std::string without_links(const std::string& path);

// True: the destination, as the user typed it, is a folder to copy into. False: it is a new name.
bool names_a_folder(const std::string& typed);

// The folders that contain the roots of one copy. A folder is opened once, however many roots it
// contains. So the limit on descriptors does not bound the number of roots.
class RootFolders {
 public:
  // The folder of this path. If it is not open yet, calls `open`. Null with errno if that fails.
  std::shared_ptr<const UniqueFd> get(const std::string& path,
                                      const std::function<UniqueFd()>& open);

 private:
  std::map<std::string, std::shared_ptr<const UniqueFd>, std::less<>> opened_;
};

// A source that does not exist. The other sources can still be copied.
class MissingSource : public tools::ToolError {
 public:
  explicit MissingSource(const std::string& text);
};

// Throws MissingSource, or ToolError(Usage) if the source cannot have a name.
Root local_root(const std::string& path, RootFolders& folders);
// Creates the folder to copy into, if something is to be copied.
Destination local_destination(const std::string& path, bool into_folder, Mode mode);

struct Served {
  int folder = -1;  // the owner of the descriptor keeps it open
  std::string name; // the name of its root if a client gets the whole folder
};

// The other side's name for a root of this path. "": the server of that side chooses the name.
std::string requested_name(const std::string& path);

// Throws ToolError if two of the names are equal, because all of them go into one folder.
void require_distinct(const std::vector<std::string>& names, tools::ExitCode code);

// Both throw ToolError(Failed), possibly a MissingSource, with the reason for the peer.
Root served_root(const Served& served, const std::string& path, RootFolders& folders);
Destination served_destination(const Served& served, const std::string& path, bool into_folder);

} // namespace datum::cp
