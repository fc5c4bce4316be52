// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/cpu_features.h"

#if defined __aarch64__
#include <sys/auxv.h>
#endif

namespace datum {

bool cpu_has_crc32c() {
#if defined __x86_64__
  static const bool has = __builtin_cpu_supports("sse4.2") != 0;
  return has;
#elif defined __aarch64__
  static const bool has = (getauxval(AT_HWCAP) & HWCAP_CRC32) != 0;
  return has;
#else
  return false;
#endif
}

} // namespace datum
