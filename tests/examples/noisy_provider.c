// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A library that is no provider, and as talkative as libdapl while it is loaded.
#include <stdio.h>
#include <stdlib.h>

__attribute__((constructor)) static void talk(void) {
  const char* const level = getenv("DAPL_DBG_TYPE");
  if (level == NULL || atoi(level) != 0) fputs("noise of a provider\n", stderr);
}
