// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// first.c: opens the adapter that is always there, asks it one question and closes it. README.md
// and docs/guide/first-steps.md print the program.
// guide: program
#include <dat/udat.h>
#include <stdio.h>

int main(void) {
  DAT_EVD_HANDLE async_evd = DAT_HANDLE_NULL;
  DAT_IA_HANDLE ia;
  DAT_IA_ATTR attributes;
  if (dat_ia_open("datum", 8, &async_evd, &ia) != DAT_SUCCESS) return 1;
  if (dat_ia_query(ia, &async_evd, DAT_IA_FIELD_ALL, &attributes, 0, NULL) != DAT_SUCCESS) return 1;
  printf("%s: messages up to %llu bytes\n", attributes.adapter_name,
         (unsigned long long)attributes.max_message_size);
  return dat_ia_close(ia, DAT_CLOSE_ABRUPT_FLAG) == DAT_SUCCESS ? 0 : 1;
}
// guide: end
