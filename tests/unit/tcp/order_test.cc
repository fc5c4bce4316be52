// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// TcpTransport: the order in which a station reports the ends of several connections, if the peer
// ends them while the station goes through its sockets.
#include <gtest/gtest.h>

#include "station.h"

namespace datum::test {
namespace {

using Log = std::vector<std::string>;

class Order : public testing::Test {
 protected:
  Order() {
    for (std::size_t i = 0; i < 4; ++i) {
      lines_.push_back(stations_.connect());
      lines_.back()->far.events.on_tell = [this, i](const std::string& what) {
        told_.push_back(what + " " + std::to_string(i));
      };
    }
  }
  // The peer ends connection `i`. The end has arrived when this returns.
  void end_at_near(std::size_t i) {
    lines_[i]->near.channel->close(CloseMode::Disconnect);
    near().transport->progress();
    await_end(lines_[i]->far.socket);
  }
  void find_end_at_far(std::size_t i) { far().reactor.handle_awaited(lines_[i]->far.socket); }
  // Calls `then` once, after the station has handled this socket.
  void after_turn_of(std::size_t i, const std::function<void()>& then) {
    far().reactor.after_turn_of = [this, socket = lines_[i]->far.socket, then](int fd) {
      if (fd != socket) return;
      const auto once = then;
      far().reactor.after_turn_of = nullptr;
      once();
    };
  }
  // Both ends come when the first look has passed socket 1. So this look finds only the end of
  // connection 2, and a later look finds the end of connection 1. Runs until three ends are told.
  void miss_ends_of_1_and_2() {
    after_turn_of(1, [this] {
      end_at_near(1);
      end_at_near(2);
    });
    tell_until([this] { return told_.size() == 3; });
  }
  void tell_until(const std::function<bool()>& done) {
    far().transport->progress(); // the look in which after_turn_of() calls its function
    while (!done()) far().turn();
  }
  Station& near() { return stations_.near; }
  Station& far() { return stations_.far; }
  TwoStations& stations() { return stations_; }
  const Log& told() const { return told_; }

 private:
  TwoStations stations_;
  std::vector<std::unique_ptr<Line>> lines_;
  Log told_;
};

// Rules: tcp.O1
TEST_F(Order, OfAnEndThatWasFoundBehindAConnectionWithoutOne) {
  end_at_near(0);
  find_end_at_far(0);
  miss_ends_of_1_and_2();
  EXPECT_EQ(told(), (Log{"disconnected 0", "disconnected 1", "disconnected 2"}));
}

// Rules: tcp.O1
TEST_F(Order, OfAnEndInFrontOfOneThatWasFoundBefore) {
  end_at_near(3);
  find_end_at_far(3);
  miss_ends_of_1_and_2();
  EXPECT_EQ(told(), (Log{"disconnected 1", "disconnected 2", "disconnected 3"}))
      << "one peer may have ended 1 and 2, another one 3";
}

// A peer may end a connection to make room for the next one, and then connect again.
// Rules: tcp.O3
TEST_F(Order, OfARequestBehindAnEndThatWasMissed) {
  iwarp::test::StandIn asking;
  auto channel = near().transport->connect(loopback(), stations().qualifier(), {}, asking, {});
  ASSERT_TRUE(channel);
  far().reactor.handle_all(); // accepts the connection
  const int asked = far().reactor.last();
  bool request_came = false;
  far().on_asked = [&] {
    request_came = true;
    EXPECT_EQ(told(), (Log{"disconnected 0", "disconnected 1"}));
  };
  end_at_near(0);
  find_end_at_far(0);
  after_turn_of(1, [&] {
    end_at_near(1);
    near().turn(); // sends the request
    await_octets(asked);
  });
  tell_until([&] { return request_came; });
}

} // namespace
} // namespace datum::test
