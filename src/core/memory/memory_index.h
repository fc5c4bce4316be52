// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core/memory/memory_index.h: which LMR or RMR of an open IA a context (STag) names.
// Not here:   the entries that peers see (core/port/region_table.h); the ownership of the objects.
// Threads:    the adapter's lock.
#pragma once

#include <cstddef>
#include <vector>

#include "core/memory/memory_region.h"
#include "core/memory/memory_window.h"
#include "core/object/object_walk.h"

namespace datum {

class MemoryIndex {
 public:
  // `windows`: all windows of the adapter.
  explicit MemoryIndex(ObjectList& windows) : windows_(windows) {}

  // Allocates what add() of a region with that STag needs.
  void make_room_for(Stag local_stag);
  void add(MemoryRegion& region);
  void remove(const MemoryRegion& region);

  MemoryRegion* find_region(Stag local_stag) const;
  MemoryWindow* find_window(Stag stag) const;
  void unbind_window(Stag stag) {
    if (MemoryWindow* window = find_window(stag)) window->take({});
  }

 private:
  static std::size_t index_of(Stag stag) { return stag >> 8U; }

  ObjectList& windows_;
  std::vector<MemoryRegion*> regions_;
};

} // namespace datum
