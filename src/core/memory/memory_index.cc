// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "core/memory/memory_index.h"

namespace datum {

void MemoryIndex::make_room_for(Stag local_stag) {
  const std::size_t index = index_of(local_stag);
  if (regions_.size() <= index) regions_.resize(index + 1);
}

void MemoryIndex::add(MemoryRegion& region) {
  regions_[index_of(region.local_stag())] = &region;
}

void MemoryIndex::remove(const MemoryRegion& region) {
  regions_[index_of(region.local_stag())] = nullptr;
}

MemoryRegion* MemoryIndex::find_region(Stag local_stag) const {
  const std::size_t index = index_of(local_stag);
  if (index >= regions_.size()) return nullptr;
  MemoryRegion* region = regions_[index];
  return region != nullptr && region->local_stag() == local_stag ? region : nullptr;
}

MemoryWindow* MemoryIndex::find_window(Stag stag) const {
  MemoryWindow* found = nullptr;
  windows_.for_each([&](Object& object) {
    auto& window = static_cast<MemoryWindow&>(object);
    if (window.binding().stag == stag && stag != 0) found = &window;
  });
  return found;
}

} // namespace datum
