// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// facade/named_attributes.h: arrays of names and values that stay valid after a query has returned
// them. A consumer may keep an array, and pass it to another call, after the EP that it describes
// was freed. So the process keeps each set once, and never changes it. There are few different
// sets. The set of an EP has its path, the reason for the path and its two Read limits, which
// cannot exceed those of the IA. The set of an IA depends only on the name and the address of the
// IA.
// Threads:    any. No other lock is taken while the lock of this file is held.
#pragma once

#include <span>

#include "core/port/types.h"

namespace datum {

// The layout of DAT_NAMED_ATTR.
struct NamedAttribute {
  const char* name = nullptr;
  const char* value = nullptr;
};

// Pointers into `attributes`, valid as long as `attributes` lives.
std::vector<NamedAttribute> pointers_into(const NamedAttributes& attributes);

// A copy of the names and values that stays valid for ever.
std::span<const NamedAttribute> keep_for_good(const NamedAttributes& attributes);

} // namespace datum
