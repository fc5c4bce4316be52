// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// common/address.h: converts host names to socket addresses, which DAT calls IA addresses.
#pragma once

#include <string>

#include <sys/socket.h>

#include "common/dat.h"

namespace datum::tools {

struct Address {
  sockaddr_storage storage = {};
  [[nodiscard]] DAT_IA_ADDRESS_PTR dat() { return reinterpret_cast<DAT_IA_ADDRESS_PTR>(&storage); }
};

// host: a name, an IPv4 address, or an IPv6 address with or without brackets. Throws
// ToolError(Usage) with the host and the cause, also if the host has no address of `family`.
Address resolve(const std::string& host, int family = AF_UNSPEC);

// "192.0.2.1" or "2001:db8::1"; "?" for any other family.
std::string address_text(const sockaddr* address);

} // namespace datum::tools
