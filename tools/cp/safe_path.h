// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// cp/safe_path.h: paths that a peer sent, and opening them without ever leaving one folder.
// Lives here: the rules for names; opens that follow no symbolic link and no "..".
// Not here:   the work on the files (sink.cc, tree_walk.cc).
#pragma once

#include <string>
#include <string_view>

#include <sys/types.h>

#include "base/unique_fd.h"

namespace datum::cp {

// Names that dat-cp keeps for its own unfinished files; no peer may read or write them.
inline constexpr std::string_view kReservedPrefix = ".dat-cp-";
// True: the name begins with kReservedPrefix, in upper or lower case: some file systems do not
// distinguish these.
bool is_reserved(std::string_view name);

// Empty: the path is a plain relative path. Otherwise the reason why it is not ("it is absolute",
// ...).
std::string_view path_problem(std::string_view path);

// Drops components without a meaning, which a user may type: "a//b/./c/" becomes "a/b/c", and "."
// becomes "". Keeps a leading "/" and "..", so that path_problem() can refuse them.
std::string normalise(std::string_view path);

std::string_view parent_of(std::string_view path); // "a/b" of "a/b/c", "" of "c"
std::string_view name_in(std::string_view path);   // "c" of "a/b/c"

// Opens `path` below `root` ("" is root itself). Returns -1 with errno: ELOOP or EXDEV if a
// symbolic link is on the way. Uses openat2 if the kernel has it, otherwise open_by_walking().
UniqueFd open_beneath(int root, const std::string& path, int flags, mode_t mode = 0);

// open_beneath() with plain openat, folder by folder.
UniqueFd open_by_walking(int root, const std::string& path, int flags, mode_t mode = 0);

} // namespace datum::cp
