// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A library that is no provider. When it is loaded, it prints as much as libdapl does.
#include <stdio.h>
#include <stdlib.h>

__attribute__((constructor)) static void talk(void) {
  const char* const level = getenv("DAPL_DBG_TYPE");
  if (level == NULL || atoi(level) != 0) fputs("noise of a provider\n", stderr);
}
