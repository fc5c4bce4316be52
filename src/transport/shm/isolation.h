// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/shm/isolation.h: takes memory of this process away from a peer that has mapped it and
// does not leave it. This process maps the file privately and gets copies of the pages; the peer
// keeps the old pages.
// Lives here: the exchange of the mapping, and the check that memory is mapped from a file.
// Not here:   when isolation is needed, and the list of isolated memory (quiesce).
// Threads:    the adapter's lock; other threads of the program may use the memory meanwhile.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace datum {

struct MemoryRange {
  std::uint64_t base = 0;
  std::uint64_t length = 0;
  bool overlaps(const MemoryRange& other) const {
    return base < other.base + other.length && other.base < base + length;
  }
};

// The whole pages around `range` in memory that is mapped from `file`.
MemoryRange page_range(const MemoryRange& range, int file);

// True: every byte of `range` is mapped, shared and writable, from the file with this inode,
// beginning at `offset` in it. `maps` is the text of /proc/self/maps. The check is needed because
// the program may have closed and reused the descriptor since it mapped the file.
bool is_mapped_from(std::string_view maps, const MemoryRange& range, std::uint64_t inode,
                    std::uint64_t offset);

// Makes the mapping of `pages`, which are whole pages, private. False: nothing has changed. No
// write of another thread is lost: a private mapping of the same file replaces the shared one in
// one step, and the kernel makes the copies.
bool make_private(const MemoryRange& pages, int file, std::uint64_t offset);

} // namespace datum
