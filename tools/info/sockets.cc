// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "info/sockets.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include <fmt/format.h>

#include "transport/host/qualifier_claim.h"

namespace datum::info {
namespace {

constexpr std::size_t kWordDigits = 8;
constexpr std::string_view kMapped = "::ffff:";

// The kernel prints each 32 bits of an address as a number in host byte order.
std::optional<std::string> parse_host(std::string_view digits) {
  std::array<std::uint32_t, 4> words = {};
  const std::size_t count = digits.size() / kWordDigits;
  if (digits.size() % kWordDigits != 0 || (count != 1 && count != 4)) return std::nullopt;
  for (std::size_t i = 0; i < count; ++i)
    if (!to_number(digits.substr(i * kWordDigits, kWordDigits), words[i], 16)) return std::nullopt;
  std::array<char, INET6_ADDRSTRLEN> text = {};
  inet_ntop(count == 1 ? AF_INET : AF_INET6, words.data(), text.data(), text.size());
  const std::string host = text.data();
  // A dual-stack socket shows the IPv4 address of either end as ::ffff:a.b.c.d.
  const bool mapped = host.starts_with(kMapped) && host.find('.') != std::string::npos;
  return mapped ? host.substr(kMapped.size()) : host;
}

std::optional<TcpEnd> parse_end(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  TcpEnd end;
  const auto host = parse_host(text.substr(0, colon));
  if (!host || !to_number(text.substr(colon + 1), end.port, 16)) return std::nullopt;
  end.host = *host;
  return end;
}

std::string state_name(std::string_view digits) {
  static constexpr std::array kNames = {
      "established", "connecting", "being accepted", "ending",
      "ending",      "over",       "unconnected",    "ended by the peer",
      "ending",      "listening",  "ending",         "being accepted"};
  std::size_t number = 0;
  if (!to_number(digits, number, 16) || number == 0 || number > kNames.size())
    return fmt::format("state {}", digits);
  return kNames[number - 1];
}

std::optional<TcpSocket> parse_tcp_socket(std::string_view line) {
  take_field(line); // the number of the line
  const auto local = parse_end(take_field(line)), remote = parse_end(take_field(line));
  if (!local || !remote) return std::nullopt;
  TcpSocket socket{0, *local, *remote, state_name(take_field(line))};
  for (int skipped = 0; skipped < 3; ++skipped) take_field(line); // queues, timer, repetitions
  if (!to_number(take_field(line), socket.user)) return std::nullopt;
  take_field(line); // timeout
  if (!to_number(take_field(line), socket.inode)) return std::nullopt;
  return socket;
}

bool is_loopback(const std::string& host) {
  return host == "::1" || host.starts_with("127.");
}

// The remote address belongs to this namespace if some socket in the tables has it as its local
// address.
bool is_of_this_host(const TcpSocket& socket, const SocketTables& tables) {
  if (is_loopback(socket.remote.host) || socket.remote.host == socket.local.host) return true;
  return std::any_of(tables.tcp.begin(), tables.tcp.end(), [&](const TcpSocket& other) {
    return other.local.host == socket.remote.host;
  });
}

bool came_in(const TcpSocket& socket, const SocketTables& tables) {
  return std::any_of(tables.tcp.begin(), tables.tcp.end(), [&](const TcpSocket& other) {
    return other.listening() && other.local.port == socket.local.port;
  });
}

// A service point offers shared memory by the name "@datum/1/ADDRESS/QUALIFIER".
bool is_offered(const TcpEnd& end, const SocketTables& tables) {
  return std::any_of(tables.names.begin(), tables.names.end(), [&](const UnixSocket& name) {
    return name.listening &&
           (name.name == fmt::format("@{}/*/{}", kRendezvousNames, end.port) ||
            name.name == fmt::format("@{}/{}/{}", kRendezvousNames, end.host, end.port));
  });
}

} // namespace

std::vector<TcpSocket> parse_tcp_sockets(std::string_view text) {
  std::vector<TcpSocket> sockets;
  take_line(text); // the head
  while (!text.empty())
    if (auto socket = parse_tcp_socket(take_line(text))) sockets.push_back(std::move(*socket));
  return sockets;
}

TcpConnection explain(const TcpSocket& socket, const SocketTables& tables,
                      std::string_view transport) {
  TcpConnection connection{socket.local, socket.remote, socket.state, false, {}};
  connection.this_host = is_of_this_host(socket, tables);
  if (transport == "tcp")
    connection.reason = "DATUM_TRANSPORT=tcp in its environment";
  else if (!connection.this_host)
    connection.reason = "the peer is on another host, or in another network namespace";
  else if (came_in(socket, tables))
    connection.reason = "the peer chose TCP, or offers nothing else";
  else if (!is_offered(socket.remote, tables))
    connection.reason = "no process of this host offers shared memory there";
  else
    connection.reason = "shared memory is offered there; why it was not taken the program knows";
  return connection;
}

} // namespace datum::info
