// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cp/shared_buffer.h"

#include <sys/mman.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "common/memory_fd.h"

namespace datum::cp {

SharedBuffer::SharedBuffer(std::size_t size) {
  const tools::UniqueFd file = tools::make_memory_fd("dat-cp");
  if (!file || ftruncate(file.get(), static_cast<off_t>(size)) != 0)
    throw std::system_error(errno, std::generic_category(), "transfer buffers");
  void* const memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
  if (memory == MAP_FAILED)
    throw std::system_error(errno, std::generic_category(), "transfer buffers");
  bytes_ = {static_cast<std::byte*>(memory), size};
}

SharedBuffer::SharedBuffer(SharedBuffer&& other) noexcept
    : bytes_(std::exchange(other.bytes_, {})) {}

SharedBuffer& SharedBuffer::operator=(SharedBuffer&& other) noexcept {
  std::swap(bytes_, other.bytes_);
  return *this;
}

SharedBuffer::~SharedBuffer() {
  if (!bytes_.empty()) munmap(bytes_.data(), bytes_.size());
}

} // namespace datum::cp
