// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// memory/arenas.h: the process's arenas, each a sealed memfd mapped whole.
// Lives here: adding arenas, carving ranges for the allocator, blocks with an arena of their own.
// Not here:   reuse of carved ranges (the allocator does that), fork (fork_copy.h).
// Threads:    one mutex for changes; lookups take none.
#pragma once

#include "arena_table.h"
#include "mutex.h"

namespace datum::memory {

inline constexpr std::size_t kFirstArena = std::size_t{64} << 20;
inline constexpr std::size_t kLargestArena = std::size_t{16} << 30;

class Arenas {
 public:
  // Returns zeroed memory inside one arena. It never returns the same memory twice, unless
  // uncarve() took it back. NULL: errno says why.
  void* carve(std::size_t size, std::size_t alignment);

  // Takes the range back if it was carved last. Otherwise does nothing.
  void uncarve(void* address, std::size_t size);

  // Makes an arena for one block, and returns the block. NULL: errno says why.
  void* open_block(std::size_t size, datum_memory_pages& obtained);
  // For addresses of live blocks only.
  void close_block(void* address);
  // 0: the arena of the block has other blocks, too, or the address is in no arena.
  std::size_t block_length(const void* address) const;

  // Does what datum_memory_lookup promises.
  int lookup(const void* address, std::size_t size, datum_memory_backing& out) const;
  // The number of the arena that contains the address, or 0.
  unsigned owner(const void* address) const {
    return table_.owner(reinterpret_cast<std::uintptr_t>(address));
  }

 private:
  friend class ForkCopy;
  struct Record {
    bool in_use = false;
    std::size_t used = 0; // bytes from the beginning that were handed out
  };

  void* carve_from_current(std::size_t size, std::size_t alignment);
  int map_block(std::size_t length, unsigned& number, ArenaInfo& info);
  void set_pages(unsigned number, datum_memory_pages pages);
  bool grow(std::size_t least);
  unsigned free_number() const;
  unsigned add(const ArenaInfo& info, std::size_t used);

  ArenaTable table_;
  Mutex mutex_;
  Record records_[kMaxArenas];
  unsigned current_ = 0; // the arena that is carved from; 0: none yet
  // The length that the newest arena would have if no limit had made it shorter.
  std::size_t wanted_length_ = 0;
};

// The allocator's hooks and the fork handlers get no context from their callers, so there is one
// object per process. The object needs no constructor, because the first malloc() may come before
// constructors run. All its bits are zero. Otherwise it would add 4 MiB to the files of
// libdatum.so.1 and libdatum-malloc.so.
extern Arenas process_arenas;

} // namespace datum::memory
