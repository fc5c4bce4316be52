// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "common/failed_connect.h"

#include <netinet/in.h>

#include <cstring>
#include <string_view>

#include <fmt/format.h>

#include "common/dat_error.h"
#include "common/dat_events.h"
#include "common/interface.h"

namespace datum::tools {
namespace {

std::string named(const DAT_IA_ATTR& attr, std::string_view name) {
  for (DAT_COUNT i = 0; attr.transport_attr != nullptr && i < attr.num_transport_attr; ++i)
    if (attr.transport_attr[i].name == name) return attr.transport_attr[i].value;
  return {};
}

// The peer as the user typed it, and its address if that is a name.
std::string with_address(const std::string& peer, const Address& address) {
  const std::string text = address_text(reinterpret_cast<const sockaddr*>(&address.storage));
  return peer.find(text) != std::string::npos ? peer : fmt::format("{} ({})", peer, text);
}

bool lacks_interface(const Address& address) {
  if (address.storage.ss_family != AF_INET6) return false;
  sockaddr_in6 v6;
  std::memcpy(&v6, &address.storage, sizeof v6);
  return IN6_IS_ADDR_LINKLOCAL(&v6.sin6_addr) && v6.sin6_scope_id == 0;
}

} // namespace

Ways ways_to(DAT_IA_HANDLE ia, const Address& address) {
  DAT_IA_ATTR attr = {};
  if (dat_ia_query(ia, nullptr, DAT_IA_FIELD_ALL, &attr, 0, nullptr) != DAT_SUCCESS) return {};
  return {named(attr, is_of_this_host(address.storage) ? "path.this_host" : "path.other_hosts"),
          named(attr, "path.reason")};
}

std::string refused_connect(DAT_RETURN ret, const std::string& peer, const Address& address) {
  constexpr std::string_view kCall = "dat_ep_connect";
  if (!is_type(ret, DAT_INVALID_ADDRESS) || !lacks_interface(address))
    return describe(ret, kCall, peer);
  return fmt::format("{}({}): {} (a link-local address needs its interface, as in fe80::1%eth0)",
                     kCall, peer, dat_text(ret));
}

std::string failed_connect(DAT_EVENT_NUMBER number, const std::string& peer, const Address& address,
                           const Ways& ways) {
  const std::string asked = with_address(peer, address);
  if (ways.names.starts_with("none"))
    return fmt::format("{}: no way leads there: {} ({}){} ({})", asked, ways.names, ways.reason,
                       ways.reason == "DATUM_TRANSPORT=shm"
                           ? "; DATUM_TRANSPORT=auto takes TCP to other hosts"
                           : "; dat-info --check says what the adapter lacks",
                       event_text(number));
  if (ways.names.empty()) return connection_failure(number, asked);
  return connection_failure(number,
                            fmt::format("{}, over {} ({})", asked, ways.names, ways.reason));
}

} // namespace datum::tools
