// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/shm/mapping.h: an object that owns mapped memory and unmaps it when destroyed.
#pragma once

#include <cstddef>
#include <sys/mman.h>
#include <utility>

namespace datum {

class Mapping {
 public:
  Mapping() = default;
  // Takes over the result of mmap(). The object is false if that was MAP_FAILED.
  Mapping(void* address, std::size_t length)
      : address_(address == MAP_FAILED ? nullptr : address), length_(length) {}
  Mapping(Mapping&& other) noexcept
      : address_(std::exchange(other.address_, nullptr)), length_(other.length_) {}
  Mapping& operator=(Mapping&& other) noexcept {
    std::swap(address_, other.address_);
    std::swap(length_, other.length_);
    return *this;
  }
  ~Mapping() {
    if (address_ != nullptr) ::munmap(address_, length_);
  }

  explicit operator bool() const { return address_ != nullptr; }
  std::byte* data() const { return static_cast<std::byte*>(address_); }
  std::size_t size() const { return length_; }

 private:
  void* address_ = nullptr;
  std::size_t length_ = 0;
};

} // namespace datum
