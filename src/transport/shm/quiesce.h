// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/shm/quiesce.h: memory of this process is about to be given away: no peer may still be
// in it.
// Lives here: waiting for peers' marks, what happens to a peer that does not finish.
// Not here:   revoking the entry (RegionTable), marking (transport/link).
// Order:      a peer marks the STag, then reads the entry. The owner clears the entry, fences on
// every processor (base/fence.h), then reads the marks: one of the two sees the other.
// Threads:    the adapter's lock, held while it waits.
#pragma once

#include <span>
#include <vector>

#include "core/port/region_table.h"
#include "transport/shm/isolation.h"

namespace datum {

struct ShmContext;

class Quiescence {
 public:
  Quiescence(ShmContext& context, std::span<RegionEntry> entries)
      : context_(context), entries_(entries) {}

  // Returns when no peer is inside an access through `stag`, whose entry has been revoked. A peer
  // that does not leave within the limit loses its link. If it has mapped the memory and may write,
  // the memory is moved away from it.
  void wait_for(Stag stag);
  // These bytes no longer belong to the file that they once came from, and must not be offered as
  // such.
  bool is_isolated(const MemoryRange& range) const;

 private:
  // False: a peer had to be condemned.
  bool all_have_left(Stag stag, int round);
  bool wait_or_condemn(Stag stag);
  void isolate(const RegionEntry& entry);
  // Peers reach regions that share pages with the range through this process from now on.
  void unshare(const MemoryRange& pages, const RegionEntry& except);

  ShmContext& context_;
  std::span<RegionEntry> entries_;
  std::vector<MemoryRange> isolated_;
};

} // namespace datum
