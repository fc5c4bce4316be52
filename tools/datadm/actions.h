// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// datadm/actions.h: what datadm does, in its order: add, remove, update, show.
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

// Says on stderr what changed. Throws ToolError; then dat.conf is as it was.
void carry_out(const Actions& actions, const Adapters& adapters);

} // namespace datum::datadm
