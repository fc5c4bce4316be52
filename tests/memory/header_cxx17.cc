// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The header alone, as C++17.
#include <datum/memory.h>

int main() {
  datum_memory_backing backing{};
  void* block = datum_memory_alloc(1);
  const int found = datum_memory_lookup(block, 1, &backing);
  datum_memory_free(block);
  return found;
}
