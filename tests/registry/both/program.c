/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
 * tests/registry/both/program.c: runs its parts and writes a line "1.2 0x00000000" for each. */
#include <stdio.h>

#include "part.h"

int main(void) {
#ifdef HAS_DAT1
  printf("1.2 0x%08x\n", part_of_dat1());
#endif
#ifdef HAS_DAT2
  printf("2.0 0x%08x\n", part_of_dat2());
#endif
  return 0;
}
