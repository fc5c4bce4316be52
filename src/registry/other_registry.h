// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// registry/other_registry.h: a call of one DAT version that reached the registry of the other.
// Both registries export the same names, so the linker gives all calls of a program to the first.
// Lives here: the message about it.
// Threads:    any.
#pragma once

#include "registry/key.h"

namespace datum::registry {

// A request for a major version that this library does not serve.
void tell_other_version(const Key& request);

} // namespace datum::registry
