// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "info/held_names.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>

#include "info/proc.h"
#include "transport/inet/named_sockets.h"

namespace datum::info {
namespace {

constexpr std::string_view kRendezvous = "datum/1/";

// Anybody chooses names; nothing else of one is ever shown.
bool is_address(const std::string& text) {
  in6_addr address = {};
  const std::string host = text.substr(0, text.find('%'));
  const bool plain = text.find_first_not_of("0123456789abcdef:.%") == std::string::npos;
  return plain && (inet_pton(AF_INET, host.c_str(), &address) == 1 ||
                   inet_pton(AF_INET6, host.c_str(), &address) == 1);
}

bool is_at(const TcpSocket& socket, const RendezvousName& name) {
  if (!socket.listening() || socket.local.port != name.port) return false;
  return name.host == "*" || socket.local.is_every_address() || socket.local.host == name.host;
}

} // namespace

std::optional<RendezvousName> parse_rendezvous(std::string_view name, uid_t holder) {
  const std::size_t slash = name.rfind('/');
  if (!name.starts_with(kRendezvous) || slash < kRendezvous.size()) return std::nullopt;
  RendezvousName parsed;
  parsed.host = name.substr(kRendezvous.size(), slash - kRendezvous.size());
  parsed.holder = holder;
  if (!to_number(name.substr(slash + 1), parsed.port)) return std::nullopt;
  if (parsed.host != "*" && !is_address(parsed.host)) return std::nullopt;
  return parsed;
}

std::vector<HeldName> held_by_others(const std::vector<RendezvousName>& names,
                                     const std::vector<TcpSocket>& tcp) {
  std::vector<HeldName> held;
  for (const RendezvousName& name : names) {
    const auto owner = std::find_if(tcp.begin(), tcp.end(),
                                    [&](const TcpSocket& each) { return is_at(each, name); });
    if (owner == tcp.end()) continue;
    const bool own = std::any_of(owner, tcp.end(), [&](const TcpSocket& each) {
      return is_at(each, name) && each.user == name.holder;
    });
    if (!own) held.push_back({name, owner->user});
  }
  return held;
}

std::vector<HeldName> find_held_names() {
  std::vector<RendezvousName> names;
  const auto told = look_through_names(Which::All, [&](const NamedSocket& socket) {
    if (socket.type != SOCK_SEQPACKET || socket.state == NamedSocket::State::IsConnected)
      return true;
    if (auto name = parse_rendezvous(socket.name, socket.user)) names.push_back(std::move(*name));
    return true;
  });
  if (!told || !*told || names.empty()) return {};
  std::vector<TcpSocket> tcp = parse_tcp_sockets(read_text("/proc/net/tcp"));
  for (TcpSocket& each : parse_tcp_sockets(read_text("/proc/net/tcp6")))
    tcp.push_back(std::move(each));
  return held_by_others(names, tcp);
}

} // namespace datum::info
