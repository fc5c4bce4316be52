// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cp/shared_buffer.h"

#include <cerrno>
#include <system_error>
#include <utility>

#include <datum/memory.h>

namespace datum::cp {
namespace {

constexpr std::size_t kPage = 4096;

} // namespace

SharedBuffer::SharedBuffer(std::size_t size) {
  // Not on huge pages: to find some the kernel may move what other programs have, for longer than
  // a small copy takes.
  void* const memory = datum_memory_aligned(kPage, size);
  if (memory == nullptr)
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
  if (!bytes_.empty()) datum_memory_free(bytes_.data());
}

} // namespace datum::cp
