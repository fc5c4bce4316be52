// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// registry/ia_table.h: IA handles: small integers that stand for the objects of providers.
// Lives here: both directions of the mapping, and the references of an open IA in the registry.
// Not here:   the objects, which belong to their providers.
// Threads:    any. Lookups take no lock, since consumers serialise the use and the close of one IA.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "base/mutex.h"
#include "registry/api.h"

namespace datum::registry {

class StaticEntry;

// The references of an open IA, which dat_ia_close gives back. `entry` is null for a provider that
// a program loaded by itself.
struct IaReferences {
  StaticEntry* entry = nullptr;
  std::uint64_t registration = 0;
};

class IaTable {
 public:
  constexpr IaTable() = default;

  // The provider's object for an IA handle. The object itself is accepted as well. Null: `handle`
  // is neither.
  DAT_IA_HANDLE object_of(DAT_IA_HANDLE handle) const noexcept;
  // The handle for an object. Null: `object` is not the object of an open IA.
  DAT_IA_HANDLE handle_of(DAT_IA_HANDLE object) const noexcept;

  // Calls f with the object of each open IA.
  template <class F>
  void for_each(F&& f) const {
    const std::size_t highest = highest_.load(std::memory_order_acquire);
    for (std::size_t i = 1; i <= highest; ++i)
      if (const DAT_IA_HANDLE object = slots_[i].object.load(std::memory_order_acquire)) f(object);
  }

  static bool is_index(DAT_IA_HANDLE handle) noexcept {
    return reinterpret_cast<std::size_t>(handle) < kSize;
  }

  // Reserves a place for an IA before the provider opens the IA, so that the provider opens none
  // for which there is no handle.
  std::optional<std::size_t> reserve();
  void cancel(std::size_t index);
  DAT_IA_HANDLE publish(std::size_t index, DAT_IA_HANDLE object, const IaReferences& references);
  // The first caller for an open IA gets its references; later ones get nothing.
  std::optional<IaReferences> take(DAT_IA_HANDLE handle_or_object);

 private:
  // Below any address that can be mapped, so that an index is never mistaken for an object.
  static constexpr std::size_t kSize = 4096;

  struct IaSlot {
    std::atomic<DAT_IA_HANDLE> object{nullptr};
    bool reserved = false;
    IaReferences references;
  };

  std::size_t find(DAT_IA_HANDLE object) const noexcept;

  std::array<IaSlot, kSize> slots_{};   // 0 is never used: the null handle
  std::atomic<std::size_t> highest_{0}; // the highest index that was ever used
  Mutex mutex_;
  std::size_t last_ DATUM_GUARDED_BY(mutex_) = 0;
};

// A reserved place. The destructor gives the place back unless publish() has used it.
class IaPlace {
 public:
  explicit IaPlace(IaTable& table) : table_(table), index_(table.reserve()) {}
  ~IaPlace() {
    if (index_) table_.cancel(*index_);
  }
  IaPlace(const IaPlace&) = delete;
  IaPlace& operator=(const IaPlace&) = delete;

  explicit operator bool() const { return index_.has_value(); } // false: the table is full
  DAT_IA_HANDLE publish(DAT_IA_HANDLE object, const IaReferences& references) {
    return table_.publish(*std::exchange(index_, std::nullopt), object, references);
  }

 private:
  IaTable& table_;
  std::optional<std::size_t> index_;
};

} // namespace datum::registry
