// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/net/refusal.h: whether the kernel refuses namespaces.
// Lives here: finding that out, and the text that explains a refusal.
// Not here:   making the namespaces that the tests use (namespace.h).
#pragma once

#include <string>

namespace datum::net {

// 0: the kernel gives a user namespace with a network namespace in it, or, as to root inside a
// chroot, a network namespace alone. Otherwise the kernel's error. The namespaces that this call
// makes end with it.
int refusal();

// Explains what was refused, why the tests need it, and what helps against this error.
std::string explain_refusal(int error);
// The line by which ctest recognises a skipped test.
std::string skip_line(int error);

} // namespace datum::net
