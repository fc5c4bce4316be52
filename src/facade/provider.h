// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// facade/provider.h: the protocol between registry and provider: tables that are registered under
// IA names.
// Lives here: one table for each registry key, and what calls on its handles return after fini.
// Threads:    the registry serialises init and fini.
#pragma once

#include "facade/version.h"

namespace datum {

struct Registration;

// Always registers `info`, because a registry that got no table for a key never asks again. A
// mistake in the IA's data is reported when the IA is opened.
void provider_init(const DAT_PROVIDER_INFO& info, const char* instance_data);
// Closes all IAs that are open under the key. Calls on their handles return INVALID_HANDLE
// afterwards.
void provider_fini(const DAT_PROVIDER_INFO& info);
// Finds an IA by its name alone; nullptr: none is registered.
const Registration* find_registration(const char* ia_name);

} // namespace datum
