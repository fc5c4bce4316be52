// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "no_memory.h"

#include <cstdlib>
#include <new>

// The operators of ThreadSanitizer cannot be replaced one by one. not-sanitized.txt leaves out the
// tests that need this file.
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define DATUM_KEEPS_OPERATOR_NEW
#endif
#endif

#ifndef DATUM_KEEPS_OPERATOR_NEW
void* operator new(std::size_t size) {
  void* memory = datum::iwarp::test::NoMemory::fails() ? nullptr : std::malloc(size);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return datum::iwarp::test::NoMemory::fails() ? nullptr : std::malloc(size);
}

void operator delete(void* memory) noexcept {
  std::free(memory);
}

void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
#endif
