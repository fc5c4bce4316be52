// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// registry/handle_check.h: from a handle to its provider's table, whatever the handle is.
// Lives here: the check that every call makes before it trusts a handle.
// Not here:   IA handles that are small integers (ia_table.h); whether the object is of the right
//             kind or alive, which only its provider knows.
//
// An object's first word is the address of a provider table. So a handle is good if that word can
// be read and is a known table. Reading an arbitrary address may fault. A read by the kernel does
// not, but costs a system call. So the registry keeps a cache of pages in which it saw a good
// handle, and reads an aligned word there directly. (Pages rather than larger blocks: a provider
// that keeps its objects on the heap has unmapped neighbours. The objects of an open IA are mapped.
// While a provider that may unmap them closes an IA, no page enters the cache; after that the cache
// is emptied.)
// Threads:    any; no locks.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "registry/api.h"
#include "registry/known_tables.h"

// A function with this attribute reads a dangling handle's word on purpose, even while its provider
// may write it.
#define DATUM_READS_ANYTHING __attribute__((no_sanitize("address", "thread")))

namespace datum::registry {

class HandleCheck {
 public:
  constexpr HandleCheck() = default;

  // The table of the object behind handle, or null if there is no such object.
  const DAT_PROVIDER* table_of(DAT_HANDLE handle) noexcept;

  // table_of() without a system call: null also if no good handle was seen in that page yet. Always
  // inline: every DAT call begins with it.
  [[gnu::always_inline]] DATUM_READS_ANYTHING const DAT_PROVIDER*
  table_if_seen(DAT_HANDLE handle) const noexcept {
    const auto address = reinterpret_cast<std::uintptr_t>(handle);
    if (!aligned(address) || !seen(address)) [[unlikely]]
      return nullptr;
    const void* word = __atomic_load_n(static_cast<const void* const*>(handle), __ATOMIC_RELAXED);
    return tables_.holds(word) ? static_cast<const DAT_PROVIDER*>(word) : nullptr;
  }

  void add_table(const DAT_PROVIDER* table) { tables_.add(table); }
  // Called when objects have gone. No page is trusted until a good handle is seen in it again.
  void forget_pages() noexcept;

  // While it lives, objects may go at any moment: no page is trusted, and no page becomes trusted.
  class Distrust {
   public:
    explicit Distrust(HandleCheck& handles) noexcept : handles_(handles) {
      handles_.distrusted_.fetch_add(1, std::memory_order_seq_cst);
      handles_.forget_pages();
    }
    ~Distrust() { handles_.distrusted_.fetch_sub(1, std::memory_order_seq_cst); }
    Distrust(const Distrust&) = delete;
    Distrust& operator=(const Distrust&) = delete;

   private:
    HandleCheck& handles_;
  };

  // claim() and trust() together put a page into the cache. The caller reads the handle's word
  // between the two calls. If forget_pages() runs in between, the claim is void.
  using Claim = std::uintptr_t;
  Claim claim(DAT_HANDLE handle) noexcept;
  void trust(DAT_HANDLE handle, Claim claim) noexcept;

 private:
  static constexpr std::size_t kPages = 1024; // 4 MiB of objects; a miss costs a system call
  static constexpr unsigned kPageShift = 12;  // the smallest page of any supported platform

  static bool aligned(std::uintptr_t address) noexcept { return address % sizeof(void*) == 0; }
  // Page numbers count from 1; 0: the slot was never used. A slot without a page has a number that
  // no other slot ever has in this process, marked by the upper bit. So a claim shows whether the
  // slot has changed.
  static constexpr std::uintptr_t kNoPage = ~(~std::uintptr_t{0} >> 1U);
  std::uintptr_t no_page() noexcept {
    return kNoPage | claims_.fetch_add(1, std::memory_order_relaxed);
  }
  static std::uintptr_t page(std::uintptr_t address) noexcept {
    return (address >> kPageShift) + 1;
  }
  static std::size_t slot(std::uintptr_t address) noexcept { return page(address) % kPages; }
  bool seen(std::uintptr_t address) const noexcept {
    return pages_[slot(address)].load(std::memory_order_acquire) == page(address);
  }

  std::array<std::atomic<std::uintptr_t>, kPages> pages_{};
  std::atomic<std::uintptr_t> claims_{0};
  std::atomic<unsigned> distrusted_{0};
  KnownTables tables_;
};

} // namespace datum::registry
