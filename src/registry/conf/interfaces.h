// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// registry/conf/interfaces.h: the network interfaces of this host, and the IAs that Datum offers
// for them. The registry's built-in entries and datadm use these functions.
#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

namespace datum::conf {

// The names of the interfaces that have an IPv4 or IPv6 address, each once; or why they cannot be
// listed.
tl::expected<std::vector<std::string>, std::string> interfaces_with_address();

// The IA that stands for every address of the host.
inline constexpr std::string_view kAllAddressesName = "datum";

// "datum" (every address of the host), and "datum-<netdev>" for each of these interfaces.
std::vector<std::string> datum_ia_names(const std::vector<std::string>& interfaces);

} // namespace datum::conf
