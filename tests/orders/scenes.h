// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/orders/scenes.h: the scenes: small pieces of the product, each with a few threads.
// Lives here: the list of scenes. A scene whose executions end quickly is searched to the end.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "explorer.h"

namespace datum::test {

enum class Effort : std::uint8_t {
  All,   // every execution
  Long,  // every execution takes a while: by default some seeds
  Seeds, // seeds only
};

struct NamedScene {
  const char* name;
  std::function<std::unique_ptr<Scene>()> make;
  Search search;
  Effort effort = Effort::All;
  std::uint64_t seeds = 300; // if not every execution is tried
};

std::vector<NamedScene> ring_scenes();
std::vector<NamedScene> lock_scenes();
std::vector<NamedScene> link_scenes();
std::vector<NamedScene> region_scenes();
std::vector<NamedScene> waiting_scenes();
std::vector<NamedScene> copy_scenes();

// Sets the number of the thread that the product sees (base/biased_mutex.h).
void be_thread(std::size_t number);

} // namespace datum::test
