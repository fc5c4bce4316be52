// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// facade/v2/counter_names.h: what DAT 2.0's counters are called, for dat_ib_print_counters.
#pragma once

#include <span>
#include <string_view>

#include "core/object/object.h"

namespace datum {

// The name at a counter's number; nothing for objects without counters.
std::span<const std::string_view> counter_names(ObjectKind kind);

} // namespace datum
