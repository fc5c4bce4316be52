// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/old_kernel/calls.h: which system calls, and which arguments of older ones, a version of
// Linux brought.
// Lives here: one table, in the order of the versions that brought something.
// Not here:   what a filter cannot take away: what a call does for arguments that older kernels
//             take as well (docs/platforms.md names what of that concerns us).
#pragma once

#include <cstdint>
#include <span>

namespace datum::old_kernel {

struct Version {
  std::uint32_t major = 0, minor = 0;
  auto operator<=>(const Version&) const = default;
};

// The bits of `mask` in the lower half of an argument, from `low` to `high`.
struct Argument {
  std::uint32_t index = 0;
  std::uint32_t mask = 0;
  std::uint32_t low = 0;
  std::uint32_t high = 0;
};

struct Younger {
  Version since;
  std::uint32_t call = 0;
  std::uint32_t arguments = 0; // how many of the two count; 0: the whole call
  Argument first, second;
  int error = 0; // what an older kernel says
};

std::span<const Younger> younger_arguments();

// The first number of a call that this version does not have. It has none of the later ones,
// either. From 424 on numbers are the same on every processor.
std::uint32_t first_unknown_call(Version version);

} // namespace datum::old_kernel
