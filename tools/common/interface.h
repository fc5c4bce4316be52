// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// common/interface.h: whether Datum can use a network interface or an address.
#pragma once

#include <sys/socket.h>

#include <string>

namespace datum::tools {

// "there is no interface eth7 here", "eth7 is down", "eth7 has no IP address", "no interface here
// has the address 192.0.2.1". Empty: Datum can use the place, or this host does not tell. An empty
// place stands for any interface.
std::string why_unusable(const std::string& place);

// True: processes of this host can listen at that address.
bool is_of_this_host(const sockaddr_storage& address);

} // namespace datum::tools
