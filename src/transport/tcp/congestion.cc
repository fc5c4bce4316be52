// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/tcp/congestion.h"

#include <cstring>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string_view>
#include <sys/socket.h>

#include "base/unique_fd.h"

namespace datum {
namespace {

constexpr std::string_view kReno = "reno";

void take(int socket, std::string_view name) {
  ::setsockopt(socket, IPPROTO_TCP, TCP_CONGESTION, name.data(),
               static_cast<socklen_t>(name.size()));
}

} // namespace

Congestion::Congestion() {
  UniqueFd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!socket) socket = UniqueFd(::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (socket) chosen_ = of(socket.get());
}

Congestion::Name Congestion::of(int socket) {
  Name name{};
  socklen_t length = name.size() - 1;
  if (::getsockopt(socket, IPPROTO_TCP, TCP_CONGESTION, name.data(), &length) != 0) return {};
  return name;
}

void Congestion::expect_this_host(int socket) const {
  if (chosen_[0] != '\0' && kReno != chosen_.data()) take(socket, kReno);
}

void Congestion::expect_network(int socket) const {
  // If the socket no longer has Reno, its route has a congestion control of its own, which is kept.
  if (chosen_[0] != '\0' && kReno != chosen_.data() && kReno == of(socket).data())
    take(socket, chosen_.data());
}

} // namespace datum
