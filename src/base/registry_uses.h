// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// base/registry_uses.h: the leniencies that libdat has used, for the report of each IA.
// Lives here: the counts that libdat has reported (provider_hook.h). They belong to the process,
//             not to an IA.
// Not here:   the leniencies of an IA (leniency.h).
// Threads:    any.
#pragma once

#include <cstdint>

#include "base/leniency.h"

namespace datum {

// 0 for a leniency that the registry does not decide.
std::uint64_t registry_uses(Leniency leniency);
void set_short_provider_lists(std::uint64_t uses);

} // namespace datum
