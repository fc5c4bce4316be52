// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Linked with libdatum.so.1 and run with libdatum-malloc.so preloaded. Blocks of malloc, of new and
// of datum_memory_alloc must all be found by the one lookup function that a transport gets from
// dlsym.
#include <datum/memory.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <memory>

namespace {

using Lookup = int (*)(const void*, std::size_t, datum_memory_backing*);

bool found(Lookup lookup, const void* block, const char* what) {
  datum_memory_backing backing{};
  const int error = lookup(block, 1000, &backing);
  if (error != 0) std::printf("%s: not found: %s\n", what, std::strerror(error));
  return error == 0;
}

} // namespace

int main() {
  void* symbol = dlsym(RTLD_DEFAULT, "datum_memory_lookup");
  if (symbol == nullptr) return 2;
  const auto lookup = reinterpret_cast<Lookup>(symbol);
  void* plain = std::malloc(1000);
  void* zeroed = std::calloc(10, 100);
  void* large = std::malloc(std::size_t{20} << 20);
  const auto object = std::make_unique<char[]>(1000);
  void* ours = datum_memory_alloc(1000);
  const bool right = found(lookup, plain, "malloc") && found(lookup, zeroed, "calloc") &&
                     found(lookup, large, "large malloc") && found(lookup, object.get(), "new") &&
                     found(lookup, ours, "datum_memory_alloc");
  std::free(plain);
  std::free(zeroed);
  std::free(large);
  datum_memory_free(ours);
  return right ? 0 : 1;
}
