// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// common/memory_fd.h: a file in memory (memfd_create(2)).
#pragma once

#include <sys/mman.h>

#include <cerrno>

#include "base/unique_fd.h"

namespace datum::tools {

// The file cannot be executed, and its size can be sealed. With vm.memfd_noexec=2 the kernel
// demands MFD_NOEXEC_SEAL. A kernel before Linux 6.3 does not know this flag. False: errno says
// why.
inline UniqueFd make_memory_fd(const char* name) {
  constexpr unsigned kNoexecSeal = 8; // MFD_NOEXEC_SEAL, younger than the C library's headers
  UniqueFd fd(memfd_create(name, MFD_CLOEXEC | kNoexecSeal));
  if (!fd && errno == EINVAL) fd = UniqueFd(memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING));
  return fd;
}

} // namespace datum::tools
