// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The functions of <datum/memory.h>: in libdatum.so.1, and again in libdatum-malloc.so, where they
// answer for the whole program because a preloaded library comes first.
#include "arenas.h"
#include "extent_hooks.h"
#include "heap.h"

#include <datum/memory.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

namespace {

using datum::memory::process_arenas;
using datum::memory::process_heap;

// The heap of libdatum-malloc.so may fall back to private memory; <datum/memory.h> returns
// shareable memory only.
void* shareable_or_null(void* block) {
  if (block != nullptr && process_arenas.owner(block) != 0) [[likely]]
    return block;
  const int error = datum::memory::take_extent_error(ENOMEM);
  if (block != nullptr) process_heap.release_private(block);
  errno = error;
  return nullptr;
}

void require_datum_block(const void* block, const char* function) {
  if (process_arenas.owner(block) != 0) [[likely]]
    return;
  char line[128];
  const int length = std::snprintf(line, sizeof line,
                                   "datum: %s: %p did not come from datum_memory_alloc; free it "
                                   "where it came from\n",
                                   function, block);
  [[maybe_unused]] const ssize_t written =
      write(STDERR_FILENO, line, static_cast<std::size_t>(length));
  std::abort();
}

void* reallocate_huge(void* block, std::size_t old_length, std::size_t size) {
  if (size <= old_length && size >= old_length / 2) return block;
  void* fresh = datum_memory_alloc_huge(size, nullptr);
  if (fresh == nullptr) return nullptr;
  std::memcpy(fresh, block, std::min(old_length, size));
  process_arenas.close_block(block);
  return fresh;
}

} // namespace

void* datum_memory_alloc(size_t size) {
  process_heap.prepare_thread();
  return shareable_or_null(process_heap.allocate(size));
}

void* datum_memory_calloc(size_t count, size_t size) {
  process_heap.prepare_thread();
  return shareable_or_null(process_heap.allocate_zeroed(count, size));
}

void* datum_memory_realloc(void* block, size_t size) {
  if (block == nullptr) return datum_memory_alloc(size);
  require_datum_block(block, "datum_memory_realloc");
  if (size == 0) {
    datum_memory_free(block);
    return nullptr;
  }
  if (const std::size_t length = process_arenas.block_length(block))
    return reallocate_huge(block, length, size);
  void* moved = process_heap.reallocate(block, size);
  if (moved == nullptr) errno = datum::memory::take_extent_error(ENOMEM);
  return moved;
}

void* datum_memory_aligned(size_t alignment, size_t size) {
  process_heap.prepare_thread();
  void* block = nullptr;
  const int error = process_heap.allocate_aligned(&block, std::max(alignment, sizeof(void*)), size);
  if (error == EINVAL) {
    errno = EINVAL;
    return nullptr;
  }
  return shareable_or_null(block);
}

void datum_memory_free(void* block) {
  if (block == nullptr) return;
  const int saved = errno;
  require_datum_block(block, "datum_memory_free");
  if (process_arenas.block_length(block) != 0)
    process_arenas.close_block(block);
  else
    process_heap.release(block);
  errno = saved;
}

size_t datum_memory_usable_size(const void* block) {
  if (block == nullptr) return 0;
  require_datum_block(block, "datum_memory_usable_size");
  if (const std::size_t length = process_arenas.block_length(block)) return length;
  return datum_je_malloc_usable_size(const_cast<void*>(block));
}

void* datum_memory_alloc_huge(size_t size, enum datum_memory_pages* obtained) {
  process_heap.prepare_thread(); // installs the fork handlers
  datum_memory_pages pages = DATUM_MEMORY_PAGES_BASE;
  void* block = process_arenas.open_block(size, pages);
  if (block != nullptr && obtained != nullptr) *obtained = pages;
  return block;
}

void datum_memory_trim(void) {
  process_heap.prepare_thread();
  process_heap.trim();
}

int datum_memory_lookup(const void* address, size_t size, struct datum_memory_backing* backing) {
  return backing == nullptr ? EINVAL : process_arenas.lookup(address, size, *backing);
}
