// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// interop/siw: whether we ask for CRCs. siw asks for no CRC and accepts ours, and its consumer sees
// no difference. So the tests use a plain socket at siw's end, which reads what we ask for.
#include <cstring>
#include <optional>

#include "../../tcp/raw_peer.h"
#include "fixture.h"
#include "processes.h"

namespace datum::siw {
namespace {

class SiwCrc : public SiwTest {
 protected:
  // RFC 5044 section 7.1.1: the flags are in the octet after the key, and C is one of them.
  static constexpr std::size_t kFlags = 16;
  static constexpr std::uint8_t kCrcFlag = 0x40;

  // The whole program runs once with each setting of DATUM_CRC.
  void SetUp() override {
    const std::string policy = setting("DATUM_CRC");
    ASSERT_TRUE(policy == "on" || policy == "off") << policy;
    wanted_ = policy == "on";
  }
  void expect_wanted(const test::Octets& frame) const {
    ASSERT_GE(frame.size(), 20U) << "no startup frame";
    EXPECT_EQ((frame[kFlags] & kCrcFlag) != 0, wanted_);
  }

 private:
  bool wanted_ = false;
};

// Rules: SIW.43
TEST_F(SiwCrc, IsAskedForInOurRequest) {
  sockaddr_storage there{};
  std::memcpy(&there, address(), sizeof(sockaddr_in));
  std::optional<test::RawListener> listener;
  open_beside_siw([&] { listener.emplace(reinterpret_cast<DAT_IA_ADDRESS_PTR>(&there)); });
  ASSERT_TRUE(listener);
  ASSERT_DAT_OK(test::connect(side.ep(), address(), listener->qualifier()));
  test::RawPeer peer = listener->accept();
  const test::Octets request = peer.hear_request();
  ASSERT_NO_FATAL_FAILURE(expect_wanted(request));
  // A reject that repeats C, with the four octets of RFC 6581.
  test::Octets reply = test::from_hex("4d504120494420526570204672616d65300200040000c000");
  if (request[kFlags] & kCrcFlag) reply[kFlags] |= kCrcFlag;
  peer.say_and_finish(reply);
  test::expect_connection_event(side.connect_evd(), DAT_CONNECTION_EVENT_PEER_REJECTED, side.ep());
}

// Rules: SIW.43
TEST_F(SiwCrc, IsAskedForInOurReply) {
  test::Listener listener(ia);
  std::optional<test::RawPeer> peer;
  open_beside_siw([&] { peer.emplace(test::address_of(ia), listener.qualifier()); });
  ASSERT_TRUE(peer);
  // The request of siw: no C, client-server, 128 Reads each way.
  ASSERT_TRUE(peer->say(test::from_hex("4d504120494420526571204672616d651002000400800080")));
  test::Cr cr = listener.expect_request();
  ASSERT_DAT_OK(test::accept(cr, side.ep()));
  expect_wanted(peer->hear_reply());
  test::expect_connection_event(side.connect_evd(), DAT_CONNECTION_EVENT_ESTABLISHED, side.ep());
}

} // namespace
} // namespace datum::siw
