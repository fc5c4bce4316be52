/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
 * The smallest user of the allocator: a block of it is shareable, and free again.
 */
#include <stdio.h>

#include <datum/memory.h>

int main(void) {
  struct datum_memory_backing backing;
  void* block = datum_memory_alloc(4096);
  if (block == NULL || datum_memory_lookup(block, 4096, &backing) != 0) {
    perror("memory consumer");
    return 1;
  }
  datum_memory_free(block);
  return 0;
}
