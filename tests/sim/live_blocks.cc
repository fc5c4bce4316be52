// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "live_blocks.h"

#ifdef DATUM_SANITIZED

std::int64_t datum::test::live_blocks() {
  return 0;
}

#else

#include <cstdlib>
#include <new>

namespace {

std::int64_t blocks = 0; // the search has one thread

void* counted(void* memory) {
  if (memory == nullptr) throw std::bad_alloc();
  ++blocks;
  return memory;
}

void give_back(void* memory) {
  if (memory == nullptr) return;
  --blocks;
  std::free(memory);
}

} // namespace

std::int64_t datum::test::live_blocks() {
  return blocks;
}

void* operator new(std::size_t size) {
  return counted(std::malloc(size));
}

void* operator new(std::size_t size, std::align_val_t alignment) {
  const auto to = static_cast<std::size_t>(alignment);
  return counted(std::aligned_alloc(to, (size + to - 1) / to * to));
}

void operator delete(void* memory) noexcept {
  give_back(memory);
}

void operator delete(void* memory, std::size_t) noexcept {
  give_back(memory);
}

void operator delete(void* memory, std::align_val_t) noexcept {
  give_back(memory);
}

void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
  give_back(memory);
}

#endif
