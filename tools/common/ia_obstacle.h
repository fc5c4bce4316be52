// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// common/ia_obstacle.h: why an interface adapter does not open, and what to do about it.
// Lives here: a cause of ours where this host tells more than the code of dat_ia_open.
#pragma once

#include <string>

#include "common/dat.h"
#include "common/ia_origin.h"

namespace datum::tools {

// What keeps an adapter from being opened.
enum class Obstacle {
  None,
  Name,      // no program can ask for it
  Unknown,   // nothing has that name
  Version,   // what has that name is for other programs
  Library,   // it cannot be loaded, or registers no such adapter
  Interface, // of the network: not there, down, or without an address, or that address is not here
  Other,
};

struct Refusal {
  Obstacle obstacle = Obstacle::None;
  std::string text; // "dat_ia_open(mine): DAT_...: DAT_...: there is no interface eth7 here"
};
// dat_ia_open of the IA has failed so.
Refusal why_refused(DAT_RETURN ret, const std::string& ia, const IaOrigin& origin);
std::string step_for(Obstacle obstacle, const IaOrigin& origin);

// Both, for a tool that was to open what a user calls `name`.
std::string explain_open(DAT_RETURN ret, const std::string& name);

} // namespace datum::tools
