// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Run with libdatum-malloc.so preloaded while no arena can be made. Memory is private then. malloc
// must go on, and datum_memory_lookup must report that no peer can map the memory.
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>

int main() {
  for (std::size_t size = 1; size < (std::size_t{200} << 20); size *= 3) {
    void* block = std::malloc(size);
    if (block == nullptr) return 1;
    std::memset(block, 1, size);
    void* larger = std::realloc(block, size * 2);
    if (larger == nullptr) {
      std::free(block);
      return 2;
    }
    std::free(larger);
  }
  using Lookup = int (*)(const void*, std::size_t, void*);
  const auto lookup = reinterpret_cast<Lookup>(dlsym(RTLD_DEFAULT, "datum_memory_lookup"));
  if (lookup == nullptr) return 3;
  void* block = std::malloc(100);
  alignas(16) std::byte backing[64];
  const int answer = lookup(block, 100, backing);
  std::free(block);
  return answer != 0 ? 0 : 4;
}
