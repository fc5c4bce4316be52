// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "heap.h"

#include "extent_hooks.h"
#include "fork_copy.h"
#include "mutex.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <fcntl.h>
#include <unistd.h>

namespace datum::memory {

constinit Heap process_heap;

namespace {

constinit Mutex start_mutex;

// jemalloc gets one automatic arena, for its own needs. This arena exists before jemalloc can be
// told where to take memory from, so the program's blocks must not come from there (choose_arena).
// For the same reason there is no oversize arena; large_flags_ replaces it. realloc(p, 0) frees, as
// in the C library.
constexpr const char* kConfiguration =
    "narenas:1,oversize_threshold:0,zero_realloc:free,background_thread:false,"
    "dirty_decay_ms:5000,muzzy_decay_ms:0";

bool strict_overcommit() {
  const int fd = open("/proc/sys/vm/overcommit_memory", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  char mode = '0';
  const bool strict = read(fd, &mode, 1) == 1 && mode == '2';
  close(fd);
  return strict;
}

unsigned create_arena(extent_hooks_t* own_hooks) {
  unsigned arena = 0;
  std::size_t length = sizeof arena;
  datum_je_mallctl("arenas.create", &arena, &length, own_hooks == nullptr ? nullptr : &own_hooks,
                   own_hooks == nullptr ? 0 : sizeof(void*));
  return arena;
}

void for_all_arenas(const char* action) {
  char name[48];
  std::snprintf(name, sizeof name, "arena.%u.%s", static_cast<unsigned>(MALLCTL_ARENAS_ALL),
                action);
  datum_je_mallctl(name, nullptr, nullptr, nullptr, 0);
}

void return_pages_at_once(unsigned arena) {
  char name[48];
  std::snprintf(name, sizeof name, "arena.%u.dirty_decay_ms", arena);
  ssize_t now = 0;
  datum_je_mallctl(name, nullptr, nullptr, &now, sizeof now);
}

} // namespace

void Heap::start() {
  // Set first: jemalloc's start-up may itself allocate (thread keys), and must not call start()
  // again.
  thread_is_prepared = true;
  const int saved = errno;
  {
    const Lock lock(start_mutex);
    if (!started_) start_once();
    started_ = true;
  }
  choose_arena();
  errno = saved;
}

void Heap::start_once() {
  // This comes before jemalloc registers its own handlers. So jemalloc's locks are held during the
  // copy, and in the child the copy is in place before jemalloc uses the memory.
  ForkCopy::install_handlers();
  set_extent_policy({.private_fallback = start_library(), .commit_early = strict_overcommit()});
  datum_je_malloc_conf = kConfiguration;
  const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
  arena_count_ = static_cast<unsigned>(std::clamp(cpus, 2L, long{kMaxHeapArenas}));
  for (unsigned i = 0; i < arena_count_; ++i) arenas_[i] = create_arena(shareable_extent_hooks());
  const unsigned large = create_arena(shareable_extent_hooks());
  return_pages_at_once(large);
  large_flags_ = MALLOCX_ARENA(large) | MALLOCX_TCACHE_NONE;
  private_flags_ = MALLOCX_ARENA(create_arena(nullptr)) | MALLOCX_TCACHE_NONE;
}

void Heap::choose_arena() {
  unsigned arena = arenas_[next_arena_.fetch_add(1, std::memory_order_relaxed) % arena_count_];
  datum_je_mallctl("thread.arena", nullptr, nullptr, &arena, sizeof arena);
}

void* Heap::allocate_with(std::size_t size, int flags) {
  void* got = datum_je_mallocx(std::max(size, std::size_t{1}), flags);
  if (got == nullptr) errno = ENOMEM;
  return got;
}

void* Heap::reallocate_with(void* block, std::size_t size, int flags) {
  void* got = datum_je_rallocx(block, std::max(size, std::size_t{1}), flags);
  if (got == nullptr) errno = ENOMEM;
  return got;
}

void* Heap::allocate_zeroed(std::size_t count, std::size_t size) {
  std::size_t total = 0;
  if (__builtin_mul_overflow(count, size, &total) || total < kLargeSize)
    return datum_je_calloc(count, size);
  return allocate_with(total, large_flags_ | MALLOCX_ZERO);
}

void* Heap::allocate_private_zeroed(std::size_t count, std::size_t size) {
  std::size_t total = 0;
  if (__builtin_mul_overflow(count, size, &total)) {
    errno = ENOMEM;
    return nullptr;
  }
  return allocate_with(total, private_flags_ | MALLOCX_ZERO);
}

void* Heap::reallocate(void* block, std::size_t size) {
  if (size < kLargeSize) return datum_je_realloc(block, size);
  return block == nullptr ? allocate_with(size, large_flags_)
                          : reallocate_with(block, size, large_flags_);
}

void* Heap::reallocate_private(void* block, std::size_t size) {
  return reallocate_with(block, size, private_flags_);
}

void* Heap::reallocate_from_private(void* block, std::size_t size) {
  return reallocate_with(block, size, size < kLargeSize ? MALLOCX_TCACHE_NONE : large_flags_);
}

int Heap::allocate_aligned(void** block, std::size_t alignment, std::size_t size) {
  if (size < kLargeSize) return datum_je_posix_memalign(block, alignment, size);
  if (alignment < sizeof(void*) || (alignment & (alignment - 1)) != 0) return EINVAL;
  void* got = datum_je_mallocx(size, large_flags_ | MALLOCX_LG_ALIGN(__builtin_ctzl(alignment)));
  if (got == nullptr) return ENOMEM;
  *block = got;
  return 0;
}

// By itself jemalloc checks the age of freed pages only after a thousand operations of a thread
// that miss its cache. It takes pages that it has not checked for a while for freshly freed. So
// this function makes jemalloc check once a second.
void Heap::return_old_pages() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  time_t last = last_return_.load(std::memory_order_relaxed);
  if (now.tv_sec == last || !last_return_.compare_exchange_strong(last, now.tv_sec)) return;
  const int saved = errno;
  for_all_arenas("decay");
  errno = saved;
}

void Heap::trim() {
  datum_je_mallctl("thread.tcache.flush", nullptr, nullptr, nullptr, 0);
  for_all_arenas("purge");
}

namespace {
__attribute__((constructor(101))) void start_with_the_library() {
  process_heap.prepare_thread();
}
} // namespace

} // namespace datum::memory
