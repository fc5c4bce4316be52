// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// memory/fork_copy.h: a child gets its own arenas.
// Lives here: the copy taken just before fork, put in place in the child before it runs.
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

  // Either a file as shareable as the original, or, where there is none, private pages.
  struct Copy {
    int fd = -1;
    void* pages = nullptr;
  };
  static Copy copy_of(const ArenaInfo& info, std::size_t used);
  static bool adopt(unsigned number, const ArenaInfo& info, const Copy& copy);

  static Copy copies_[kMaxArenas];
};

} // namespace datum::memory
