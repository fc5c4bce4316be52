// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// facade/named_attributes.h: arrays of names and values that a query hands out for good.
// A consumer may keep them, and pass them on to another call, after the EP that they describe was
// freed. So each set is kept once in the process and never changes. There are few: what an EP says
// is a path, the reason for it and two numbers below the limits of the IA.
// Threads: any; its lock is the last that is taken.
#pragma once

#include <span>

#include "core/port/types.h"

namespace datum {

// The layout of DAT_NAMED_ATTR.
struct NamedAttribute {
  const char* name = nullptr;
  const char* value = nullptr;
};

// The pointers into `attributes`; good as long as it is.
std::vector<NamedAttribute> pointers_into(const NamedAttributes& attributes);

// The same names and values, good for ever.
std::span<const NamedAttribute> keep_for_good(const NamedAttributes& attributes);

} // namespace datum
