// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// common/ia_obstacle.h: why an interface adapter does not open, and advice.
// Lives here: searching this host for a cause that the return code of dat_ia_open() does not tell.
#pragma once

#include <string>

#include "common/dat.h"
#include "common/ia_origin.h"

namespace datum::tools {

// The cause for which an adapter does not open.
enum class Obstacle {
  None,
  // The adapter's name begins with the relaxed-ordering prefix, which dat_ia_open() takes off.
  Name,
  Unknown, // no adapter has this name
  Version, // the adapters with this name are for other DAT versions or thread safety
  Library, // the library cannot be loaded, or registers no such adapter
  // The network interface is missing, down or without an address, or no interface has the address.
  Interface,
  Other,
};

struct Refusal {
  Obstacle obstacle = Obstacle::None;
  std::string text; // "dat_ia_open(mine): DAT_...: DAT_...: there is no interface eth7 here"
};
// ret: the error of dat_ia_open() for `ia`.
Refusal why_refused(DAT_RETURN ret, const std::string& ia, const IaOrigin& origin);
std::string step_for(Obstacle obstacle, const IaOrigin& origin);

// The text and the advice for a tool whose user asked for the IA `name`.
std::string explain_open(DAT_RETURN ret, const std::string& name);

} // namespace datum::tools
