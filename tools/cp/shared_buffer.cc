// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "cp/shared_buffer.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "common/human.h"
#include "common/tool_error.h"

#if DATUM_HAVE_MEMORY
#include <datum/memory.h>
#endif

namespace datum::cp {
namespace {

constexpr std::size_t kPage = 4096;

// Not on huge pages: to find some the kernel may move what other programs have, for longer than
// a small copy takes.
void* take_shareable([[maybe_unused]] std::size_t size) {
#if DATUM_HAVE_MEMORY
  return datum_memory_aligned(kPage, size);
#else
  return nullptr;
#endif
}

void give_back_shareable([[maybe_unused]] void* memory) {
#if DATUM_HAVE_MEMORY
  datum_memory_free(memory);
#endif
}

void* take_ordinary(std::size_t size) {
  return std::aligned_alloc(kPage, (size + kPage - 1) / kPage * kPage);
}

} // namespace

SharedBuffer::SharedBuffer(std::size_t size) {
  void* memory = take_shareable(size);
  give_back_ = give_back_shareable;
  if (memory == nullptr) { // where memfd_create(2) is refused the connection goes over TCP anyway
    memory = take_ordinary(size);
    give_back_ = std::free;
  }
  if (memory == nullptr)
    throw tools::ToolError(
        tools::ExitCode::Usage,
        fmt::format("{} for transfer buffers: mmap: {} (raise 'ulimit -v', make room, or take a "
                    "smaller --chunk or --depth)",
                    tools::human_size(size), std::strerror(errno)));
  bytes_ = {static_cast<std::byte*>(memory), size};
}

SharedBuffer::SharedBuffer(SharedBuffer&& other) noexcept
    : bytes_(std::exchange(other.bytes_, {})), give_back_(other.give_back_) {}

SharedBuffer& SharedBuffer::operator=(SharedBuffer&& other) noexcept {
  std::swap(bytes_, other.bytes_);
  std::swap(give_back_, other.give_back_);
  return *this;
}

SharedBuffer::~SharedBuffer() {
  if (!bytes_.empty()) give_back_(bytes_.data());
}

} // namespace datum::cp
