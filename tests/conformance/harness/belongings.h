// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// harness/belongings.h: what this process has, as the kernel counts it: for tests of what is left
// behind.
#pragma once

#include <cstddef>

namespace datum::test {

std::ptrdiff_t descriptors_in_use();
// Without those that have been joined: the kernel lists them a moment longer.
std::ptrdiff_t threads_alive();

} // namespace datum::test
