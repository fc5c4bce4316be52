// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Events of several connections come in the order in which the peer caused them.
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "connection.h"

namespace datum::test {
namespace {

constexpr int kConnections = 40;
constexpr std::size_t kPairs = 40; // more than one epoll_wait() returns at a time
constexpr DAT_COUNT kEvents = 128;

// Connections between two IAs; each IA has one EVD for all events of its connections.
class Pairs {
 public:
  Pairs() {
    for (std::size_t i = 0; i < kPairs; ++i) add();
  }
  void add() {
    near_eps_.push_back(near_.another_ep());
    far_eps_.push_back(far_.another_ep());
    establish(near_eps_.back(), near_.connect_evd(), far_eps_.back(), far_.connect_evd(),
              far_.ia());
  }
  Side& near() { return near_; }
  Side& far() { return far_; }
  Ep& near_ep(std::size_t i) { return near_eps_[i]; }
  Ep& far_ep(std::size_t i) { return far_eps_[i]; }
  // Gives every connection something to receive and to send when it ends, in reverse order of the
  // connections.
  void talk() {
    for (std::size_t i = kPairs; i-- != 0;) {
      EXPECT_DAT_OK(post_recv(near_eps_[i], {inbox_.segment()}, i));
      EXPECT_DAT_OK(post_recv(far_eps_[i], {outbox_.segment()}, i));
      EXPECT_DAT_OK(post_send(far_eps_[i], {outbox_.segment()}, i, DAT_COMPLETION_SUPPRESS_FLAG));
    }
    for (std::size_t i = kPairs; i-- != 0;) EXPECT_DAT_OK(post_send(near_eps_[i], {}, i));
  }
  void expect_at_far(DAT_EVENT_NUMBER number, std::size_t i) {
    expect_connection_event(far_.connect_evd(), number, far_eps_[i]);
  }

 private:
  static SideOptions options() {
    SideOptions roomy;
    roomy.queue_length = kEvents;
    return roomy;
  }
  Ia near_ia_ = open_ia();
  Ia far_ia_ = open_ia();
  Side near_{near_ia_, options()};
  Side far_{far_ia_, options()};
  Buffer inbox_ = near_.buffer(8);
  Buffer outbox_ = far_.buffer(8);
  std::vector<Ep> near_eps_;
  std::vector<Ep> far_eps_;
};

// Rules: tcp.O1
TEST(Order, EndsOfSeveralConnections) {
  for (int round = 0; round < kConnections && !HasFailure(); ++round) {
    Pairs pairs;
    pairs.talk();
    for (std::size_t i = 0; i < kPairs; ++i)
      EXPECT_DAT_OK(dat_ep_disconnect(pairs.near_ep(i), DAT_CLOSE_ABRUPT_FLAG));
    for (std::size_t i = 0; i < kPairs; ++i)
      pairs.expect_at_far(DAT_CONNECTION_EVENT_DISCONNECTED, i);
  }
}

// The peer knows that the newest connection is established before it ends others.
// Rules: tcp.O2
TEST(Order, AnEstablishmentBeforeTheEndsThatFollowIt) {
  for (int round = 0; round < kConnections && !HasFailure(); ++round) {
    Pairs pairs;
    Listener listener(pairs.far().ia());
    Ep asking = pairs.near().another_ep();
    Ep asked = pairs.far().another_ep();
    EXPECT_DAT_OK(connect(asking, listener));
    Cr cr = listener.expect_request();
    pairs.talk();
    EXPECT_DAT_OK(accept(cr, asked));
    expect_connection_event(pairs.near().connect_evd(), DAT_CONNECTION_EVENT_ESTABLISHED, asking);
    for (std::size_t i = 0; i < kPairs; ++i)
      EXPECT_DAT_OK(dat_ep_disconnect(pairs.near_ep(i), DAT_CLOSE_ABRUPT_FLAG));
    expect_connection_event(pairs.far().connect_evd(), DAT_CONNECTION_EVENT_ESTABLISHED, asked);
    for (std::size_t i = 0; i < kPairs; ++i)
      pairs.expect_at_far(DAT_CONNECTION_EVENT_DISCONNECTED, i);
  }
}

} // namespace
} // namespace datum::test
