/* SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only */
/* tests/registry/no_provider.c: a library that loads but is no provider: fini is missing. */
#include <dat/dat_registry.h>

__attribute__((visibility("default"))) void dat_provider_init(const DAT_PROVIDER_INFO* info,
                                                              const char* instance_data) {
  (void)info;
  (void)instance_data;
}
