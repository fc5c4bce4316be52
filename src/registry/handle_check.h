// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// registry/handle_check.h: finds the provider's table for any value that a program passes as a
// handle.
// Lives here: the check that every call makes before it trusts a handle.
// Not here:   IA handles that are small integers (ia_table.h); whether the object is alive and of
//             the right kind, which only its provider knows.
//
// An object's first word is the address of a provider table. So a handle is good if that word can
// be read and is a known table. A direct read of an arbitrary address may fault. A read by the
// kernel does not fault, but costs a system call. So the registry keeps a cache of pages in which
// it has seen a good handle, and reads an aligned word in such a page directly. The cache has pages
// rather than larger blocks, because the pages next to a heap with objects may be unmapped. The
// objects of an open IA are mapped. A provider may unmap objects when it closes an IA. So meanwhile
// no page enters the cache, and afterwards the cache is emptied.
// Threads:    any; no locks.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "registry/api.h"
#include "registry/known_tables.h"

// A function with this attribute reads the word behind a dangling handle on purpose, even while the
// provider may write to that word.
#define DATUM_READS_ANYTHING __attribute__((no_sanitize("address", "thread")))

namespace datum::registry {

class HandleCheck {
 public:
  constexpr HandleCheck() = default;

  // The table of the object behind `handle`, or null if there is no such object.
  const DAT_PROVIDER* table_of(DAT_HANDLE handle) noexcept;

  // Like table_of(), but without a system call. Also null if no good handle has been seen in that
  // page yet. Always inlined, since every DAT call begins with it.
  [[gnu::always_inline]] DATUM_READS_ANYTHING const DAT_PROVIDER*
  table_if_seen(DAT_HANDLE handle) const noexcept {
    const auto address = reinterpret_cast<std::uintptr_t>(handle);
    if (!aligned(address) || !seen(address)) [[unlikely]]
      return nullptr;
    const void* word = __atomic_load_n(static_cast<const void* const*>(handle), __ATOMIC_RELAXED);
    return tables_.holds(word) ? static_cast<const DAT_PROVIDER*>(word) : nullptr;
  }

  void add_table(const DAT_PROVIDER* table) { tables_.add(table); }
  // Called after objects may have been unmapped. No page is trusted until a good handle is seen in
  // it again.
  void forget_pages() noexcept;

  // Lives while objects may be unmapped at any moment. Meanwhile no page is trusted, and no page
  // becomes trusted.
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
  // A slot has the number of its page, counted from 1, or 0 if the slot was never used. A slot
  // whose page was taken away, or is only claimed, has a number with the upper bit set that occurs
  // only once in this process. So trust() can tell whether the slot has changed since claim().
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
