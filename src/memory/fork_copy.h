// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// memory/fork_copy.h: gives the child of a fork its own copy of the arenas.
// Lives here: the copy, which is made just before the fork and put in place in the child before the
//             child's code runs.
// Not here:   vfork and posix_spawn, which share the parent's memory until exec and need no copy.
#pragma once

#include "arenas.h"

namespace datum::memory {

class ForkCopy {
 public:
  static void install_handlers();

 private:
  static void before();
  static void in_parent();
  static void in_child();

  // A file as shareable as the original, or private pages if no file can be made.
  struct Copy {
    int fd = -1;
    void* pages = nullptr;
  };
  static Copy copy_of(const ArenaInfo& info, std::size_t used);
  static bool adopt(unsigned number, const ArenaInfo& info, const Copy& copy);

  static Copy copies_[kMaxArenas];
};

} // namespace datum::memory
