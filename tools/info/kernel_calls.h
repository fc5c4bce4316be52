// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// info/kernel_calls.h: system calls that Datum uses where the kernel has them, and what it does
// where it has not.
#pragma once

#include <vector>

namespace datum::info {

struct KernelCall {
  const char* name;
  const char* since;   // the version of Linux that brought it
  const char* instead; // what is different without it
};

// Those that this kernel, or a filter of system calls, refuses to this process.
std::vector<KernelCall> missing_kernel_calls();

} // namespace datum::info
