// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/net/refusal.h: a kernel that gives us no namespaces.
// Lives here: finding out, and saying what helps.
// Not here:   making the namespaces that are kept (namespace.h).
#pragma once

#include <string>

namespace datum::net {

// The error of a user namespace with a network namespace in it; 0 where the kernel gives both, or
// the latter alone, as it does to root inside a chroot. Nothing is kept of them.
int refusal();

// What was refused, why it is needed, and what to do about this error.
std::string explain_refusal(int error);
// What ctest takes for a skipped test.
std::string skip_line(int error);

} // namespace datum::net
