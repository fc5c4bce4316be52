// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "shortage_calls.h"

#include <vector>

#include "shortage_tables.h"

namespace datum::test {

// The calls of all tables, one table after the other.
std::span<const ShortCall> short_calls() {
  static const auto calls = [] {
    std::vector<ShortCall> made;
    for (const auto table :
         {short_calls_of_adapters(), short_calls_of_events(), short_calls_of_memory(),
          short_calls_of_service_points(), short_calls_of_endpoints(), short_calls_of_transfers()})
      made.insert(made.end(), table.begin(), table.end());
    return made;
  }();
  return calls;
}

} // namespace datum::test
