// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// registry/other_registry.h: a call of one DAT version that reached the registry of the other
// version. Both registries export the same names, so in a program that links both the linker binds
// all calls to the first.
// Lives here: the log message about such a call.
// Threads:    any.
#pragma once

#include "registry/key.h"

namespace datum::registry {

// Logs a request for a major version that this library does not serve.
void tell_other_version(const Key& request);

} // namespace datum::registry
