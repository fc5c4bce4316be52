// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "base/registry_uses.h"

#include <atomic>

namespace datum {
namespace {

std::atomic<std::uint64_t> short_provider_lists{0};

} // namespace

std::uint64_t registry_uses(Leniency leniency) {
  return leniency == Leniency::ShortProviderList
             ? short_provider_lists.load(std::memory_order_relaxed)
             : 0;
}

void set_short_provider_lists(std::uint64_t uses) {
  // Threads of the registry may report their counts in another order than they counted. So a lower
  // count changes nothing.
  std::uint64_t known = short_provider_lists.load(std::memory_order_relaxed);
  while (known < uses &&
         !short_provider_lists.compare_exchange_weak(known, uses, std::memory_order_relaxed)) {
  }
}

} // namespace datum
