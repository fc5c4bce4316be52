// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// transport/sim/sim_options.h: the network of a simulated world.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/time.h"

namespace datum {

struct SimOptions {
  std::uint64_t seed = 1;
  bool direct = false; // adapters have direct access to each other's memory
  bool share = false;  // all connections of two adapters share one link
  bool wire = true;    // records take time; false: both sides see the same memory at once
  Duration shortest_delay = kMicrosecond;
  Duration longest_delay = 50 * kMicrosecond;
};

// "seed=7 direct=1 share=0 wire=1 delay_us=1-50", each part is optional. Empty: a part is unknown,
// and the log names it.
std::optional<SimOptions> parse_sim_options(std::string_view text);

} // namespace datum
