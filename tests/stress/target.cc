// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "target.h"

#include <cstring>
#include <netdb.h>
#include <netinet/in.h>
#include <sstream>

namespace datum::stress {

void Target::set_address(const DAT_SOCK_ADDR* address) {
  std::memcpy(&address_, address,
              address->sa_family == AF_INET6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in));
}

std::string Target::text() const {
  char host[NI_MAXHOST];
  if (::getnameinfo(reinterpret_cast<const sockaddr*>(&address_), sizeof address_, host,
                    sizeof host, nullptr, 0, NI_NUMERICHOST) != 0)
    return {};
  return std::string(host) + " " + std::to_string(qualifier);
}

bool Target::parse(const std::string& text, Target& target) {
  std::istringstream words(text);
  std::string host;
  if (!(words >> host >> target.qualifier)) return false;
  addrinfo hints{};
  hints.ai_flags = AI_NUMERICHOST;
  addrinfo* found = nullptr;
  if (::getaddrinfo(host.c_str(), nullptr, &hints, &found) != 0) return false;
  std::memcpy(&target.address_, found->ai_addr, found->ai_addrlen);
  ::freeaddrinfo(found);
  return true;
}

} // namespace datum::stress
