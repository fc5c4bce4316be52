// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// facade/named_attributes.h: arrays of names and values that a query hands out for good.
// A consumer may keep an array, and pass it to another call, after the EP that it describes was
// freed. So the process keeps each set once, and never changes it. There are few different sets:
// that of an EP is its path, the reason for it and its two Read limits, which the limits of the IA
// bound; that of an IA depends only on its name and address.
// Threads:    any; its lock is the last that is taken.
#pragma once

#include <span>

#include "core/port/types.h"

namespace datum {

// The layout of DAT_NAMED_ATTR.
struct NamedAttribute {
  const char* name = nullptr;
  const char* value = nullptr;
};

// The pointers into `attributes`, valid as long as it lives.
std::vector<NamedAttribute> pointers_into(const NamedAttributes& attributes);

// A copy of the names and values that stays valid for ever.
std::span<const NamedAttribute> keep_for_good(const NamedAttributes& attributes);

} // namespace datum
