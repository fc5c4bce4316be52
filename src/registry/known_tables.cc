// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "registry/known_tables.h"

#include <memory>

#include "base/assertion.h"

namespace datum::registry {

void KnownTables::put(const Block& block, const void* table) {
  std::size_t i = hash(table);
  while (block.slots[i & block.mask].load(std::memory_order_relaxed) != nullptr) ++i;
  block.slots[i & block.mask].store(table, std::memory_order_release);
}

void KnownTables::grow() {
  const Block* old = block_.load(std::memory_order_relaxed);
  const std::size_t size = 2 * (old->mask + 1);
  auto slots = std::make_unique<TableSlot[]>(size);
  const Block* bigger = new Block{slots.get(), size - 1, old};
  static_cast<void>(slots.release()); // the block owns the slots, and is never freed
  for (std::size_t i = 0; i <= old->mask; ++i)
    if (const void* table = old->slots[i].load(std::memory_order_relaxed)) put(*bigger, table);
  block_.store(bigger, std::memory_order_release);
}

void KnownTables::add(const void* table) {
  MutexLock lock(mutex_);
  if (table == nullptr || holds(table)) return;
  // The set is at most half full, so that every search ends soon.
  if (2 * (used_ + 1) > block_.load(std::memory_order_relaxed)->mask + 1) grow();
  put(*block_.load(std::memory_order_relaxed), table);
  ++used_;
  DATUM_ASSERT(2 * used_ <= block_.load(std::memory_order_relaxed)->mask + 1);
  newest_.store(table, std::memory_order_release);
}

} // namespace datum::registry
