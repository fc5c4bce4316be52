// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// base/twice_mapped_atomic.h: the SharedAtomic of a build for ThreadSanitizer.
// Both ends of a connection in one process map its memory at two addresses. ThreadSanitizer takes
// those for two words. So it misses the order that a release and an acquire give, and reports races
// that do not exist. Here that order is reported to ThreadSanitizer by a tag that both mappings
// share: the word's offset within its page.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <sanitizer/tsan_interface.h>

namespace datum {

// Words of other mappings at the same offset share a tag. That may hide a race between them from
// ThreadSanitizer, and never invents one.
inline void* order_tag(const void* word) {
  constexpr std::size_t kPage = 4096;
  static std::array<std::byte, kPage> tags;
  return &tags[reinterpret_cast<std::uintptr_t>(word) % kPage];
}

template <class T>
class SharedAtomic {
 public:
  static constexpr bool is_always_lock_free = std::atomic<T>::is_always_lock_free;

  T load(std::memory_order order = std::memory_order_seq_cst) const {
    const T value = word_.load(order);
    if (order != std::memory_order_relaxed) __tsan_acquire(order_tag(this));
    return value;
  }
  void store(T value, std::memory_order order = std::memory_order_seq_cst) {
    if (order != std::memory_order_relaxed) __tsan_release(order_tag(this));
    word_.store(value, order);
  }

 private:
  std::atomic<T> word_;
};

} // namespace datum
