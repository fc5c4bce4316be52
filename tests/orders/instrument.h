// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/orders/instrument.h: the accesses of the product that have an order, and the effect of
// taking it away.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <vector>

#include "weak_memory.h"

namespace datum::test {

enum class Access : std::uint8_t { Load, Store, Update, Fence, LightFence, HeavyFence };

// An access in instrumented code: the address behind the call. For a heavy fence, that of each
// function that has called for it.
// that has called for it.
struct Site {
  const void* address = nullptr;
  Access access = Access::Load;
  Order order = Order::Relaxed;
  auto operator<=>(const Site&) const = default;
};

// An access with another order than its source gives it; Relaxed takes a fence away.
struct Mutant {
  const void* site = nullptr;
  Access access = Access::Load;
  Order order = Order::Relaxed;
};
void set_mutants(std::vector<Mutant> chosen);
// Counts the sites that scenes come by into `into`. nullptr: stops that.
void note_sites(std::map<Site, std::uint64_t>* into);
// Forgets the calls of all threads.
void begin_stacks();
// False: a mutant leaves out this heavy fence, for which the kernel would be asked.
bool heavy_fence_called();

} // namespace datum::test
