/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
 * tests/registry/both/part.c: a part of a program that was written for one DAT version, compiled as
 * C and as C++. DAT_PART: that version. */
#if DAT_PART == 1
#include <dat/udat.h>
#else
#include <dat2/udat.h>
#endif

#include "part.h"

unsigned PART(void) {
  char name[] = "datum";
  DAT_EVD_HANDLE evd = DAT_HANDLE_NULL;
  DAT_IA_HANDLE ia = DAT_HANDLE_NULL;
  const DAT_RETURN ret = dat_ia_open(name, 8, &evd, &ia);
  if (ret == DAT_SUCCESS) dat_ia_close(ia, DAT_CLOSE_ABRUPT_FLAG);
  return ret;
}
