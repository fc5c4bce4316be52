// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "registry/conf/interfaces.h"

#include <cstring>
#include <set>
#include <string_view>

#include "base/host_interfaces.h"

namespace datum::conf {

tl::expected<std::vector<std::string>, std::string> interfaces_with_address() {
  const auto addresses = interface_addresses();
  if (!addresses)
    return tl::unexpected(std::string("cannot list the network interfaces: ") +
                          std::strerror(addresses.error()));
  std::vector<std::string> names;
  std::set<std::string_view> seen;
  for (const InterfaceAddress& each : *addresses)
    if (seen.insert(each.interface).second) names.push_back(each.interface);
  return names;
}

std::vector<std::string> datum_ia_names(const std::vector<std::string>& interfaces) {
  std::vector<std::string> names{std::string(kAllAddressesName)};
  for (const std::string& interface : interfaces) names.push_back("datum-" + interface);
  return names;
}

} // namespace datum::conf
