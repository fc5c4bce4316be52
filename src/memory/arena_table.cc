// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "arena_table.h"

namespace datum::memory {

bool ArenaTable::read(unsigned number, ArenaInfo& out) const {
  const ArenaSlot& slot = slots_[number - 1];
  for (;;) {
    const std::uint32_t before = slot.version.load(std::memory_order_acquire);
    // The reader may be a signal handler that interrupted the writer. Waiting for the writer would
    // never end.
    if (before % 2 != 0) return false;
    // Acquire, so that the second load of the version comes after these loads.
    out.base = slot.base.load(std::memory_order_acquire);
    out.length = slot.length.load(std::memory_order_acquire);
    out.fd = slot.fd.load(std::memory_order_acquire);
    out.device = slot.device.load(std::memory_order_acquire);
    out.inode = slot.inode.load(std::memory_order_acquire);
    out.pages = slot.pages.load(std::memory_order_acquire);
    out.single_block = slot.single_block.load(std::memory_order_acquire);
    if (slot.version.load(std::memory_order_relaxed) == before) return out.length != 0;
  }
}

void ArenaTable::write(ArenaSlot& slot, const ArenaInfo& info) {
  slot.version.fetch_add(1, std::memory_order_relaxed);
  // Release, so that no reader sees a new field under the old version.
  slot.base.store(info.base, std::memory_order_release);
  slot.length.store(info.length, std::memory_order_release);
  slot.fd.store(info.fd, std::memory_order_release);
  slot.device.store(info.device, std::memory_order_release);
  slot.inode.store(info.inode, std::memory_order_release);
  slot.pages.store(info.pages, std::memory_order_release);
  slot.single_block.store(info.single_block, std::memory_order_release);
  slot.version.fetch_add(1, std::memory_order_release);
}

void ArenaTable::mark(const ArenaSlot& slot, std::uint8_t owner) {
  const std::uintptr_t base = slot.base.load(std::memory_order_relaxed);
  const std::size_t length = slot.length.load(std::memory_order_relaxed);
  for (std::size_t done = 0; done < length; done += kChunkSize)
    __atomic_store_n(&owners_[(base + done) >> kChunkShift], owner, __ATOMIC_RELEASE);
}

void ArenaTable::publish(unsigned number, const ArenaInfo& info) {
  write(slots_[number - 1], info);
  mark(slots_[number - 1], static_cast<std::uint8_t>(number));
}

void ArenaTable::replace(unsigned number, const ArenaInfo& info) {
  write(slots_[number - 1], info);
}

void ArenaTable::retract(unsigned number) {
  mark(slots_[number - 1], 0);
  write(slots_[number - 1], ArenaInfo{});
}

} // namespace datum::memory
