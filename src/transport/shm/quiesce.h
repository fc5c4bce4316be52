// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/shm/quiesce.h: waits until no peer accesses memory that is about to be taken away from
// peers.
// Lives here: waiting for peers' marks; closing the link of a peer that does not finish.
// Not here:   revoking the entry (RegionTable), marking (transport/link).
// Order:      a peer marks the STag, then reads the entry. The owner clears the entry, fences on
// every processor (base/fence.h), then reads the marks. So the peer sees the cleared entry, or the
// owner sees the mark.
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

  // Returns when no peer accesses memory through `stag`, whose entry has been revoked. A peer that
  // does not leave within the limit loses its link. If peers may have mapped the memory and may
  // write to it, it is isolated (isolation.h).
  void wait_for(Stag stag);
  // True: some of these bytes no longer belong to the file that they once came from, and must not
  // be offered to peers as bytes of that file.
  bool is_isolated(const MemoryRange& range) const;

 private:
  bool all_have_left(Stag stag, int round);
  // False: a peer had to be condemned.
  bool wait_or_condemn(Stag stag);
  void isolate(const RegionEntry& entry);
  // Makes peers reach regions that share pages with `pages` by process_vm_* instead of by mappings.
  void unshare(const MemoryRange& pages, const RegionEntry& except);

  ShmContext& context_;
  std::span<RegionEntry> entries_;
  std::vector<MemoryRange> isolated_;
};

} // namespace datum
