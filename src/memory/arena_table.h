// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// memory/arena_table.h: which arena owns an address, answered without a lock.
// Lives here: the address map and the published description of each arena.
// Not here:   creating and carving arenas (arenas.h), system calls.
// Threads:    readers run at any time, also in signal handlers; the caller serialises writers.
#pragma once

#include <datum/memory.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace datum::memory {

// Arenas begin at multiples of this, so the upper bits of an address name at most one arena.
inline constexpr unsigned kChunkShift = 26;
inline constexpr std::size_t kChunkSize = std::size_t{1} << kChunkShift;
// The kernel gives user addresses beyond 48 bits only to programs that ask for them. Datum never
// asks for them.
inline constexpr unsigned kAddressBits = 48;
// There are at most this many arenas, and each has at most one descriptor. The number of an arena
// fits in one byte; 0 means no arena.
inline constexpr unsigned kMaxArenas = 255;
static_assert(kMaxArenas <= 0xff);

struct ArenaInfo {
  std::uintptr_t base = 0;
  std::size_t length = 0;
  int fd = -1; // -1: private memory, which no peer can map
  std::uint64_t device = 0, inode = 0;
  datum_memory_pages pages = DATUM_MEMORY_PAGES_BASE;
  bool single_block = false; // one block, freed by unmapping; never changes in an arena's life
};

class ArenaTable {
 public:
  // The number (1..kMaxArenas) of the arena that contains the address, or 0.
  unsigned owner(std::uintptr_t address) const {
    if (address >> kAddressBits != 0) return 0;
    const unsigned number = __atomic_load_n(&owners_[address >> kChunkShift], __ATOMIC_ACQUIRE);
    if (number == 0) return 0;
    const ArenaSlot& slot = slots_[number - 1];
    // An arena need not fill its last chunk. The rest of that chunk belongs to other code.
    const std::uintptr_t base = slot.base.load(std::memory_order_relaxed);
    return address - base < slot.length.load(std::memory_order_relaxed) ? number : 0;
  }

  // The caller owns a live block of the arena, so the arena stays.
  bool is_single_block(unsigned number) const {
    return slots_[number - 1].single_block.load(std::memory_order_relaxed);
  }

  // False: the arena is gone, or a writer is changing its description.
  bool read(unsigned number, ArenaInfo& out) const;

  void publish(unsigned number, const ArenaInfo& info);
  // The range of the arena has another backing from now on.
  void replace(unsigned number, const ArenaInfo& info);
  void retract(unsigned number);

 private:
  // All bits are zero until an arena is published, so that the table takes no room in the library's
  // file.
  struct ArenaSlot {
    std::atomic<std::uint32_t> version{0}; // odd while a writer is at work
    std::atomic<std::uintptr_t> base{0};
    std::atomic<std::size_t> length{0};
    std::atomic<int> fd{0}; // valid only if `length` is not 0
    std::atomic<std::uint64_t> device{0}, inode{0};
    std::atomic<datum_memory_pages> pages{DATUM_MEMORY_PAGES_BASE};
    std::atomic<bool> single_block{false};
  };

  void write(ArenaSlot& slot, const ArenaInfo& info);
  void mark(const ArenaSlot& slot, std::uint8_t owner);

  // 4 MiB of address space, of which only written pages exist. Plain bytes, accessed atomically:
  // compilers give up on a constant with four million atomic objects.
  std::array<std::uint8_t, std::size_t{1} << (kAddressBits - kChunkShift)> owners_{};
  std::array<ArenaSlot, kMaxArenas> slots_{};
};

} // namespace datum::memory
