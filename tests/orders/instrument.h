// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/orders/instrument.h: which accesses of the product have an order, and what becomes of one
// if it is taken away.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <vector>

#include "weak_memory.h"

namespace datum::test {

enum class Access : std::uint8_t { Load, Store, Update, Fence, LightFence, HeavyFence };

// Where instrumented code makes it: the address behind the call. Of a heavy fence each function
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
// Counts what scenes come by; nullptr: no more.
void note_sites(std::map<Site, std::uint64_t>* into);
// No thread has called anything yet.
void begin_stacks();
// The kernel is asked to fence on every processor. False: a mutant does not.
bool heavy_fence_called();

} // namespace datum::test
