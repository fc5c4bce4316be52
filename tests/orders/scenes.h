// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/orders/scenes.h: the scenes. Each plays a small piece of the product with a few threads.
// Lives here: the list of scenes. If a scene has few executions, all of them are tried.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "explorer.h"

namespace datum::test {

enum class Effort : std::uint8_t {
  All,   // tries every execution
  Long,  // the same only with `long`, since it takes a while; by default some seeds
  Seeds, // tries some seeds
};

struct NamedScene {
  const char* name;
  std::function<std::unique_ptr<Scene>()> make;
  Search search;
  Effort effort = Effort::All;
  std::uint64_t seeds = 300; // the number of seeds, if not every execution is tried
};

std::vector<NamedScene> ring_scenes();
std::vector<NamedScene> lock_scenes();
std::vector<NamedScene> link_scenes();
std::vector<NamedScene> region_scenes();
std::vector<NamedScene> waiting_scenes();
std::vector<NamedScene> copy_scenes();

// Sets which thread the product sees as the current thread outside of a scene
// (base/biased_mutex.h).
void be_thread(std::size_t number);

} // namespace datum::test
