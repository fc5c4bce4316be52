// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cp/shared_buffer.h"

#include <cerrno>
#include <cstdlib>
#include <system_error>
#include <utility>

#if DATUM_HAVE_MEMORY
#include <datum/memory.h>
#endif

namespace datum::cp {
namespace {

constexpr std::size_t kPage = 4096;

#if DATUM_HAVE_MEMORY

// Not on huge pages: to find some the kernel may move what other programs have, for longer than
// a small copy takes.
void* take(std::size_t size) {
  return datum_memory_aligned(kPage, size);
}
void give_back(void* memory) {
  datum_memory_free(memory);
}

#else

// A peer cannot map this; the transport copies it by system calls.
void* take(std::size_t size) {
  return std::aligned_alloc(kPage, (size + kPage - 1) / kPage * kPage);
}
void give_back(void* memory) {
  std::free(memory);
}

#endif

} // namespace

SharedBuffer::SharedBuffer(std::size_t size) {
  void* const memory = take(size);
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
  if (!bytes_.empty()) give_back(bytes_.data());
}

} // namespace datum::cp
