// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// TcpListener and strangers: peers that connect and send no request, while descriptors are short or
// many come at once.
#include <cstring>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/epoll.h>
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

bool is_ended(const UniqueFd& socket) {
  pollfd one{socket.get(), POLLRDHUP, 0};
  return ::poll(&one, 1, 0) > 0;
}

bool has_octets(int socket) {
  pollfd one{socket, POLLIN, 0};
  return ::poll(&one, 1, 0) > 0;
}

class Neighbour final : private ListenerEvents {
 public:
  explicit Neighbour(Station& station)
      : listener_(std::move(station.transport->listen_any(*this).value())) {}
  ConnQual qualifier() const { return listener_->qualifier(); }

 private:
  void on_request(std::unique_ptr<IncomingConnection>) override {}
  std::unique_ptr<Listener> listener_;
};

// Rules: tcp.R7
TEST(Strangers, OfAnyListenerGiveWayWhereDescriptorsAreLacking) {
  TwoStations stations;
  Station& far = stations.far;
  const Neighbour neighbour(far);
  const UniqueFd silent = stranger(neighbour.qualifier());
  const std::size_t before = far.reactor.size();
  stations.run_until([&] { return far.reactor.size() == before + 1; });
  iwarp::test::StandIn events;
  auto asking = stations.near.transport->connect(loopback(), stations.qualifier(), {}, events, {});
  ASSERT_TRUE(asking);
  const NoMoreDescriptors limit(first_free_descriptor());
  far.skip(kSecond);
  std::unique_ptr<IncomingConnection> request;
  stations.run_until([&] { return (request = far.take_request()) != nullptr; });
  await_end(silent.get());
}

// A station that keeps few half-open connections.
class FewStrangers : public testing::Test {
 protected:
  explicit FewStrangers(std::size_t most = 4) {
    TcpOptions options;
    options.max_half_open = most;
    stations = std::make_unique<TwoStations>(options);
    door = far().reactor.last();
    empty = far().reactor.size();
  }
  Station& near() const { return stations->near; }
  Station& far() const { return stations->far; }
  UniqueFd come() const { return stranger(stations->qualifier()); }
  std::size_t inside() const { return far().reactor.size() - empty; }
  bool is_watched() const { return (far().reactor.watched(door) & EPOLLIN) != 0; }
  // Connects `count` strangers, one after the other.
  std::vector<UniqueFd> come(std::size_t count) const {
    std::vector<UniqueFd> sockets;
    for (std::size_t i = 0; i < count; ++i) sockets.push_back(come());
    return sockets;
  }
  void look_often() const {
    for (int i = 0; i < 10; ++i) far().turn();
  }

  std::unique_ptr<TwoStations> stations;
  int door = -1;
  std::size_t empty = 0;
};

// Rules: tcp.R5 tcp.R8
TEST_F(FewStrangers, LeaveOthersInTheBacklogUntilTheyHaveHadTime) {
  const auto sockets = come(6);
  look_often();
  EXPECT_EQ(inside(), 4U);
  EXPECT_FALSE(is_watched()) << "nobody is woken for those that wait";
  for (const UniqueFd& each : sockets) EXPECT_FALSE(is_ended(each));
  far().skip(300 * kMillisecond);
  look_often();
  EXPECT_EQ(inside(), 4U);
  EXPECT_TRUE(is_watched());
  for (std::size_t i = 0; i < sockets.size(); ++i) EXPECT_EQ(is_ended(sockets[i]), i < 2) << i;
}

// Rules: tcp.R8
TEST_F(FewStrangers, HaveTheLessTimeTheMoreWait) {
  far().stop_clock();                // on a busy machine the last 10 ms would pass by themselves
  const auto sockets = come(4 + 12); // three times as many wait as there is room for
  look_often();
  far().skip(90 * kMillisecond);
  look_often();
  EXPECT_FALSE(is_ended(sockets[0]));
  far().skip(10 * kMillisecond);
  look_often();
  for (std::size_t i = 0; i < 4; ++i) EXPECT_TRUE(is_ended(sockets[i])) << i;
}

// Rules: tcp.R8
TEST_F(FewStrangers, MakeRoomAsOneOfThemGoes) {
  auto sockets = come(4);
  look_often();
  iwarp::test::StandIn events;
  auto asking = near().transport->connect(loopback(), stations->qualifier(), {}, events, {});
  ASSERT_TRUE(asking);
  far().turn();
  EXPECT_FALSE(is_watched());
  sockets[2].reset();
  std::unique_ptr<IncomingConnection> request;
  stations->run_until([&] { return (request = far().take_request()) != nullptr; });
  EXPECT_TRUE(is_watched());
  for (const std::size_t i : {0U, 1U, 3U}) EXPECT_FALSE(is_ended(sockets[i])) << i;
}

// Rules: tcp.R8
TEST_F(FewStrangers, MakeRoomForAStormThatSpeaks) {
  constexpr std::size_t kStorm = 40;
  std::vector<std::unique_ptr<iwarp::test::StandIn>> events;
  std::vector<std::unique_ptr<Channel>> asking;
  for (std::size_t i = 0; i < kStorm; ++i) {
    events.push_back(std::make_unique<iwarp::test::StandIn>());
    asking.push_back(
        near()
            .transport->connect(loopback(), stations->qualifier(), {}, *events.back(), {})
            .value());
  }
  std::vector<std::unique_ptr<IncomingConnection>> requests;
  far().on_asked = [&] { requests.push_back(far().take_request()); };
  stations->run_until([&] { return requests.size() == kStorm; });
  for (const auto& each : events) EXPECT_TRUE(each->log().empty());
}

class OneStranger : public FewStrangers {
 protected:
  OneStranger() : FewStrangers(1) {}
};

// The end of another connection has to be reported before this request.
// Rules: tcp.R8
TEST_F(OneStranger, WhoseRequestIsWholeIsNoStranger) {
  const auto line = stations->connect();
  line->far.events.on_tell = [](const std::string&) {};
  iwarp::test::StandIn events;
  auto asking = near().transport->connect(loopback(), stations->qualifier(), {}, events, {});
  ASSERT_TRUE(asking);
  const ConnQual first_port = (*asking)->local_port();
  far().reactor.handle_awaited(door);
  const int asker = far().reactor.last();
  while (!has_octets(asker)) near().turn();
  line->near.channel->close(CloseMode::Disconnect);
  near().transport->progress();
  await_end(line->far.socket);
  far().reactor.handle_awaited(line->far.socket);
  far().reactor.handle_awaited(asker); // reads the request, and defers it
  const UniqueFd next = come();
  far().skip(kSecond);
  far().expire();
  far().reactor.handle_awaited(door);
  std::unique_ptr<IncomingConnection> request;
  stations->run_until([&] { return (request = far().take_request()) != nullptr; });
  EXPECT_EQ(request->remote_port(), first_port) << "it had to ask again";
}

// accept() fails for another reason than a lack of descriptors, so closing a stranger would not
// help.
// Rules: tcp.R9
TEST_F(FewStrangers, AndThoseThatEndStayWhereNobodyCanBeAccepted) {
  const auto line = stations->connect();
  const UniqueFd silent = come();
  far().turn();
  line->far.channel->close(CloseMode::Disconnect);
  far().transport->progress();
  far().skip(2 * kSecond);
  const std::size_t before = far().reactor.size();
  ::shutdown(door, SHUT_RDWR); // accept() fails from here on
  testing::internal::CaptureStderr();
  far().reactor.handle_awaited(door);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("nobody can be accepted"),
            std::string::npos);
  EXPECT_EQ(far().reactor.size(), before);
  EXPECT_FALSE(is_ended(silent));
  EXPECT_FALSE(is_watched());
}

} // namespace
} // namespace datum::test
