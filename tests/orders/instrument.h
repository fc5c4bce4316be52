// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/orders/instrument.h: the accesses of the product that have a memory order, and mutants that
// weaken such an order.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <vector>

#include "weak_memory.h"

namespace datum::test {

enum class Access : std::uint8_t { Load, Store, Update, Fence, LightFence, HeavyFence };

// An access in instrumented code. `address` is the return address of the instrumented call. A heavy
// fence has one site for each call that led to it.
struct Site {
  const void* address = nullptr;
  Access access = Access::Load;
  Order order = Order::Relaxed;
  auto operator<=>(const Site&) const = default;
};

// An access whose order is changed to `order`. With Relaxed, a fence is left out.
struct Mutant {
  const void* site = nullptr;
  Access access = Access::Load;
  Order order = Order::Relaxed;
};
void set_mutants(std::vector<Mutant> chosen);
// From now on counts in `into` how often scenes execute each site. nullptr ends the counting.
void note_sites(std::map<Site, std::uint64_t>* into);
// Empties the call stacks of all threads.
void begin_stacks();
// Called before the product asks the kernel for a heavy fence. False if a mutant leaves it out.
bool heavy_fence_called();

} // namespace datum::test
