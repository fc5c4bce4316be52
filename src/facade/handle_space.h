// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// facade/handle_space.h: the memory behind handles: slots that are never unmapped, and are reused
// as late as possible.
// Lives here: slots, their allocation, the check whether an address is one of a slot.
// Not here:   which adapter a slot belongs to, and whether it still does (ia_control.h).
// Threads:    finding a slot takes no lock. A slot's key and object change only while no IA owns
//             the slot, or under the lock of the IA that the key names.
//
// A process has only one such space. Registries and consumers pass bare addresses, and with several
// spaces it would be unknown which one an address belongs to.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "base/mutex.h"
#include "core/object/object.h"

namespace datum {

class IaControl;

struct alignas(64) HandleSlot {
  std::atomic<const void*> table; // DAT_PROVIDER*
  std::atomic<std::uint64_t> key; // IaControl::key_for(kind); 0: the slot has no owner
  std::atomic<IaControl*> control;
  Object* object;
  std::uint32_t next_free;
};
static_assert(sizeof(HandleSlot) == 64);
static_assert(offsetof(HandleSlot, table) == 0, "libdat reads the first word");

class HandleSpace {
 public:
  // A freed slot is used again only after this many other slots have been freed.
  static constexpr std::size_t kReuseDistance = 65536;

  // The slot at `handle`, or nullptr for an address that never was a handle.
  static HandleSlot* find(const void* handle) {
    const std::uintptr_t offset =
        reinterpret_cast<std::uintptr_t>(handle) - base_.load(std::memory_order_relaxed);
    if (offset >= used_bytes_.load(std::memory_order_acquire) || offset % sizeof(HandleSlot) != 0)
      return nullptr;
    return static_cast<HandleSlot*>(const_cast<void*>(handle));
  }
  // nullptr: all slots are in use or were freed too recently.
  static HandleSlot* allocate();
  static void release(HandleSlot& slot);
  // Changes the table of every slot whose table is `from` to `to`.
  static void replace_table(const void* from, const void* to);

 private:
  // The key of the first slot, which is never used for a handle. If that key is 0, a fork has wiped
  // the slots.
  static constexpr std::uint64_t kFirstSlotKey = ~std::uint64_t{0};

  static void start_child();
  [[gnu::constructor]] static void watch_forks();
  static bool grow() DATUM_REQUIRES(mutex_);
  static void notice_fork(HandleSlot& first) DATUM_REQUIRES(mutex_);

  static inline constinit std::atomic<std::uintptr_t> base_{0};
  static inline constinit std::atomic<std::size_t> used_bytes_{sizeof(HandleSlot)};
  static inline constinit Mutex mutex_;
  static inline constinit std::size_t reserved_bytes_ DATUM_GUARDED_BY(mutex_) = 0;
  static inline constinit std::size_t committed_bytes_ DATUM_GUARDED_BY(mutex_) = 0;
  // The queue of freed slots, oldest first, linked by index. Valid while free_count_ != 0.
  static inline constinit std::uint32_t first_free_ DATUM_GUARDED_BY(mutex_) = 0;
  static inline constinit std::uint32_t last_free_ DATUM_GUARDED_BY(mutex_) = 0;
  static inline constinit std::size_t free_count_ DATUM_GUARDED_BY(mutex_) = 0;
};

} // namespace datum
