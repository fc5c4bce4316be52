/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* The header alone, as C99. */
#include <datum/memory.h>

int main(void) {
  struct datum_memory_backing backing;
  void* block = datum_memory_alloc(1);
  int found = datum_memory_lookup(block, 1, &backing);
  datum_memory_free(block);
  return found;
}
