// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// common/failed_connect.h: the error text for a failed connect: the peer, the possible paths, the
// cause and advice.
#pragma once

#include <string>

#include "common/address.h"
#include "common/dat_objects.h"

namespace datum::tools {

// The paths that a connect of this IA to this address may take, in the provider's words. Empty: the
// provider does not tell.
struct Ways {
  std::string names;  // "shared memory where the listener offers it, else TCP"; "none..."
  std::string reason; // "DATUM_TRANSPORT=auto"
};
Ways ways_to(DAT_IA_HANDLE ia, const Address& address);

// For a dat_ep_connect() that itself returned `ret`, a failure. peer: "HOST port N".
std::string refused_connect(DAT_RETURN ret, const std::string& peer, const Address& address);

// number: the event of the failed connect. peer: "HOST port N".
std::string failed_connect(DAT_EVENT_NUMBER number, const std::string& peer, const Address& address,
                           const Ways& ways);

} // namespace datum::tools
