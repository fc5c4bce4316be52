// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Whether an IA with both paths says that all its peers share its only core. Where a peer over TCP
// runs is not known.
#include <gtest/gtest.h>

#include <memory>
#include <string_view>

#include "../../one_core.h"
#include "../tcp/station.h"
#include "transport/paths/path_transport.h"

namespace datum::test {
namespace {

// An adapter with both paths, without threads.
class Adapter final : private ListenerEvents {
 public:
  Adapter() {
    ShmOptions options;
    options.ports_are_claimed = true;
    fabric_ = std::move(*ShmFabric::create(loopback(), reactor_, options));
    TcpOptions tcp;
    tcp.close_timeout = 0; // no thread of the peer answers
    transport_ = std::make_unique<PathTransport>(
        *fabric_, LinkOptions{}, std::move(*TcpTransport::create(loopback(), reactor_, tcp)));
    TransportHost host;
    host.progress = &time_;
    host.timers = &timers_;
    host.random = &random_;
    transport_->attach(host);
  }
  ConnQual listen() {
    listener_ = std::move(*transport_->listen_any(*this));
    return listener_->qualifier();
  }
  void connect(ConnQual qualifier, End& end) {
    end.channel =
        std::move(*transport_->connect(loopback(), qualifier, {}, end.events, ChannelOptions{}));
  }
  std::unique_ptr<IncomingConnection> take_request() { return std::move(request_); }
  void turn() {
    reactor_.handle_all();
    timers_.run(time_.now());
    transport_->progress();
  }
  bool shares_core() const { return transport_->shares_core(); }

 private:
  void on_request(std::unique_ptr<IncomingConnection> request) override {
    request_ = std::move(request);
  }
  RealTime time_;
  TimerQueue timers_;
  SeededRandom random_{7};
  StepReactor reactor_;
  std::unique_ptr<ShmFabric> fabric_;
  std::unique_ptr<PathTransport> transport_;
  std::unique_ptr<Listener> listener_;
  std::unique_ptr<IncomingConnection> request_;
};

// Connects `from` to `to`, and returns after both ends are established.
template <class Passive>
std::unique_ptr<Line> connect(Adapter& from, Passive& to) {
  auto line = std::make_unique<Line>();
  from.connect(to.listen(), line->near);
  while (line->near.events.log().empty()) {
    from.turn();
    to.turn();
    if (const auto request = to.take_request())
      line->far.channel = request->accept({}, line->far.events, ChannelOptions{});
  }
  return line;
}

TEST(SharesCore, OnlyWithoutAPeerOverTcp) {
  const OneCore pinned;
  Adapter ours;
  EXPECT_FALSE(ours.shares_core()) << "there is no peer";
  Adapter neighbour;
  const auto over_memory = connect(ours, neighbour);
  ASSERT_TRUE(std::string_view(over_memory->near.channel->path()).starts_with("shm "));
  EXPECT_TRUE(ours.shares_core());

  Station far; // it has TCP alone
  auto over_tcp = connect(ours, far);
  ASSERT_STREQ(over_tcp->near.channel->path(), "tcp");
  EXPECT_FALSE(ours.shares_core());

  over_tcp.reset();
  while (!ours.shares_core()) { // ctest ends a test that hangs
    ours.turn();
    far.turn();
  }
}

} // namespace
} // namespace datum::test
