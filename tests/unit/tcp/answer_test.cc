// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// IncomingConnection: the answer to a request while memory is short. The peer still gets the
// answer, now or later. If its connection ended without an answer, the peer would send its request
// again.
#include <gtest/gtest.h>

#include "../iwarp/no_memory.h"
#include "caller.h"
#include "station.h"
#include "transport/host/host_address.h"

namespace datum::test {
namespace {

using iwarp::test::NoMemory;
using iwarp::test::StandIn;
using Log = std::vector<std::string>;

// The near station has connected, and its request has arrived at the far station.
class Answer : public testing::Test {
 protected:
  Answer() {
    stations_.far.on_asked = [this] { ++asked_; };
    auto made = stations_.near.transport->connect(loopback(), stations_.qualifier(), {},
                                                  near_events_, kOptions);
    channel_ = std::move(*made);
    stations_.run_until([&] { return (request_ = stations_.far.take_request()) != nullptr; });
  }
  // Accepts while only `allocations` allocations succeed. Returns false if that is too few.
  bool accepts_with(int allocations) {
    const NoMemory scarce(allocations);
    try {
      accepted_ = request_->accept({}, far_events_, kOptions);
      return true;
    } catch (const std::bad_alloc&) {
      return false;
    }
  }
  const Log& what_the_peer_hears() {
    stations_.run_until([&] { return !near_events_.log().empty(); });
    return near_events_.log();
  }
  static constexpr ChannelOptions kOptions{.reads_in = 4, .reads_out = 4};
  StandIn near_events_;
  StandIn far_events_;
  int asked_ = 0;
  TwoStations stations_;
  std::unique_ptr<Channel> channel_;
  std::unique_ptr<IncomingConnection> request_;
  std::unique_ptr<Channel> accepted_;
};

// The kernel does not tell the address of such a peer any more.
TEST(Request, OfAPeerThatHasResetItsConnectionShowsFromWhereItCame) {
  TwoStations stations;
  Caller caller(stations.qualifier());
  caller.say_hex(kPlain);
  caller.reset();
  std::unique_ptr<IncomingConnection> request;
  for (int i = 0; i < 10 && !request; ++i) {
    stations.far.turn();
    request = stations.far.take_request();
  }
  ASSERT_TRUE(request);
  EXPECT_EQ(read_address(request->remote_address()), read_address(loopback()));
  EXPECT_NE(request->remote_port(), 0U);
}

// Rules: tcp.A6
TEST_F(Answer, AnAcceptThatLacksMemoryLeavesTheRequest) {
  int allocations = 0;
  while (!accepts_with(allocations)) {
    ++allocations;
    stations_.near.turn();
    stations_.far.turn();
    EXPECT_EQ(near_events_.log(), Log{});
  }
  EXPECT_GE(allocations, 2) << "one is the channel's, one the reply's";
  EXPECT_EQ(what_the_peer_hears(), Log{"established  reads 4"});
  EXPECT_EQ(asked_, 1);
}

// Rules: tcp.A6
TEST_F(Answer, ARejectThatLacksMemoryLeavesWhenThereIsSome) {
  const iwarp::test::Bytes why(3, std::byte{0xaa});
  {
    const NoMemory scarce;
    request_->reject_by_consumer(why);
    stations_.far.transport->progress();
  }
  EXPECT_EQ(what_the_peer_hears(), Log{"failed: peer rejected aaaaaa"});
  EXPECT_EQ(asked_, 1);
}

} // namespace
} // namespace datum::test
