// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// datadm/actions.h: the actions of datadm, in this order: add, remove, update, show.
#pragma once

#include <string>
#include <vector>

#include "datadm/adapters.h"

namespace datum::datadm {

struct Actions {
  std::string file;                // dat.conf
  std::vector<std::string> add;    // service_provider.conf files
  std::vector<std::string> remove; // the same
  bool update = false;
  bool view = false;
};

// Reports the changes on stderr. If it throws ToolError, dat.conf is unchanged.
void carry_out(const Actions& actions, const Adapters& adapters);

} // namespace datum::datadm
