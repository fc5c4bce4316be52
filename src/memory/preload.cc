// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// libdatum-malloc.so: the malloc family, on shareable memory.
// Blocks that the C library allocates for itself stay private. In the child of a fork the C library
// resets the locks of its streams before ForkCopy::in_child() runs. If these locks were in shared
// memory, that would break the streams of the parent. Private blocks pass no thread cache, where
// they would mix with shareable blocks.
#include "arenas.h"
#include "heap.h"
#include "libc_caller.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <malloc.h>
#include <unistd.h>

namespace {

using datum::memory::process_arenas;
using datum::memory::process_heap;

constinit datum::memory::LibcCallers libc_callers;

bool is_private(const void* block) {
  return process_arenas.owner(block) == 0;
}

std::size_t page_size() {
  return static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

int aligned_block(void** block, std::size_t alignment, std::size_t size) {
  process_heap.prepare_thread();
  return process_heap.allocate_aligned(block, alignment, size);
}

void* aligned_or_null(std::size_t alignment, std::size_t size) {
  void* block = nullptr;
  const int error = aligned_block(&block, std::max(alignment, sizeof(void*)), size);
  if (error == 0) return block;
  errno = error;
  return nullptr;
}

} // namespace

namespace datum::memory {
bool start_library() {
  libc_callers.find();
  return true;
}
} // namespace datum::memory

#define DATUM_EXPORT extern "C" __attribute__((visibility("default")))

DATUM_EXPORT void* malloc(std::size_t size) {
  process_heap.prepare_thread();
  if (libc_callers.contains(__builtin_return_address(0)))
    return process_heap.allocate_private(size);
  return process_heap.allocate(size);
}

DATUM_EXPORT void* calloc(std::size_t count, std::size_t size) {
  process_heap.prepare_thread();
  if (libc_callers.contains(__builtin_return_address(0)))
    return process_heap.allocate_private_zeroed(count, size);
  return process_heap.allocate_zeroed(count, size);
}

DATUM_EXPORT void free(void* block) {
  if (block == nullptr) return;
  if (is_private(block)) [[unlikely]]
    process_heap.release_private(block);
  else
    process_heap.release(block);
}

DATUM_EXPORT void* realloc(void* block, std::size_t size) {
  const void* caller = __builtin_return_address(0);
  if (block != nullptr && size == 0) {
    free(block);
    return nullptr;
  }
  process_heap.prepare_thread();
  if (block == nullptr)
    return libc_callers.contains(caller) ? process_heap.allocate_private(size)
                                         : process_heap.allocate(size);
  if (!is_private(block)) return process_heap.reallocate(block, size);
  return libc_callers.contains(caller) ? process_heap.reallocate_private(block, size)
                                       : process_heap.reallocate_from_private(block, size);
}

DATUM_EXPORT int posix_memalign(void** block, std::size_t alignment, std::size_t size) {
  return aligned_block(block, alignment, size);
}

DATUM_EXPORT void* aligned_alloc(std::size_t alignment, std::size_t size) {
  return aligned_or_null(alignment, size);
}

DATUM_EXPORT void* memalign(std::size_t alignment, std::size_t size) {
  return aligned_or_null(alignment, size);
}

DATUM_EXPORT void* valloc(std::size_t size) {
  return aligned_or_null(page_size(), size);
}

DATUM_EXPORT void* pvalloc(std::size_t size) {
  const std::size_t page = page_size();
  if (size > PTRDIFF_MAX - page) {
    errno = ENOMEM;
    return nullptr;
  }
  return aligned_or_null(page, (std::max(size, std::size_t{1}) + page - 1) / page * page);
}

DATUM_EXPORT std::size_t malloc_usable_size(void* block) {
  return block == nullptr ? 0 : datum_je_malloc_usable_size(block);
}
