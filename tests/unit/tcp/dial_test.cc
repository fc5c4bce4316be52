// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A connect over TCP whose peer ends before it replies.
#include <cstring>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "base/unique_fd.h"
#include "station.h"

namespace datum::test {
namespace {

// A foreign program that listens on the loopback interface.
class Stranger {
 public:
  Stranger() {
    const Address address = loopback();
    sockaddr_in name{};
    std::memcpy(&name, address.bytes, sizeof name);
    socklen_t length = sizeof name;
    EXPECT_EQ(::bind(door_.get(), reinterpret_cast<sockaddr*>(&name), length), 0);
    EXPECT_EQ(::listen(door_.get(), 1), 0);
    EXPECT_EQ(::getsockname(door_.get(), reinterpret_cast<sockaddr*>(&name), &length), 0);
    port_ = ntohs(name.sin_port);
  }
  ConnQual port() const { return port_; }
  void accept() { guest_ = UniqueFd(::accept4(door_.get(), nullptr, nullptr, SOCK_CLOEXEC)); }
  int guest() const { return guest_.get(); }
  void go() {
    door_.reset();
    guest_.reset();
  }

 private:
  UniqueFd door_{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  UniqueFd guest_;
  ConnQual port_ = 0;
};

// The peer may have told its consumer of the request. A second request would tell it twice.
// Rules: CONN.27 CONN.28
TEST(Dial, WhoHasHadTheRequestAndWentIsNotNobody) {
  Station near;
  Stranger peer;
  iwarp::test::StandIn events;
  auto asking = near.transport->connect(loopback(), peer.port(), {}, events, {});
  ASSERT_TRUE(asking);
  peer.accept();
  near.turn();
  await_octets(peer.guest());
  peer.go();
  while (events.log().empty()) near.turn();
  EXPECT_EQ(events.log().front().rfind("failed: non-peer rejected", 0), 0U) << events.log().front();
}

// Rules: CONN.27
TEST(Dial, WhereNobodyListensIsNobody) {
  Station near;
  Stranger peer;
  peer.go();
  iwarp::test::StandIn events;
  auto asking = near.transport->connect(loopback(), peer.port(), {}, events, {});
  ASSERT_TRUE(asking);
  while (events.log().empty()) near.turn();
  EXPECT_EQ(events.log().front().rfind("failed: nobody listens", 0), 0U) << events.log().front();
}

} // namespace
} // namespace datum::test
