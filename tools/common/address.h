// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// common/address.h: host names to the socket addresses that DAT calls IA addresses.
#pragma once

#include <string>

#include <sys/socket.h>

#include "common/dat.h"

namespace datum::tools {

struct Address {
  sockaddr_storage storage = {};
  [[nodiscard]] DAT_IA_ADDRESS_PTR dat() { return reinterpret_cast<DAT_IA_ADDRESS_PTR>(&storage); }
};

// A name, an IPv4 address or an IPv6 address, the latter in brackets or without them, of this
// family. Throws ToolError(Usage) with the host and the cause.
Address resolve(const std::string& host, int family = AF_UNSPEC);

// "192.0.2.1" or "2001:db8::1"; "?" for a family we do not know.
std::string address_text(const sockaddr* address);

} // namespace datum::tools
