// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Listeners that break the rules of the wire when an IA connects to them: each connect ends with
// the right event, within its time, and leaves nothing behind.
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <ostream>
#include <string>
#include <thread>

#include "besieged.h"
#include "descriptors.h"

namespace datum::test {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

// The key of a reply. Flags, revision, length and private data follow.
const std::string kReplyKey = "4d504120494420526570204672616d65";
Octets reply(const std::string& rest) {
  return from_hex(kReplyKey + rest);
}
// Revision 2, peer-to-peer with a Write as RTR, IRD and ORD 1.
Octets good_reply() {
  return reply("1002000480108001");
}
Octets reject(const std::string& length, const std::string& data) {
  return reply("3002" + length + "80108010" + data);
}

using Does = std::function<void(RawPeer&)>;

Does says(const Octets& octets) {
  return [octets](RawPeer& peer) { EXPECT_TRUE(peer.say(octets)); };
}
Does says_and_finishes(const Octets& octets) {
  return [octets](RawPeer& peer) {
    EXPECT_TRUE(peer.say(octets));
    peer.finish();
  };
}
Does says_and_resets(const Octets& octets) {
  return [octets](RawPeer& peer) {
    EXPECT_TRUE(peer.say(octets));
    peer.reset();
  };
}

struct Answer {
  const char* name;
  Does does;
  const char* hears = "none"; // the Terminate that the listener must get
};
std::ostream& operator<<(std::ostream& out, const Answer& answer) {
  return out << answer.name;
}

class HostileListener : public Besieged {
 protected:
  ~HostileListener() override { bystanders_.expect_unharmed(); }

  // The listener has got the connection, and has answered nothing.
  RawPeer asked(DAT_TIMEOUT timeout = DAT_TIMEOUT_INFINITE) {
    before_ = open_descriptors();
    began_ = Clock::now();
    EXPECT_DAT_OK(connect(side_.ep(), address_of(ia_), hostile_.qualifier(), "please", timeout));
    return hostile_.accept();
  }
  // Checks that the event that has just come took the time `due` since the connect.
  void expect_it_took(Clock::duration due) const {
    const Clock::duration took = Clock::now() - began_;
    EXPECT_GE(took, due);
    EXPECT_LE(took, due + 1s);
  }
  // The IA may close its socket some time after the event.
  void expect_nothing_left() const {
    DAT_EVENT event{};
    DAT_COUNT more = 0;
    for (int i = 0; i < 30 && open_descriptors() > before_; ++i) {
      EXPECT_DAT_TYPE(dat_evd_wait(side_.connect_evd(), 100'000, 1, &event, &more),
                      DAT_TIMEOUT_EXPIRED);
    }
    EXPECT_EQ(open_descriptors(), before_);
    EXPECT_NO_EVENT(side_.connect_evd());
  }

  Side side_{ia_};
  RawListener hostile_{address_of(ia_)};
  std::size_t before_ = 0;
  Clock::time_point began_;
};

// --- answers that are none -----------------------------------------------------------------------

class HostileAnswers : public HostileListener, public testing::WithParamInterface<Answer> {};

// Rules: tcp.A1
TEST_P(HostileAnswers, EndTheConnectAtOnce) {
  {
    RawPeer peer = asked();
    EXPECT_EQ(peer.hear_request().size(), 30U);
    GetParam().does(peer);
    expect_end(side_, DAT_CONNECTION_EVENT_NON_PEER_REJECTED);
    if (GetParam().hears != nullptr) {
      EXPECT_EQ(peer.hear_the_end(), GetParam().hears);
    }
  }
  expect_nothing_left();
}

constexpr const char* kHearsNothing = nullptr; // the listener has reset the connection

INSTANTIATE_TEST_SUITE_P(
    Of, HostileAnswers,
    testing::Values(
        Answer{"Zeros", says(Octets(64))}, Answer{"Ones", says(Octets(64, 0xff))},
        Answer{"OneOctet", says(Octets(1, 0xff))},
        Answer{"EndlessOctets",
               [](RawPeer& peer) {
                 const Octets much(65536, 0x4d);
                 while (peer.say(much)) {
                 }
               }},
        Answer{"ARequest", says(own_request())},
        Answer{"AnFpduBeforeTheReply", says(carrier(1, 0) + good_reply())},
        Answer{"RevisionZero", says(reply("00000000"))},
        Answer{"RevisionOneToTwo", says(reply("00010000"))},
        Answer{"RevisionThree", says(reply("1003000480108001"))},
        Answer{"MorePrivateDataThanMayBe", says(reply("10020201"))},
        Answer{"ShorterThanItSays", says(reply("100200020000"))},
        Answer{"WithoutEnhancedData", says(reply("00020000"))},
        Answer{"MoreReadsThanThereCanBe", says(reply("100200048010bffe")), "2/0/06"},
        Answer{"AReadToBeginWithButNoPlaceForIt", says(reply("1002000480004001")), "2/0/06"},
        Answer{"NothingToBeginWith", says(reply("1002000480100001")), "2/0/07"},
        Answer{"HalfAReplyAndTheEnd", says_and_finishes(from_hex(kReplyKey))},
        Answer{"AllButOneOctetAndTheEnd", says_and_finishes(reply("10020004801080"))},
        Answer{"HalfAReplyAndAReset", says_and_resets(from_hex(kReplyKey)), kHearsNothing}),
    [](const auto& one) { return std::string(one.param.name); });

// Rules: tcp.A1
TEST_F(HostileListener, AnotherProtocolIsNamedInTheLogOnce) {
  const auto connect_to_it = [this] {
    RawPeer peer = asked();
    EXPECT_EQ(peer.hear_request().size(), 30U);
    testing::internal::CaptureStderr();
    const std::string greeting = "SSH-2.0-OpenSSH_9.2\r\n";
    EXPECT_TRUE(peer.say(Octets(greeting.begin(), greeting.end())));
    expect_end(side_, DAT_CONNECTION_EVENT_NON_PEER_REJECTED);
    return testing::internal::GetCapturedStderr();
  };
  const std::string said = connect_to_it();
  EXPECT_NE(said.find(" port " + std::to_string(hostile_.qualifier()) +
                      " over TCP: what listens there speaks another protocol than iWARP"),
            std::string::npos)
      << said;
  ASSERT_DAT_OK(dat_ep_reset(side_.ep()));
  EXPECT_EQ(connect_to_it(), "") << "within ten seconds";
}

// --- rejects -------------------------------------------------------------------------------------

// Rules: tcp.A2
TEST_F(HostileListener, ARejectIsOne) {
  {
    RawPeer peer = asked();
    EXPECT_EQ(peer.hear_request().size(), 30U);
    EXPECT_TRUE(peer.say(reject("0006", "6e6f")));
    expect_end(side_, DAT_CONNECTION_EVENT_PEER_REJECTED);
    EXPECT_EQ(peer.hear_the_end(), "none");
  }
  expect_nothing_left();
}

// Rules: tcp.A2
TEST_F(HostileListener, ARejectWithMoreBehindItIsOne) {
  {
    RawPeer peer = asked();
    EXPECT_EQ(peer.hear_request().size(), 30U);
    EXPECT_TRUE(peer.say(reject("0006", "6e6f") + Octets(1000, 0xee)));
    expect_end(side_, DAT_CONNECTION_EVENT_PEER_REJECTED);
    EXPECT_EQ(peer.hear_the_end(), "none");
  }
  expect_nothing_left();
}

// Rules: tcp.A2
TEST_F(HostileListener, ARejectBeforeAResetIsOne) {
  RawPeer peer = asked();
  EXPECT_EQ(peer.hear_request().size(), 30U);
  says_and_resets(reject("0006", "6e6f"))(peer);
  expect_end(side_, DAT_CONNECTION_EVENT_PEER_REJECTED);
  expect_nothing_left();
}

// Rules: tcp.A2
TEST_F(HostileListener, ARejectByAProviderIsNoPeers) {
  for (const char* why : {"4454524600000001", "4454524600000002"}) {
    SCOPED_TRACE(why);
    Side side(ia_);
    EXPECT_DAT_OK(connect(side.ep(), address_of(ia_), hostile_.qualifier()));
    RawPeer peer = hostile_.accept();
    EXPECT_EQ(peer.hear_request().size(), 24U);
    EXPECT_TRUE(peer.say(reject("000c", why)));
    expect_connection_event(side.connect_evd(), DAT_CONNECTION_EVENT_NON_PEER_REJECTED, side.ep());
    EXPECT_EQ(peer.hear_the_end(), "none");
  }
}

// --- silence -------------------------------------------------------------------------------------

// Rules: tcp.A3 iwarp.E18
TEST_F(HostileListener, SilenceTimesTheConnectOut) {
  for (const Octets& said : {Octets(), from_hex(kReplyKey), reply("100200048010")}) {
    SCOPED_TRACE(said.size());
    Side side(ia_);
    before_ = open_descriptors();
    began_ = Clock::now();
    EXPECT_DAT_OK(connect(side.ep(), address_of(ia_), hostile_.qualifier(), "please", 500'000));
    {
      RawPeer peer = hostile_.accept();
      EXPECT_EQ(peer.hear_request().size(), 30U);
      EXPECT_TRUE(peer.say(said));
      expect_connection_event(side.connect_evd(), DAT_CONNECTION_EVENT_TIMED_OUT, side.ep());
      expect_it_took(500ms);
      EXPECT_EQ(peer.hear_the_end(), "none");
      EXPECT_FALSE(peer.was_reset());
      EXPECT_EQ(peer.heard(), Octets());
    }
    expect_nothing_left();
  }
}

// The listener sends a good reply, one octet a second. That gives the connect no more time.
// Rules: tcp.A3
TEST_F(HostileListener, OneOctetASecondTimesTheConnectOut) {
  {
    RawPeer peer = asked(2'500'000);
    EXPECT_EQ(peer.hear_request().size(), 30U);
    DAT_EVENT event{};
    DAT_COUNT more = 0;
    std::size_t said = 0;
    for (const std::uint8_t octet : good_reply()) {
      EXPECT_TRUE(peer.say({octet}));
      ++said;
      if (dat_evd_wait(side_.connect_evd(), 1'000'000, 1, &event, &more) == DAT_SUCCESS) break;
    }
    EXPECT_EQ(event.event_number, DAT_CONNECTION_EVENT_TIMED_OUT);
    expect_it_took(2500ms);
    EXPECT_LT(said, good_reply().size());
    EXPECT_EQ(peer.hear_the_end(), "none");
  }
  expect_nothing_left();
}

// --- an end without an answer --------------------------------------------------------------------

struct Ending {
  const char* name;
  bool hears; // reads the request before it ends
  Does ends;
};
std::ostream& operator<<(std::ostream& out, const Ending& ending) {
  return out << ending.name;
}

class HostileEndings : public HostileListener, public testing::WithParamInterface<Ending> {};

// Rules: tcp.A4
TEST_P(HostileEndings, AreAskedOnceMore) {
  for (const std::uint8_t revision : {std::uint8_t{2}, std::uint8_t{1}}) {
    RawPeer peer = revision == 2 ? asked() : hostile_.accept();
    if (GetParam().hears) {
      const Octets request = peer.hear_request();
      ASSERT_EQ(request.size(), revision == 2 ? 30U : 26U);
      EXPECT_EQ(request[17], revision);
    }
    GetParam().ends(peer);
  }
  expect_end(side_, DAT_CONNECTION_EVENT_NON_PEER_REJECTED);
  expect_nothing_left();
}

INSTANTIATE_TEST_SUITE_P(
    Of, HostileEndings,
    testing::Values(Ending{"TheEndBeforeTheRequest", false, [](RawPeer& peer) { peer.finish(); }},
                    Ending{"TheEndAfterTheRequest", true, [](RawPeer& peer) { peer.finish(); }},
                    Ending{"AResetAfterTheRequest", true, [](RawPeer& peer) { peer.reset(); }}),
    [](const auto& one) { return std::string(one.param.name); });

class LostRequests : public HostileListener, public testing::WithParamInterface<Ending> {
 protected:
  void SetUp() override {
    if (!hostile_.lose_octets()) GTEST_SKIP() << "the kernel lets no ordinary user filter a socket";
    hostile_.lose_no_more();
  }

  // The wire loses the request, and also its retransmissions by TCP.
  void ask_in_vain(DAT_TIMEOUT timeout = DAT_TIMEOUT_INFINITE) {
    hostile_.lose_octets();
    RawPeer peer = asked(timeout);
    hostile_.lose_no_more();
    std::this_thread::sleep_for(700ms);
    GetParam().ends(peer);
  }
};

// The peer never got the request. So it may still know revision 2.
// Rules: tcp.A7
TEST_P(LostRequests, AreMadeAgainAsTheyWere) {
  ask_in_vain();
  {
    RawPeer peer = hostile_.accept();
    const Octets request = peer.hear_request();
    ASSERT_EQ(request.size(), 30U);
    EXPECT_EQ(request[17], 2);
    EXPECT_TRUE(peer.say(good_reply()));
    expect_connection_event(side_.connect_evd(), DAT_CONNECTION_EVENT_ESTABLISHED, side_.ep());
    peer.finish();
    expect_end(side_, DAT_CONNECTION_EVENT_DISCONNECTED);
  }
  expect_nothing_left();
}

// Rules: tcp.A7 tcp.A3
TEST_P(LostRequests, LeaveTheConsumerItsTime) {
  {
    ask_in_vain(1'500'000);
    RawPeer peer = hostile_.accept();
    EXPECT_EQ(peer.hear_request().size(), 30U);
    expect_end(side_, DAT_CONNECTION_EVENT_TIMED_OUT);
    expect_it_took(1500ms);
  }
  expect_nothing_left();
}

INSTANTIATE_TEST_SUITE_P(
    Of, LostRequests,
    testing::Values(Ending{"TheEnd", false, [](RawPeer& peer) { peer.finish(); }},
                    Ending{"AReset", false, [](RawPeer& peer) { peer.reset(); }}),
    [](const auto& one) { return std::string(one.param.name); });

// The kernel decides whether the request had left before the reset. If so, the request is made
// again, and no process listens then.
// Rules: tcp.A4
TEST_F(HostileListener, AResetBeforeTheRequestIsARefusal) {
  asked().reset();
  hostile_.stop();
  expect_end(side_, DAT_CONNECTION_EVENT_NON_PEER_REJECTED);
  expect_nothing_left();
}

// --- behind a good reply -------------------------------------------------------------------------

struct Sequel {
  const char* name;
  DAT_EVENT_NUMBER ends_with;
  Does does;
  const char* hears = "none";
};
std::ostream& operator<<(std::ostream& out, const Sequel& sequel) {
  return out << sequel.name;
}

class HostileSequels : public HostileListener, public testing::WithParamInterface<Sequel> {};

// Rules: tcp.A5
TEST_P(HostileSequels, EndTheConnectionThatWasEstablished) {
  {
    RawPeer peer = asked();
    EXPECT_EQ(peer.hear_request().size(), 30U);
    GetParam().does(peer);
    expect_connection_event(side_.connect_evd(), DAT_CONNECTION_EVENT_ESTABLISHED, side_.ep());
    expect_end(side_, GetParam().ends_with);
    if (GetParam().hears != nullptr) {
      EXPECT_EQ(peer.hear_the_end(), GetParam().hears);
    }
  }
  expect_nothing_left();
}

INSTANTIATE_TEST_SUITE_P(
    Of, HostileSequels,
    testing::Values(
        Sequel{"Ones", DAT_CONNECTION_EVENT_BROKEN, says(good_reply() + Octets(64, 0xff)),
               "1/1/04"},
        Sequel{"ATerminate", DAT_CONNECTION_EVENT_BROKEN,
               says(good_reply() + untagged(Opcode::Terminate, 2, 1, 0, from_hex("02060000")))},
        Sequel{"HalfAnFpduAndTheEnd", DAT_CONNECTION_EVENT_BROKEN,
               says_and_finishes(good_reply() + from_hex("000ec140"))},
        Sequel{"AcknowledgesWhatWasNotSent", DAT_CONNECTION_EVENT_BROKEN,
               says(good_reply() + carrier(1, 0x4454'5750'1001'2000) +
                    carrier(2, std::uint64_t{1000} << 32U)),
               "0/2/ff"},
        Sequel{"AReset", DAT_CONNECTION_EVENT_BROKEN, says_and_resets(good_reply()), kHearsNothing},
        Sequel{"TheEnd", DAT_CONNECTION_EVENT_DISCONNECTED, says_and_finishes(good_reply())}),
    [](const auto& one) { return std::string(one.param.name); });

// Rules: tcp.A9
TEST_F(HostileListener, ATerminateInASegmentThatMayBringNoneSaysSoInTheLog) {
  RawPeer peer = asked();
  EXPECT_EQ(peer.hear_request().size(), 30U);
  testing::internal::CaptureStderr();
  EXPECT_TRUE(
      peer.say(good_reply() + untagged(Opcode::Terminate, 5, 9, 3, from_hex("20020000"), false)));
  expect_connection_event(side_.connect_evd(), DAT_CONNECTION_EVENT_ESTABLISHED, side_.ep());
  expect_end(side_, DAT_CONNECTION_EVENT_BROKEN);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("ended by the peer: a wrong CRC"), std::string::npos) << said;
  EXPECT_NE(said.find("(Terminate 2/0/02, in a segment that may bring none: queue 5, MSN 9, offset "
                      "3, not the last)\n"),
            std::string::npos)
      << said;
}

// --- peers that can only be of our own kind ------------------------------------------------------

class MappedQualifiers : public HostileListener {
 protected:
  // The connect asked the peer for a mapped qualifier. The peer has sent its reply and the end of
  // its stream in one segment.
  RawPeer ended() {
    EXPECT_DAT_OK(connect(own_.ep(), address_of(own_ia_), 0x123456789a, "please"));
    RawPeer peer = hostile_.accept();
    EXPECT_EQ(peer.hear_request().size(), 46U);
    peer.say_and_finish(good_reply());
    expect_connection_event(own_.connect_evd(), DAT_CONNECTION_EVENT_ESTABLISHED, own_.ep());
    return peer;
  }
  Ia open_with_one_port() const {
    const std::string port = std::to_string(hostile_.qualifier());
    const Variable candidates("DATUM_PORT_RANGE", port + "-" + port);
    return open_ia();
  }

  Ia own_ia_ = open_with_one_port();
  Side own_{own_ia_};
};

// Rules: tcp.A8
TEST_F(MappedQualifiers, OneThatWasKilledBeforeItHeardUsIsBroken) {
  { const RawPeer killed = ended(); }
  expect_end(own_, DAT_CONNECTION_EVENT_BROKEN);
}

// Rules: tcp.A8
TEST_F(MappedQualifiers, OneThatEndsInOrderBeforeItHeardUsIsDisconnected) {
  RawPeer peer = ended();
  expect_end(own_, DAT_CONNECTION_EVENT_DISCONNECTED);
  EXPECT_EQ(peer.hear_the_end(), "none");
}

} // namespace
} // namespace datum::test
