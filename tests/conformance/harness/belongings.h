// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// harness/belongings.h: the descriptors and threads that this process has, as the kernel counts
// them. Tests use it to find what a call has left behind.
#pragma once

#include <cstddef>

namespace datum::test {

std::ptrdiff_t descriptors_in_use();
// Leaves out threads that are exiting: the kernel lists a joined thread for a moment longer.
std::ptrdiff_t threads_alive();

} // namespace datum::test
