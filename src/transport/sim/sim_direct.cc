// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/sim/sim_direct.h"

#include <cstring>
#include <new>
#include <sys/mman.h>

#include "core/port/copy.h"
#include "transport/sim/sim_link.h"
#include "transport/sim/sim_world.h"

namespace datum {

SimRegions make_sim_regions() {
  // Tests make thousands of worlds, so the pages should cost nothing until they are used.
  void* zeroed = ::mmap(nullptr, RegionTable::kStorageBytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (zeroed == MAP_FAILED) throw std::bad_alloc();
  return {static_cast<RegionEntry*>(zeroed), [](RegionEntry* entries) {
            ::munmap(static_cast<void*>(entries), RegionTable::kStorageBytes);
          }};
}

SimDirect::SimDirect(SimLink& link, int side, SimRegions regions)
    : link_(link), side_(side), world_(link.world()), peer_(link.member(1 - side)),
      regions_(std::move(regions)) {}

// On real shared memory no store becomes visible before an earlier store. So the records that this
// end has published have to arrive before the octets that it writes now.
bool SimDirect::reaches_peer() {
  world_.bring_published(link_, side_);
  return world_.alive(peer_);
}

std::byte* SimDirect::map(const RegionEntry& entry, Stag, bool) {
  return entry.backing_fd >= 0 && reaches_peer() ? pointer(entry.base) : nullptr;
}

bool SimDirect::write(std::uint64_t remote, std::span<const Segment> from) {
  if (!reaches_peer()) return false;
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (i + 1 == from.size())
      copy_visible(pointer(remote), from[i].address, from[i].length);
    else
      std::memcpy(pointer(remote), from[i].address, from[i].length);
    remote += from[i].length;
  }
  return true;
}

bool SimDirect::read(std::uint64_t remote, std::span<const Segment> into) {
  if (!world_.alive(peer_)) return false;
  for (const Segment& segment : into) {
    std::memcpy(segment.address, pointer(remote), segment.length);
    remote += segment.length;
  }
  return true;
}

} // namespace datum
