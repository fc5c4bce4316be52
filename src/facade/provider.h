// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// facade/provider.h: the provider protocol: tables registered under IA names.
// Lives here: one table for each registry key, and what its handles answer after fini.
// Threads:    the registry serialises init and fini.
#pragma once

#include "facade/version.h"

namespace datum {

struct Registration;

// Always registers `info`. A mistake in an IA is reported when the IA is opened, because a registry
// that got no table for a key never asks again.
void provider_init(const DAT_PROVIDER_INFO& info, const char* instance_data);
// Closes all IAs that are open under the key. Their handles answer INVALID_HANDLE from now on.
void provider_fini(const DAT_PROVIDER_INFO& info);
// Finds an IA by its name alone; nullptr: none is registered.
const Registration* find_registration(const char* ia_name);

} // namespace datum
