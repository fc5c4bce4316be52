// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/orders/explorer.h: plays a scene in every way that can make a difference, or by a seed.
// Lives here: the search (depth first, with sleep sets), what ends it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "machine.h"

namespace datum::test {

// A few threads of the product's code, and what must hold.
class Scene {
 public:
  virtual ~Scene() = default;
  // Before each execution: makes what the threads work on, shares it, adds the threads.
  virtual void begin(Machine& machine) = 0;
  // After it: nobody goes on any more. Calls machine.fail() if something is wrong.
  virtual void end(Machine& machine, bool finished) = 0;
};

struct Search {
  bool promises = false;        // loads may come after later stores
  std::uint64_t most = 3000000; // executions
};

struct Found {
  std::uint64_t executions = 0; // that ended
  std::uint64_t given_up = 0;   // that another one stands for, or that cannot be
  bool all = false;             // there are no others
  std::string failure;          // with its trace
};

// Until something is wrong, or nothing is left to try.
Found search_all(Scene& scene, const Search& search = {});
// One execution each, by chance.
Found search_seeds(Scene& scene, std::uint64_t first, std::uint64_t last,
                   const Search& search = {});

} // namespace datum::test
