// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/unit/link/stepped_atomic.h: the product's shared words with a scheduler behind each access
// (DATUM_SHARED_ATOMIC): somebody else may go on before it, and what is stored may reach the others
// later, as it does on a processor with a store buffer.
// Not here: who goes on (store_buffers.h).
#pragma once

#include <atomic>
#include <cstdint>

namespace datum {

namespace test {
// Both end with somebody else's turn. The words are at most 64 bits wide.
void stepped_store(void* word, std::uint64_t value, std::size_t size);
std::uint64_t stepped_load(const void* word, std::size_t size);
} // namespace test

template <class T>
class SharedAtomic {
 public:
  static constexpr bool is_always_lock_free = true;
  T load(std::memory_order = std::memory_order_seq_cst) const {
    return static_cast<T>(test::stepped_load(&value_, sizeof value_));
  }
  void store(T value, std::memory_order = std::memory_order_seq_cst) {
    test::stepped_store(&value_, value, sizeof value_);
  }

 private:
  T value_;
};

} // namespace datum
