// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "registry/conf/interfaces.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ifaddrs.h>
#include <memory>
#include <sys/socket.h>

namespace datum::conf {
namespace {

bool has_ip_address(const ifaddrs& interface) {
  return interface.ifa_addr != nullptr &&
         (interface.ifa_addr->sa_family == AF_INET || interface.ifa_addr->sa_family == AF_INET6);
}

} // namespace

tl::expected<std::vector<std::string>, std::string> interfaces_with_address() {
  ifaddrs* first = nullptr;
  if (::getifaddrs(&first) != 0)
    return tl::unexpected(std::string("cannot list the network interfaces: ") +
                          std::strerror(errno));
  const std::unique_ptr<ifaddrs, decltype(&::freeifaddrs)> list(first, &::freeifaddrs);
  std::vector<std::string> names;
  for (const ifaddrs* i = first; i != nullptr; i = i->ifa_next)
    if (has_ip_address(*i) && std::find(names.begin(), names.end(), i->ifa_name) == names.end())
      names.emplace_back(i->ifa_name);
  return names;
}

std::vector<std::string> datum_ia_names(const std::vector<std::string>& interfaces) {
  std::vector<std::string> names{"datum"};
  for (const std::string& interface : interfaces) names.push_back("datum-" + interface);
  return names;
}

} // namespace datum::conf
