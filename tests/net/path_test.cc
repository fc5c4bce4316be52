// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A path whose largest packet changes during a connection. The FPDUs to a foreign peer must follow
// that change (RFC 5044: the largest ULPDU is that of TCP's segments now).
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <thread>

#include "../tcp/raw_peer.h"
#include "connection.h"
#include "namespace.h"
#include "variable.h"

namespace datum::net {
namespace {

using test::Octets;

class NetPath : public testing::Test {
 protected:
  NetPath() {
    host_.run("ip link set lo up");
    const Visit visit(host_);
    ia_ = test::open_ia();
    listener_ = std::make_unique<test::Listener>(ia_);
    side_ = std::make_unique<test::Side>(ia_);
    message_ = std::make_unique<test::Buffer>(side_->buffer(kSize));
    peer_ = std::make_unique<test::RawPeer>(test::address_of(ia_), listener_->qualifier());
    EXPECT_TRUE(peer_->say(test::plain_request()));
    test::Cr cr = listener_->expect_request();
    EXPECT_DAT_OK(test::accept(cr, side_->ep()));
    EXPECT_EQ(peer_->hear_reply().size(), 20U);
    EXPECT_TRUE(peer_->say(test::carrier(1, 0)));
    test::expect_connection_event(side_->connect_evd(), DAT_CONNECTION_EVENT_ESTABLISHED,
                                  side_->ep());
  }
  // The size of the largest FPDU of a message, including header and CRC.
  std::size_t largest_fpdu() {
    EXPECT_DAT_OK(test::post_send(side_->ep(), {message_->segment()}, 1));
    std::size_t largest = 0;
    for (bool last = false; !last && !HasFailure();) {
      const Octets head = peer_->hear(4);
      if (head.size() != 4) break;
      const std::size_t ulpdu = std::size_t{head[0]} << 8U | head[1];
      const std::size_t size = (2 + ulpdu + 3) / 4 * 4 + 4;
      EXPECT_EQ(peer_->hear(size - 4).size(), size - 4);
      largest = std::max(largest, size);
      last = (head[2] & 0x40U) != 0;
    }
    test::expect_dto(side_->request_evd(), side_->ep(), 1);
    return largest;
  }
  // Sends messages until the FPDU size satisfies `wanted`. Datum notices a new size up to a second
  // later than TCP.
  template <class Wanted>
  std::size_t await_fpdus(const Wanted& wanted) {
    std::size_t size = 0;
    for (int i = 0; i < 40 && !HasFailure(); ++i) {
      size = largest_fpdu();
      if (wanted(size)) break;
      std::this_thread::sleep_for(std::chrono::milliseconds(250));
    }
    return size;
  }

  static constexpr std::size_t kSize = 100'000;
  Namespace host_ = Namespace::create();
  test::Variable way_{"DATUM_TRANSPORT", "tcp"};
  test::Ia ia_;
  std::unique_ptr<test::Listener> listener_;
  std::unique_ptr<test::Side> side_;
  std::unique_ptr<test::Buffer> message_;
  std::unique_ptr<test::RawPeer> peer_;
};

// Rules: net.P1
TEST_F(NetPath, FpdusFollowTheLargestPacket) {
  EXPECT_GT(largest_fpdu(), 30'000U);
  host_.run("ip link set lo mtu 1500");
  // A segment has 1448 octets with timestamps, 1460 without.
  const std::size_t small = await_fpdus([](std::size_t size) { return size <= 1460; });
  EXPECT_LE(small, 1460U);
  EXPECT_GE(small, 1440U);
  host_.run("ip link set lo mtu 65536");
  EXPECT_GT(await_fpdus([](std::size_t size) { return size > 30'000; }), 30'000U);
}

} // namespace
} // namespace datum::net
