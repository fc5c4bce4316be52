// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// cp/descriptors.h: file descriptors that a copy needs, where RLIMIT_NOFILE (getrlimit(2)) leaves few.
// Lives here: how many are left, how much may be under way with them, and some that are held back.
// Not here:   what is said when none is left (file_error.h).
#pragma once

#include <cstddef>
#include <vector>

#include "base/unique_fd.h"

namespace datum::cp {

// How many more this process can open; an estimate where it is some hundred.
std::size_t descriptors_left();

// What a copy may hold open at once, of so many: folders that are kept for the next name in them,
// and names under way, each of which takes three at most (its folder, the file, its journal). One of
// both is the least.
struct Allowance {
  std::size_t folders = 1, names = 1;
};
Allowance allowance(std::size_t left, std::size_t most_folders, std::size_t most_names);

// Held while the provider opens its adapter and the connection, so that shared memory, which takes
// more descriptors than TCP, does not take those without which no file can be opened. Where there
// are too few for both, the provider goes over TCP, and says so.
class SpareDescriptors {
 public:
  SpareDescriptors() { take(); }
  void take();
  void give_back() { held_.clear(); }

 private:
  std::vector<UniqueFd> held_;
};

} // namespace datum::cp
