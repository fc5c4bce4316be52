// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/old_kernel/calls.h: which system calls a version of Linux brought, and which arguments of
// older system calls.
// Lives here: one table, in the order of the versions that brought something.
// Not here:   what a filter cannot take away: changed effects of arguments that older kernels take
//             as well (docs/platforms.md names those that concern us).
#pragma once

#include <cstdint>
#include <span>

namespace datum::old_kernel {

struct Version {
  std::uint32_t major = 0, minor = 0;
  auto operator<=>(const Version&) const = default;
};

// The bits of an argument's lower half that `mask` selects must be from `low` to `high`.
struct Argument {
  std::uint32_t index = 0;
  std::uint32_t mask = 0;
  std::uint32_t low = 0;
  std::uint32_t high = 0;
};

struct Younger {
  Version since;
  std::uint32_t call = 0;
  std::uint32_t arguments = 0; // how many of the two arguments count; 0: the whole call is younger
  Argument first, second;
  int error = 0; // the error that an older kernel returns
};

std::span<const Younger> younger_arguments();

// The number of the first call that this version does not have. It has no later call, either. From
// 424 on, numbers are the same on every processor.
std::uint32_t first_unknown_call(Version version);

} // namespace datum::old_kernel
