// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "extent_hooks.h"

#include "arenas.h"
#include "backing.h"

#include <cerrno>
#include <sys/mman.h>
#include <utility>

namespace datum::memory {
namespace {

constinit ExtentPolicy extent_policy;
// The errno of the failure, since jemalloc turns every failure into ENOMEM. A user can act upon
// "too many open files".
constinit thread_local int extent_error = 0;

std::byte* part(void* address, std::size_t offset) {
  return static_cast<std::byte*>(address) + offset;
}

void* private_pages(std::size_t size, std::size_t alignment) {
  void* got =
      mmap(nullptr, size + alignment, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (got == MAP_FAILED) return nullptr;
  const auto at = reinterpret_cast<std::uintptr_t>(got);
  const std::size_t before = round_up(at, alignment) - at;
  if (before != 0) munmap(got, before);
  munmap(part(got, before + size), alignment - before);
  return part(got, before);
}

void* allocate(extent_hooks_t*, void* wanted, std::size_t size, std::size_t alignment, bool* zero,
               bool* commit, unsigned) {
  if (wanted != nullptr) return nullptr; // jemalloc grows a block in place by itself (merge)
  void* got = process_arenas.carve(size, alignment);
  extent_error = got == nullptr ? errno : 0;
  if (got == nullptr && extent_policy.private_fallback) got = private_pages(size, alignment);
  if (got == nullptr) return nullptr;
  if (extent_policy.commit_early && !populate(got, size)) {
    process_arenas.uncarve(got, size);
    return nullptr;
  }
  *zero = true;
  *commit = true;
  return got;
}

bool decommit(extent_hooks_t*, void* address, std::size_t, std::size_t offset, std::size_t length,
              unsigned) {
  return !extent_policy.commit_early || !discard(part(address, offset), length);
}

bool commit(extent_hooks_t*, void* address, std::size_t, std::size_t offset, std::size_t length,
            unsigned) {
  return !populate(part(address, offset), length);
}

bool purge(extent_hooks_t*, void* address, std::size_t, std::size_t offset, std::size_t length,
           unsigned) {
  if (process_arenas.owner(address) != 0)
    return extent_policy.commit_early || !discard(part(address, offset), length);
  return madvise(part(address, offset), length, MADV_DONTNEED) != 0;
}

bool split(extent_hooks_t*, void*, std::size_t, std::size_t, std::size_t, bool, unsigned) {
  return false;
}

// Arenas may lie side by side, but no block may reach from one arena into the next.
bool merge(extent_hooks_t*, void* left, std::size_t, void* right, std::size_t, bool, unsigned) {
  return process_arenas.owner(left) != process_arenas.owner(right);
}

// There is no dalloc: jemalloc returns the pages, keeps the address range, and reuses it.
constinit extent_hooks_t hooks = {allocate, nullptr, nullptr, commit, decommit,
                                  nullptr,  purge,   split,   merge};

} // namespace

int take_extent_error(int otherwise) {
  const int error = std::exchange(extent_error, 0);
  return error != 0 ? error : otherwise;
}

void set_extent_policy(const ExtentPolicy& policy) {
  extent_policy = policy;
}
extent_hooks_t* shareable_extent_hooks() {
  return &hooks;
}

} // namespace datum::memory
