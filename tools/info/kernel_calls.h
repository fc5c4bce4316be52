// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// info/kernel_calls.h: system calls that Datum uses if the kernel has them, and the consequences if
// it does not.
#pragma once

#include <vector>

namespace datum::info {

struct KernelCall {
  const char* name;
  const char* since;   // the first version of Linux that has it
  const char* instead; // the consequence of its absence
};

// The calls that this kernel, or a filter of system calls, refuses to this process.
std::vector<KernelCall> missing_kernel_calls();

} // namespace datum::info
