// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "info/held_names.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "info/proc.h"
#include "transport/host/named_sockets.h"
#include "transport/host/port_rules.h"
#include "transport/host/qualifier_claim.h"

namespace datum::info {
namespace {

static_assert(kRendezvousNames == "datum/1", "the family of a PortName by default");

constexpr std::string_view kMarkNames = "datum/m";

// True: the HOST part of a name looks like an address. Any process can bind any abstract name, so a
// rendezvous or claim with another HOST (except "*") is not shown.
bool is_address(const std::string& text) {
  in6_addr address = {};
  const std::string host = text.substr(0, text.find('%'));
  const bool plain = text.find_first_not_of("0123456789abcdef:.%") == std::string::npos;
  return plain && (inet_pton(AF_INET, host.c_str(), &address) == 1 ||
                   inet_pton(AF_INET6, host.c_str(), &address) == 1);
}

bool is_mark(const PortName& name) {
  return name.family == kMarkNames;
}

// How many marks any user holds at each port.
using Marks = std::map<std::uint16_t, int>;

// True: the name keeps a service point with this listener from shared memory
// (transport/host/qualifier_holder.cc has the same rules).
bool is_in_the_way(const PortName& name, const TcpSocket& listener, unsigned unprivileged,
                   const Marks& marks) {
  if (!listener.listening() || listener.local.port != name.port) return false;
  const bool at_every = listener.local.is_every_address();
  const bool every = name.host == "*";
  const bool same_form = every ? at_every : !at_every && listener.local.host == name.host;
  const bool privileged = name.port < unprivileged;
  if (name.family == kRendezvousNames) return same_form || (privileged && every != at_every);
  if (!privileged) return false;
  if (is_mark(name)) return at_every || marks.at(name.port) >= kMarks;
  // A claim in kMappedNames blocks only the other form: a claim of every address blocks a service
  // point at a single address. (The marks, above, find the reverse case.)
  if (name.family == kMappedNames) return every && !at_every;
  return every || same_form;
}

// The service points of all users whose rendezvous socket listens. If the user of a TCP listener
// has such a point, the listener already has its rendezvous. So names that other processes hold do
// not matter to it.
using OwnPoints = std::set<std::tuple<std::uint16_t, uid_t, std::string>>;

bool has_its_point(const OwnPoints& points, const TcpSocket& listener) {
  return points.contains({listener.local.port, listener.user,
                          listener.local.is_every_address() ? "*" : listener.local.host});
}

} // namespace

std::optional<PortName> parse_port_name(std::string_view name, int type, uid_t holder) {
  constexpr std::string_view kFamilies[] = {kRendezvousNames, kMappedNames, kSameHostNames,
                                            kMarkNames};
  const auto* const family = std::ranges::find_if(kFamilies, [&](std::string_view each) {
    return name.starts_with(each) && name.substr(each.size()).starts_with('/');
  });
  if (family == std::end(kFamilies)) return std::nullopt;
  if (type != (*family == kRendezvousNames ? SOCK_SEQPACKET : SOCK_DGRAM)) return std::nullopt;
  const std::size_t first = family->size() + 1, slash = name.rfind('/');
  if (slash < first) return std::nullopt;
  PortName parsed;
  parsed.family = *family;
  parsed.host = name.substr(first, slash - first);
  parsed.holder = holder;
  if (!to_number(name.substr(slash + 1), parsed.port)) return std::nullopt;
  unsigned mark = 0;
  const bool good = is_mark(parsed)
                        ? to_number(parsed.host, mark) && mark < static_cast<unsigned>(kMarks)
                        : parsed.host == "*" || is_address(parsed.host);
  if (!good) return std::nullopt;
  return parsed;
}

std::vector<HeldName> held_by_others(const std::vector<PortName>& names,
                                     const std::vector<TcpSocket>& tcp, unsigned unprivileged) {
  Marks marks;
  OwnPoints points;
  for (const PortName& name : names) {
    if (is_mark(name)) ++marks[name.port];
    if (name.listens) points.emplace(name.port, name.holder, name.host);
  }
  std::vector<HeldName> held;
  for (const PortName& name : names) {
    const auto blocks = [&](const TcpSocket& each) {
      return is_in_the_way(name, each, unprivileged, marks);
    };
    const auto owner = std::find_if(tcp.begin(), tcp.end(), blocks);
    if (owner == tcp.end() || has_its_point(points, *owner)) continue;
    const bool own = std::any_of(owner, tcp.end(), [&](const TcpSocket& each) {
      return blocks(each) && each.user == name.holder;
    });
    if (!own) held.push_back({name, owner->user});
  }
  return held;
}

std::vector<HeldName> find_held_names() {
  std::vector<PortName> names;
  const auto told = look_through_names(Which::All, [&](const NamedSocket& socket) {
    if (socket.type == SOCK_SEQPACKET && socket.state == NamedSocket::State::IsConnected)
      return true;
    auto name = parse_port_name(socket.name, socket.type, socket.user);
    if (!name) return true;
    name->listens = socket.state == NamedSocket::State::Listens;
    names.push_back(std::move(*name));
    return true;
  });
  if (!told || !*told || names.empty()) return {};
  std::vector<TcpSocket> tcp = parse_tcp_sockets(read_text("/proc/net/tcp"));
  for (TcpSocket& each : parse_tcp_sockets(read_text("/proc/net/tcp6")))
    tcp.push_back(std::move(each));
  return held_by_others(names, tcp, static_cast<unsigned>(first_unprivileged_port()));
}

} // namespace datum::info
