// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "info/interface.h"

#include <ifaddrs.h>
#include <net/if.h>
#include <sys/socket.h>

#include <memory>

#include <fmt/format.h>

namespace datum::info {

std::string why_unusable(const std::string& interface) {
  ifaddrs* first = nullptr;
  if (getifaddrs(&first) != 0) return {};
  const std::unique_ptr<ifaddrs, decltype(&freeifaddrs)> list(first, &freeifaddrs);
  bool there = false, up = false;
  for (const ifaddrs* each = first; each != nullptr; each = each->ifa_next) {
    if (!interface.empty() && interface != each->ifa_name) continue;
    there = true;
    if ((each->ifa_flags & IFF_UP) == 0) continue;
    up = true;
    const int family = each->ifa_addr == nullptr ? AF_UNSPEC : each->ifa_addr->sa_family;
    if (family == AF_INET || family == AF_INET6) return {};
  }
  if (interface.empty()) return "no interface here is up and has an IP address";
  if (!there) return fmt::format("there is no interface {} here", interface);
  return fmt::format("{} {}", interface, up ? "has no IP address" : "is down");
}

} // namespace datum::info
