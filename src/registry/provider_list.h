// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// registry/provider_list.h: filling the list of dat_registry_list_providers.
// Lives here: how long the list has to be in strict mode and by default; the message about a list
//             that is too short.
// Not here:   which IAs are listed (static_registry.h).
// Threads:    any.
#pragma once

#include <atomic>
#include <vector>

#include "base/leniency.h"
#include "registry/api.h"
#include "registry/key.h"

namespace datum::registry {

class ProviderList {
 public:
  // The last three arguments are those of dat_registry_list_providers().
  DAT_RETURN fill(const std::vector<Key>& keys, DAT_COUNT max, DAT_COUNT* number,
                  DAT_PROVIDER_INFO* infos[]);

  // How often a list was filled although it was too short.
  std::uint64_t cut_short() const { return lenient_.uses(Leniency::ShortProviderList); }

 private:
  bool permit_short(Leniencies& leniencies, DAT_COUNT all, DAT_COUNT max);

  // DATUM_STRICT is read at each call.
  Leniencies strict_{true};
  Leniencies lenient_{false};
  std::atomic<bool> told_{false}; // programs repeat the call, and one log line is enough
};

} // namespace datum::registry
