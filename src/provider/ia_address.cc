// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "provider/ia_address.h"

#include <arpa/inet.h>
#include <cerrno>
#include <cstring>
#include <netinet/in.h>
#include <string>

#include "base/host_interfaces.h"

namespace datum {
namespace {

// Of several addresses, find_ia_address() takes the address with the smallest rank.
enum class Rank : std::uint8_t { GlobalV4, GlobalV6, LinkLocalV6, Loopback, Useless };

template <class T>
Address image(T socket_address) {
  Address address;
  std::memcpy(address.bytes, &socket_address, sizeof socket_address);
  return address;
}

Rank rank(const InterfaceAddress& of) {
  // All loopback addresses have the same rank. IPv4 addresses are listed first, so with IPv4 the
  // address 127.0.0.1 stands for the loopback interface.
  if (of.address.ss_family == AF_INET) return of.is_loopback ? Rank::Loopback : Rank::GlobalV4;
  if (of.is_loopback) return Rank::Loopback;
  sockaddr_in6 v6;
  std::memcpy(&v6, &of.address, sizeof v6);
  return IN6_IS_ADDR_LINKLOCAL(&v6.sin6_addr) ? Rank::LinkLocalV6 : Rank::GlobalV6;
}

Address image_of(const sockaddr_storage& given) {
  Address address;
  std::memcpy(address.bytes, &given,
              given.ss_family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6));
  return address;
}

// The best address of one interface, or of all interfaces if `interface` is empty.
std::optional<Address> best_address(const std::string& interface) {
  const auto all = interface_addresses();
  errno = all ? 0 : all.error();
  if (!all) return std::nullopt;
  std::optional<Address> best;
  Rank best_rank = Rank::Useless;
  for (const InterfaceAddress& each : *all) {
    if (!each.is_up || (!interface.empty() && interface != each.interface)) continue;
    const Rank found = rank(each);
    if (found >= best_rank) continue;
    // A link-local address without its interface names no host.
    if (interface.empty() && found == Rank::LinkLocalV6) continue;
    best_rank = found;
    best = image_of(each.address);
  }
  errno = 0;
  return best;
}

std::optional<Address> parse(const std::string& text) {
  sockaddr_in v4{};
  v4.sin_family = AF_INET;
  if (::inet_pton(AF_INET, text.c_str(), &v4.sin_addr) == 1) return image(v4);
  sockaddr_in6 v6{};
  v6.sin6_family = AF_INET6;
  if (::inet_pton(AF_INET6, text.c_str(), &v6.sin6_addr) == 1) return image(v6);
  return std::nullopt;
}

std::string first_word(std::string_view text) {
  const std::size_t start = text.find_first_not_of(" \t");
  if (start == std::string_view::npos) return {};
  const std::size_t end = text.find_first_of(" \t", start);
  return std::string(text.substr(start, end == std::string_view::npos ? end : end - start));
}

} // namespace

std::optional<IaAddress> find_ia_address(std::string_view ia_name, std::string_view instance_data) {
  constexpr std::string_view kPrefix = "datum-";
  std::string place = first_word(instance_data);
  if (place.empty() && ia_name.substr(0, kPrefix.size()) == kPrefix)
    place = ia_name.substr(kPrefix.size());
  if (const std::optional<Address> literal = parse(place)) return IaAddress{*literal, false, true};
  if (const std::optional<Address> found = best_address(place))
    return IaAddress{*found, place.empty(), false};
  // A host without a network has an address, too, by which its processes reach each other.
  if (place.empty() && errno == 0) return IaAddress{*parse("127.0.0.1"), true, false};
  return std::nullopt;
}

} // namespace datum
