// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Congestion: which congestion control the sockets of a connection have.
#include <gtest/gtest.h>
// Not <netinet/tcp.h>, which has an older tcp_info of the same name.
#include <linux/tcp.h>
#include <netinet/in.h>
#include <string>
#include <sys/socket.h>

#include "base/unique_fd.h"
#include "station.h"

namespace datum::test {
namespace {

std::string congestion_of(int socket) {
  char name[16] = {};
  socklen_t length = sizeof name - 1;
  EXPECT_EQ(::getsockopt(socket, IPPROTO_TCP, TCP_CONGESTION, name, &length), 0);
  return name;
}

UniqueFd fresh_socket() {
  return UniqueFd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
}

UniqueFd come_from_another_address(ConnQual qualifier) {
  UniqueFd socket = fresh_socket();
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK + 1);
  EXPECT_EQ(::bind(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(qualifier));
  EXPECT_EQ(::connect(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  return socket;
}

// Rules: tcp.S4
TEST(CongestionControl, IsRenoOnBothEndsWithinAHost) {
  TwoStations stations;
  const auto line = stations.connect();
  EXPECT_EQ(congestion_of(line->near.socket), "reno");
  EXPECT_EQ(congestion_of(line->far.socket), "reno");
}

// Towards another host: tests/net/local_ports_test.cc.
// Rules: tcp.S4
TEST(CongestionControl, IsRenoBetweenTwoAddressesOfAHost) {
  TwoStations stations;
  const std::size_t before = stations.far.reactor.size();
  const UniqueFd peer = come_from_another_address(stations.qualifier());
  stations.run_until([&] { return stations.far.reactor.size() == before + 1; });
  EXPECT_EQ(congestion_of(stations.far.reactor.last()), "reno");
}

// Rules: tcp.S4
TEST(CongestionControl, IsLeftAloneWhereItIsNotOurs) {
  const Congestion congestion;
  const UniqueFd socket = fresh_socket();
  congestion.expect_this_host(socket.get());
  EXPECT_EQ(congestion_of(socket.get()), "reno");
  congestion.expect_network(socket.get());
  EXPECT_EQ(congestion_of(socket.get()), congestion_of(fresh_socket().get()));
  // A route may have chosen one of these. Datum itself never does.
  for (const std::string other : {"bbr", "cubic"}) {
    if (::setsockopt(socket.get(), IPPROTO_TCP, TCP_CONGESTION, other.data(),
                     static_cast<socklen_t>(other.size())) != 0)
      continue; // this kernel lacks it, or forbids it
    congestion.expect_network(socket.get());
    EXPECT_EQ(congestion_of(socket.get()), other);
  }
}

} // namespace
} // namespace datum::test
