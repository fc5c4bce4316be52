// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// memory/heap.h: jemalloc set up on Datum's arenas.
// Lives here: start-up in the right order, blocks that bypass jemalloc's caches, the arena for
//             private blocks.
// Not here:   the exported names (api.cc, preload.cc).
#pragma once

#include "jemalloc_private.h"

#include <atomic>
#include <cstddef>
#include <ctime>

namespace datum::memory {

class Heap {
 public:
  // Called before each allocation of a thread. After the first call it costs one load.
  void prepare_thread() {
    if (!thread_is_prepared) [[unlikely]]
      start();
  }

  // A block of this size or larger returns its pages at the moment it is freed.
  static constexpr std::size_t kLargeSize = std::size_t{8} << 20;

  void* allocate(std::size_t size) {
    if (size >= kLargeSize) [[unlikely]]
      return allocate_with(size, large_flags_);
    return datum_je_malloc(size);
  }
  void* allocate_zeroed(std::size_t count, std::size_t size);
  void* reallocate(void* block, std::size_t size);
  int allocate_aligned(void** block, std::size_t alignment, std::size_t size);
  void release(void* block) {
    datum_je_free(block);
    if (++frees % kFreesPerLook == 0) [[unlikely]]
      return_old_pages();
  }

  // Memory that no peer can map and no thread cache keeps: see preload.cc.
  void* allocate_private(std::size_t size) { return allocate_with(size, private_flags_); }
  void* allocate_private_zeroed(std::size_t count, std::size_t size);
  void* reallocate_private(void* block, std::size_t size);
  // Moves a private block to shareable memory, or keeps it where it is.
  void* reallocate_from_private(void* block, std::size_t size);
  void release_private(void* block) { datum_je_dallocx(block, MALLOCX_TCACHE_NONE); }

  void trim();

 private:
  void start();
  void start_once();
  void choose_arena();
  void return_old_pages();
  void* allocate_with(std::size_t size, int flags);
  void* reallocate_with(void* block, std::size_t size, int flags);

  static constexpr unsigned kMaxHeapArenas = 16;
  static constexpr unsigned kFreesPerLook = 64;

  inline static constinit thread_local bool thread_is_prepared = false;
  inline static constinit thread_local unsigned frees = 0;
  std::atomic<time_t> last_return_{0};
  bool started_ = false;
  unsigned arenas_[kMaxHeapArenas] = {};
  unsigned arena_count_ = 0;
  std::atomic<unsigned> next_arena_{0};
  int large_flags_ = 0;
  int private_flags_ = 0;
};

extern Heap process_heap;

// The part of the start-up that differs between the two libraries. Called once, before the first
// allocation. True: allocations may fall back to private memory. Defined in preload.cc
// (libdatum-malloc.so) and extension.cc (libdatum.so.1).
bool start_library();

} // namespace datum::memory
