// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// info/kernel_calls.h: system calls that a kernel lacks or a filter refuses, and the consequences.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace datum::info {

// Why a call is missing, as far as its error and the kernel's version show it.
enum class Absence : std::uint8_t {
  Lacking,          // the kernel is older than the call
  Refused,          // a filter of system calls: a kernel has no such error for the call
  RefusedOrLacking, // a filter may imitate an old kernel; a kernel may be built without the call
};

struct KernelCall {
  const char* name;
  const char* since;   // the first version of Linux that has it
  const char* instead; // the consequence of its absence
  Absence absence = Absence::Lacking;
  int error = 0; // what the call fails with
};

// The calls that Datum can do without, and that this kernel lacks or a filter of system calls
// refuses to this process. release: the version of this kernel, as uname(2) reports it.
std::vector<KernelCall> missing_kernel_calls(const std::string& release);

struct RefusedCall {
  const char* name;
  const char* then; // the consequence, in the words of datum(7), SANDBOXES
  int error = 0;    // what the call fails with
};

// The calls that Datum needs, and that a filter of system calls refuses to this process.
std::vector<RefusedCall> refused_kernel_calls();

} // namespace datum::info
