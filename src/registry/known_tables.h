// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// registry/known_tables.h: the provider tables that a handle may point at.
// Lives here: the set of addresses. Tables are never removed, because a library stays loaded, and
//             objects outlive the registration of their provider.
// Threads:    any. holds() takes no lock and writes nothing.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/mutex.h"

namespace datum::registry {

class KnownTables {
 public:
  constexpr KnownTables() = default;

  // Always inlined, with find(). Every DAT call begins with holds(), and without a function call it
  // need not save registers. GCC's own choice changed with unrelated code of the library.
  [[gnu::always_inline]] bool holds(const void* table) const noexcept {
    // Most programs use one table all the time.
    const bool newest = table == newest_.load(std::memory_order_relaxed) && table != nullptr;
    return newest || find(table);
  }
  void add(const void* table);

 private:
  [[gnu::always_inline]] bool find(const void* table) const noexcept {
    const Block* block = block_.load(std::memory_order_acquire);
    for (std::size_t i = hash(table);; ++i) {
      const void* found = block->slots[i & block->mask].load(std::memory_order_acquire);
      if (found == nullptr) return false;
      if (found == table) return true;
    }
  }
  using TableSlot = std::atomic<const void*>;
  static constexpr std::size_t kFirstSize = 256;

  struct Block {
    TableSlot* slots;
    std::size_t mask;
    const Block* previous; // kept for threads that still search it
  };

  static std::size_t hash(const void* table) noexcept {
    // Tables are 8-byte aligned, and often lie next to each other. So the hash multiplies the
    // address and uses the upper bits.
    return (reinterpret_cast<std::uintptr_t>(table) * 0x9e3779b97f4a7c15U) >> 40;
  }
  static void put(const Block& block, const void* table);
  void grow() DATUM_REQUIRES(mutex_);

  std::array<TableSlot, kFirstSize> first_slots_{};
  const Block first_{first_slots_.data(), kFirstSize - 1, nullptr};
  std::atomic<const Block*> block_{&first_};
  std::atomic<const void*> newest_{nullptr};
  Mutex mutex_;
  std::size_t used_ DATUM_GUARDED_BY(mutex_) = 0;
};

} // namespace datum::registry
