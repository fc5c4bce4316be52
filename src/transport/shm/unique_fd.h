// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/shm/unique_fd.h: a descriptor, and a mapping, each with one owner.
#pragma once

#include <cstddef>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

namespace datum {

class UniqueFd {
 public:
  UniqueFd() = default;
  explicit UniqueFd(int fd) : fd_(fd) {}
  UniqueFd(UniqueFd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  UniqueFd& operator=(UniqueFd&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~UniqueFd() { reset(); }

  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  void reset() {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  }

 private:
  int fd_ = -1;
};

class Mapping {
 public:
  Mapping() = default;
  // Takes over what mmap() returned; false when that was MAP_FAILED.
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
