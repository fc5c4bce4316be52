// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// info/print.h: the results of dat-info as text and as JSON. Pure.
#pragma once

#include <string>
#include <vector>

#include "info/adapters.h"
#include "info/attributes.h"
#include "info/check.h"
#include "info/process.h"

namespace datum::info {

// foreign: shown in one line (take_foreign()).
std::string text_of(const std::vector<Adapter>& adapters, const std::vector<Adapter>& foreign);
std::string text_of(const Attributes& attributes);
std::string text_of(const std::vector<Finding>& findings);
std::string text_of(const ProcessView& view);

// attributes: those of this adapter, or nullptr to leave them out.
std::string json_of(const Adapter& adapter, const Attributes* attributes);
std::string json_of(const std::vector<Finding>& findings);
std::string json_of(const ProcessView& view);

} // namespace datum::info
