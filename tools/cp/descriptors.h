// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// cp/descriptors.h: file descriptors that a copy needs, if RLIMIT_NOFILE leaves few (getrlimit(2)).
// Lives here: how many descriptors are left, how many names a copy can handle at a time with them,
//             and a few that are held back.
// Not here:   the text for when none is left (file_error.h).
#pragma once

#include <cstddef>
#include <vector>

#include "base/unique_fd.h"

namespace datum::cp {

// How many more descriptors this process can open; an estimate above some hundred.
std::size_t descriptors_left();

// How many of `left` descriptors a copy uses at a time. Some are for folders that stay open for the
// next name in them. The others are for names that are being copied, each of which takes at most
// three (its folder, the file, its journal). Each number is at least one.
struct Allowance {
  std::size_t folders = 1, names = 1;
};
Allowance allowance(std::size_t left, std::size_t most_folders, std::size_t most_names);

// Holds descriptors while the provider opens its adapter and the connection. Shared memory takes
// more descriptors than TCP, and must leave some for files. If there are too few for both, the
// provider uses TCP, and logs that.
class SpareDescriptors {
 public:
  SpareDescriptors() { take(); }
  void take();
  void give_back() { held_.clear(); }

 private:
  std::vector<UniqueFd> held_;
};

} // namespace datum::cp
