// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// common/failed_connect.h: what a tool says of a failed connect: which peer was asked, over which
// way, why it failed and what to do.
#pragma once

#include <string>

#include "common/address.h"
#include "common/dat_objects.h"

namespace datum::tools {

// Which ways a connect of this IA to that address may take, in its provider's words. Empty: it does
// not tell.
struct Ways {
  std::string names;  // "shared memory where the listener offers it, else TCP"; "none..."
  std::string reason; // "DATUM_TRANSPORT=auto"
};
Ways ways_to(DAT_IA_HANDLE ia, const Address& address);

// number: the event that ended it. peer: "HOST port N".
std::string failed_connect(DAT_EVENT_NUMBER number, const std::string& peer, const Address& address,
                           const Ways& ways);

} // namespace datum::tools
