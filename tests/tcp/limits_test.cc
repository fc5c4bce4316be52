// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The time that a peer has, set by a variable of the environment. A peer must not have less time
// than that, nor as much as by default.
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include "besieged.h"
#include "descriptors.h"
#include "leaver.h"

namespace datum::test {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;
using std::chrono::seconds;

// An IA that was opened while the variable was set, and strangers that connect to it.
struct Guarded {
  Guarded(const char* name, const std::string& value) : variable(name, value) {}
  RawPeer stranger() const { return RawPeer(address_of(ia), listener.qualifier()); }

  const Variable variable;
  Ia ia = open_ia();
  Listener listener{ia};
};

// Checks that one second has passed since `began`, and not much more, even on a slow machine.
void expect_a_second(Clock::time_point began) {
  const auto took = Clock::now() - began;
  EXPECT_GE(took, milliseconds(990));
  EXPECT_LT(took, milliseconds(4500));
}

// Rules: ENV.13 tcp.R5
TEST_F(Besieged, ARequestHasTheTimeThatIsSet) {
  const Guarded guarded("DATUM_REQUEST_TIMEOUT", "1000");
  RawPeer asker = guarded.stranger();
  const auto began = Clock::now();
  EXPECT_TRUE(asker.say(from_hex("4d504120")));
  EXPECT_EQ(asker.hear_the_end(), "none");
  expect_a_second(began);
  bystanders_.expect_unharmed();
}

// Rules: ENV.14
TEST_F(Besieged, AFirstFrameHasTheTimeThatIsSet) {
  Guarded guarded("DATUM_FIRST_FRAME_TIMEOUT", "1000");
  Side victim(guarded.ia);
  RawPeer peer = guarded.stranger();
  EXPECT_TRUE(peer.say(own_request()));
  Cr cr = guarded.listener.expect_request();
  const auto began = Clock::now();
  EXPECT_DAT_OK(accept(cr, victim.ep()));
  EXPECT_EQ(peer.hear_reply().size(), 24U);
  expect_end(victim, DAT_CONNECTION_EVENT_ACCEPT_COMPLETION_ERROR);
  expect_a_second(began);
  EXPECT_EQ(peer.hear_the_end(), "none");
  bystanders_.expect_unharmed();
}

// The peer has read the end of the stream but does not close. The IA keeps the descriptor as long
// as the variable says.
// Rules: ENV.18
TEST_F(Besieged, AnEndHasTheTimeThatIsSet) {
  Guarded guarded("DATUM_END_TIMEOUT", "1000");
  RawPeer peer = guarded.stranger();
  EXPECT_TRUE(peer.say(plain_request()));
  Cr cr = guarded.listener.expect_request();
  const std::size_t before = open_descriptors();
  const auto began = Clock::now();
  EXPECT_DAT_OK(dat_cr_reject(cr.release()));
  EXPECT_EQ(peer.hear_reply().size(), 20U);
  EXPECT_EQ(open_descriptors(), before);
  while (open_descriptors() == before && Clock::now() < began + seconds(20))
    std::this_thread::sleep_for(milliseconds(1));
  EXPECT_EQ(open_descriptors(), before - 1);
  expect_a_second(began);
  bystanders_.expect_unharmed();
}

// Rules: ENV.19 tcp.L5
TEST_F(Besieged, AFarewellHasTheTimeThatIsSet) {
  for (const int limit : {0, 2500}) {
    const Variable variable("DATUM_CLOSE_TIMEOUT", std::to_string(limit));
    Leaver leaver;
    auto listener = std::make_unique<Listener>(leaver.ia());
    RawPeer peer(address_of(leaver.ia()), listener->qualifier());
    EXPECT_TRUE(peer.say(plain_request()));
    listener->expect_request().free(); // rejects it, and the peer does not close
    EXPECT_EQ(peer.hear_reply().size(), 20U);
    listener.reset();
    const auto began = Clock::now();
    leaver.leave();
    const auto took = Clock::now() - began;
    EXPECT_GE(took, milliseconds(limit == 0 ? 0 : 2400));
    EXPECT_LT(took, milliseconds(limit == 0 ? 900 : 4900));
  }
  bystanders_.expect_unharmed();
}

// Rules: ENV.22
TEST_F(Besieged, WithoutAHelloWhoeverConnectsBeginsWithAWriteOfNothing) {
  const Guarded guarded("DATUM_HELLO", "off");
  Side side(guarded.ia);
  RawListener door(address_of(guarded.ia));
  EXPECT_DAT_OK(connect(side.ep(), address_of(guarded.ia), door.qualifier()));
  RawPeer peer = door.accept();
  EXPECT_EQ(peer.hear_request().size(), 24U);
  EXPECT_TRUE(peer.say(from_hex("4d504120494420526570204672616d65"
                                "1002000480108001")));
  EXPECT_EQ(peer.hear(20), carrier(1, 0));
}

// Rules: ENV.22
TEST_F(Besieged, WithoutAHelloWhoeverAcceptsAnswersNone) {
  Guarded guarded("DATUM_HELLO", "off");
  Side side(guarded.ia);
  RawPeer peer = guarded.stranger();
  EXPECT_TRUE(peer.say(own_request()));
  Cr cr = guarded.listener.expect_request();
  EXPECT_DAT_OK(accept(cr, side.ep()));
  EXPECT_EQ(peer.hear_reply().size(), 24U);
  EXPECT_TRUE(peer.say(carrier(1, 0x4454'5750'1001'ffff)));
  expect_connection_event(side.connect_evd(), DAT_CONNECTION_EVENT_ESTABLISHED, side.ep());
  const Buffer word = side.buffer(8);
  EXPECT_DAT_OK(post_send(side.ep(), {word.segment()}, 1));
  EXPECT_EQ(peer.hear(4), from_hex("001a4143")) << "a Send, and nothing before it";
  expect_dto(side.request_evd(), side.ep(), 1); // TCP took it; the peer does not acknowledge
}

} // namespace
} // namespace datum::test
