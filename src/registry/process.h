// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// registry/process.h: the only registry of the process. It is global, because the dat_* calls have
// no argument for it. It is never destroyed, because threads may still make calls when the process
// ends.
#pragma once

#include "registry/handle_check.h"
#include "registry/ia_table.h"

namespace datum::registry {

class Registry;

// Ready before any constructor runs, for the hot path.
extern constinit HandleCheck process_handles;
extern constinit IaTable process_ias;

// Reads the environment and dat.conf at the first call.
Registry& process_registry();

} // namespace datum::registry
