// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// TcpTransport between two addresses of one host: whether an end asks for the CRC, and which reason
// it gives for the connection to go over TCP.
#include <array>
#include <cstddef>
#include <cstring>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <string>
#include <sys/socket.h>

#include "base/unique_fd.h"
#include "station.h"

namespace datum::test {
namespace {

constexpr std::size_t kFlags = 16; // behind the key
constexpr std::uint8_t kCrc = 0x40;

sockaddr_in other_loopback() {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK + 1);
  return address;
}

UniqueFd bound_to_the_other() {
  UniqueFd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const sockaddr_in address = other_loopback();
  EXPECT_EQ(::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  return socket;
}

// Receives a startup frame, up to its private data.
std::array<std::uint8_t, 20> hear(int socket) {
  std::array<std::uint8_t, 20> frame{};
  EXPECT_EQ(::recv(socket, frame.data(), frame.size(), MSG_WAITALL),
            static_cast<ssize_t>(frame.size()));
  return frame;
}

// Whether a station's reply asks for the CRC, and the reason why its connection goes over TCP.
struct Reply {
  bool crc = false;
  std::string reason;
};

Reply reply_of(const TcpOptions& options, bool asks) {
  Station station(options);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  to.sin_port = htons(static_cast<std::uint16_t>(station.listen()));
  const UniqueFd peer = bound_to_the_other();
  EXPECT_EQ(::connect(peer.get(), reinterpret_cast<const sockaddr*>(&to), sizeof to), 0);
  std::array<std::uint8_t, 20> request{'M', 'P', 'A', ' ', 'I', 'D', ' ', 'R', 'e',
                                       'q', ' ', 'F', 'r', 'a', 'm', 'e', 0,   1};
  if (asks) request[kFlags] = kCrc;
  EXPECT_EQ(::send(peer.get(), request.data(), request.size(), 0),
            static_cast<ssize_t>(request.size()));
  std::unique_ptr<IncomingConnection> asked;
  while ((asked = station.take_request()) == nullptr) station.turn();
  iwarp::test::StandIn events;
  const auto channel = asked->accept({}, events, {});
  station.turn();
  return {(hear(peer.get())[kFlags] & kCrc) != 0, channel->path_reason()};
}

bool replies_with_crc(CrcPolicy policy, bool asks) {
  TcpOptions options;
  options.crc = policy;
  return reply_of(options, asks).crc;
}

// Rules: dat_ep_query.R14
TEST(PathReason, OfAnAcceptBetweenTwoAddressesOfAHostNamesNoOtherHost) {
  TcpOptions options;
  options.only_way = false;
  EXPECT_EQ(reply_of(options, false).reason, "the peer chose TCP, or offers nothing else");
}

// Rules: iwarp.S32 ENV.7
TEST(Crc, AnAcceptBetweenTwoAddressesOfAHostWantsNone) {
  EXPECT_FALSE(replies_with_crc(CrcPolicy::Auto, false));
}

// Rules: iwarp.S32 iwarp.S9 ENV.7
TEST(Crc, EitherEndMayHaveIt) {
  EXPECT_TRUE(replies_with_crc(CrcPolicy::Auto, true));
  EXPECT_TRUE(replies_with_crc(CrcPolicy::On, false));
  EXPECT_TRUE(replies_with_crc(CrcPolicy::Off, true));
}

// Whether the request of a station with that policy asks for the CRC.
bool asks_for_crc(CrcPolicy policy) {
  TcpOptions options;
  options.crc = policy;
  Station station(options);
  const UniqueFd door = bound_to_the_other();
  EXPECT_EQ(::listen(door.get(), 1), 0);
  sockaddr_in name{};
  socklen_t length = sizeof name;
  EXPECT_EQ(::getsockname(door.get(), reinterpret_cast<sockaddr*>(&name), &length), 0);
  Address address;
  std::memcpy(address.bytes, &name, sizeof name);
  iwarp::test::StandIn events;
  const auto channel = station.transport->connect(address, ntohs(name.sin_port), {}, events, {});
  EXPECT_TRUE(channel);
  const UniqueFd guest(::accept4(door.get(), nullptr, nullptr, SOCK_CLOEXEC));
  station.turn();
  return (hear(guest.get())[kFlags] & kCrc) != 0;
}

// Rules: iwarp.S32 ENV.7
TEST(Crc, AConnectBetweenTwoAddressesOfAHostAsksForNoneUnlessToldSo) {
  EXPECT_FALSE(asks_for_crc(CrcPolicy::Auto));
  EXPECT_FALSE(asks_for_crc(CrcPolicy::Off));
  EXPECT_TRUE(asks_for_crc(CrcPolicy::On));
}

} // namespace
} // namespace datum::test
