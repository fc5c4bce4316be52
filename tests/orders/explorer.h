// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/orders/explorer.h: plays a scene in every way that can make a difference, or under seeds.
// Lives here: the search (depth first, with sleep sets), and when it ends.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "machine.h"

namespace datum::test {

// A few threads that run the product's code, and a check of the outcome.
class Scene {
 public:
  virtual ~Scene() = default;
  // Called before each execution: makes the objects that the threads work on, shares them and adds
  // the threads.
  virtual void begin(Machine& machine) = 0;
  // Called after each execution, when no thread goes on any more. Calls machine.fail() if something
  // is wrong.
  virtual void end(Machine& machine, bool finished) = 0;
};

struct Search {
  bool promises = false;        // loads may be delayed past later stores
  std::uint64_t most = 3000000; // executions
};

struct Found {
  std::uint64_t executions = 0; // executions that ended
  std::uint64_t given_up = 0;   // executions that equal another one, or are impossible
  bool all = false;             // every execution was tried
  std::string failure;          // with its trace; empty if no execution failed
};

// Plays until an execution fails, or all executions were tried.
Found search_all(Scene& scene, const Search& search = {});
// Plays one execution for each seed, with random choices.
Found search_seeds(Scene& scene, std::uint64_t first, std::uint64_t last,
                   const Search& search = {});

} // namespace datum::test
