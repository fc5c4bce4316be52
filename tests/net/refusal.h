// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/net/refusal.h: a kernel that gives no namespaces.
// Lives here: finding out whether it does, and the text that explains it.
// Not here:   making the namespaces that are kept (namespace.h).
#pragma once

#include <string>

namespace datum::net {

// 0: the kernel gives a user namespace with a network namespace in it, or a network namespace
// alone, as to root inside a chroot. Else its error. The namespaces that this makes are given up
// again.
int refusal();

// A text: what was refused, why it is needed, and what helps against this error.
std::string explain_refusal(int error);
// The line by which ctest knows a skipped test.
std::string skip_line(int error);

} // namespace datum::net
