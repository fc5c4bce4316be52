// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Whoever connects and says nothing, where descriptors are lacking.
#include <cstring>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "../../tcp/descriptors.h"
#include "base/unique_fd.h"
#include "station.h"

namespace datum::test {
namespace {

UniqueFd stranger(ConnQual qualifier) {
  const Address address = loopback();
  sockaddr_in to{};
  std::memcpy(&to, address.bytes, sizeof to);
  to.sin_port = htons(static_cast<std::uint16_t>(qualifier));
  UniqueFd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  EXPECT_EQ(::connect(socket.get(), reinterpret_cast<sockaddr*>(&to), sizeof to), 0);
  return socket;
}

// Rules: tcp.R7
TEST(Strangers, GiveWayWhereDescriptorsAreLacking) {
  TwoStations stations;
  Station& far = stations.far;
  const auto line = stations.connect();
  const UniqueFd silent = stranger(stations.qualifier());
  const std::size_t before = far.reactor.size();
  stations.run_until([&] { return far.reactor.size() == before + 1; });
  iwarp::test::StandIn events;
  auto asking = stations.near.transport->connect(loopback(), stations.qualifier(), {}, events, {});
  ASSERT_TRUE(asking);
  const NoMoreDescriptors limit(first_free_descriptor());
  for (int i = 0; i < 10; ++i) far.turn();
  EXPECT_EQ(far.reactor.size(), before + 1) << "it may only be about to speak";
  far.skip(kSecond);
  std::unique_ptr<IncomingConnection> request;
  stations.run_until([&] { return (request = far.take_request()) != nullptr; });
  await_end(silent.get());
  line->far.events.post_receive(1);
  line->near.channel->start(WorkRequest{});
  stations.run_until([&] { return !line->far.events.log().empty(); });
  EXPECT_EQ(line->far.events.log(), std::vector<std::string>{"received 0"});
}

} // namespace
} // namespace datum::test
