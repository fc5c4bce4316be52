// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/fuzz/link/granted_memory.h: a consumer's buffer. While it is closed, AddressSanitizer ends
// the run at the first access to it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <sanitizer/asan_interface.h>

namespace datum::fuzz {

class GrantedMemory {
 public:
  explicit GrantedMemory(std::size_t size)
      : size_(size), bytes_(std::make_unique<std::byte[]>(size)) {}
  ~GrantedMemory() { open(); }
  GrantedMemory(const GrantedMemory&) = delete;
  GrantedMemory& operator=(const GrantedMemory&) = delete;

  void open() { ASAN_UNPOISON_MEMORY_REGION(bytes_.get(), size_); }
  void close() { ASAN_POISON_MEMORY_REGION(bytes_.get(), size_); }
  std::uint64_t address() const { return reinterpret_cast<std::uint64_t>(bytes_.get()); }
  std::size_t size() const { return size_; }
  bool untouched() const {
    return bytes_[0] == std::byte{0} && std::memcmp(bytes_.get(), bytes_.get() + 1, size_ - 1) == 0;
  }

 private:
  std::size_t size_;
  std::unique_ptr<std::byte[]> bytes_;
};

} // namespace datum::fuzz
