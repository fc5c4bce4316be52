// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// info/check_environment.h: faults of the environment: Datum's variables, and the names in
// DATUM_ALIAS. Pure.
// Not here:   whether the IA of an alias opens (check.h).
#pragma once

#include <string>
#include <vector>

#include "info/check.h"

namespace datum::info {

void judge_environment(const Facts& facts, std::vector<Finding>& out);

// The advice for a name in DATUM_ALIAS that leads to no adapter.
std::string step_for_alias(const std::string& name);

} // namespace datum::info
