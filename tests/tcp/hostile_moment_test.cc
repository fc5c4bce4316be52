// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Garbage at moments that last only a short time in a connection: before its first FPDU, while a
// message waits for its Recv, and while this side ends the connection.
#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <string>

#include "besieged.h"

namespace datum::test {
namespace {

// FPDUs that are wrong at every moment. No region ever has the STag 0.
struct Garbage {
  const char* name;
  const char* terminate;
  Echo echo;
  Octets says;

  Octets earns() const {
    return terminate == std::string("none") ? Octets() : test::terminate(terminate, echo, says);
  }
};
std::ostream& operator<<(std::ostream& out, const Garbage& garbage) {
  return out << garbage.name;
}

const Garbage kGarbage[] = {
    {"Zeros", "1/0/00", Echo::Nothing, Octets(64)},
    {"Ones", "1/1/04", Echo::Nothing, Octets(64, 0xff)},
    {"ARequestAgain", "0/2/05", Echo::Nothing, own_request()},
    {"SendAhead", "1/2/03", Echo::Header, send_message(9, 8)},
    {"SendToAQueueThatIsNone", "1/2/01", Echo::Header, untagged(Opcode::Send, 7, 1, 0, Octets(8))},
    {"WriteToStagZero", "1/1/00", Echo::Header, tagged(Opcode::Write, 0, 0x1000, 8)},
    {"ReadFromStagZero", "0/1/00", Echo::Request, read_request(1, 8, 0, 0x1000)},
    {"AnswerToNoRead", "1/0/00", Echo::Header, tagged(Opcode::ReadResponse, 0, 0x1000, 8)},
    {"TerminateOfNothing", "none", Echo::Nothing, untagged(Opcode::Terminate, 2, 1, 0, Octets(4))},
};

// The rest of the first FPDU, as long as the FPDU's length says.
Octets rest_of(const Octets& said) {
  const std::size_t ulpdu = std::size_t{said[0]} << 8U | said[1];
  const std::size_t whole = (2 + ulpdu + 3) / 4 * 4 + 4;
  return Octets(whole > said.size() ? whole - said.size() : 0);
}

class HostileMoment : public Besieged, public testing::WithParamInterface<Garbage> {};

// The peer has asked for the peer-to-peer model and has got the reply that names the RTR (RFC 6581
// section 9). The connection is not established before the RTR comes. The victim sends nothing
// before the first valid FPDU (RFC 5044 section 7.1). So it sends its Terminate only after the FPDU
// that comes instead of the RTR has ended.
// Rules: tcp.H6
TEST_P(HostileMoment, InsteadOfTheRtr) {
  Side victim(ia_);
  Buffer message = victim.buffer(64);
  EXPECT_DAT_OK(post_recv(victim.ep(), {message.segment()}, 1));
  RawPeer peer = stranger();
  EXPECT_TRUE(peer.say(own_request()));
  Cr cr = listener_.expect_request();
  EXPECT_DAT_OK(accept(cr, victim.ep()));
  const Octets reply = peer.hear_reply();
  ASSERT_EQ(reply.size(), 24U);
  EXPECT_EQ(reply[17], 2);            // revision
  EXPECT_EQ(reply[20] & 0x80U, 0x80U) // A
      << "no RTR is expected";
  EXPECT_TRUE(peer.say(GetParam().says));
  bystanders_.expect_unharmed();
  EXPECT_TRUE(peer.say(rest_of(GetParam().says)));
  EXPECT_EQ(peer.hear_the_end(), GetParam().terminate);
  EXPECT_EQ(peer.heard(), GetParam().earns());
  expect_end(victim, DAT_CONNECTION_EVENT_ACCEPT_COMPLETION_ERROR);
  expect_dto(victim.recv_evd(), victim.ep(), 1, DAT_DTO_ERR_FLUSHED);
  EXPECT_NO_EVENT(victim.connect_evd());
  bystanders_.expect_unharmed();
}

// The first FPDU never ends.
// Rules: tcp.H6
TEST_F(Besieged, InsteadOfTheRtrSomethingThatStops) {
  const Variable patience("DATUM_PEER_TIMEOUT", "1000");
  const Ia ia = open_ia();
  Listener listener(ia);
  Side victim(ia);
  RawPeer peer(address_of(ia), listener.qualifier());
  EXPECT_TRUE(peer.say(own_request()));
  Cr cr = listener.expect_request();
  EXPECT_DAT_OK(accept(cr, victim.ep()));
  EXPECT_EQ(peer.hear_reply().size(), 24U);
  EXPECT_TRUE(peer.say(Octets(64, 0xff)));
  EXPECT_EQ(peer.hear_the_end(), "none");
  EXPECT_EQ(peer.heard(), Octets());
  expect_end(victim, DAT_CONNECTION_EVENT_ACCEPT_COMPLETION_ERROR);
  bystanders_.expect_unharmed();
}

// The waiting message was valid but has not been delivered: it ends with its connection. A Read
// behind that message has not begun (RFC 5040 section 5.5), so it gets no answer.
// Rules: tcp.H7
TEST_P(HostileMoment, WhileAMessageWaitsForItsRecv) {
  const Variable patience("DATUM_RNR_TIMEOUT", "600000");
  const Ia ia = open_ia();
  Listener listener(ia);
  Side victim(ia);
  const Granted region(victim, DAT_MEM_PRIV_ALL_FLAG);
  RawPeer peer(address_of(ia), listener.qualifier());
  EXPECT_TRUE(peer.say(plain_request()));
  Cr cr = listener.expect_request();
  EXPECT_DAT_OK(accept(cr, victim.ep()));
  EXPECT_EQ(peer.hear_reply().size(), 20U);
  expect_connection_event(victim.connect_evd(), DAT_CONNECTION_EVENT_ESTABLISHED, victim.ep());
  EXPECT_TRUE(peer.say(send_message(1, 8)));
  // Sends a valid Read, unless the garbage itself is a Read with this MSN.
  const bool reads = GetParam().echo == Echo::Request;
  if (!reads) {
    EXPECT_TRUE(peer.say(read_request(1, 8, region.stag(), region.base())));
  }
  EXPECT_TRUE(peer.say(GetParam().says));
  EXPECT_EQ(peer.hear_the_end(), GetParam().terminate);
  EXPECT_EQ(peer.heard(), GetParam().earns());
  expect_end(victim, DAT_CONNECTION_EVENT_BROKEN);
  Buffer late = victim.buffer(64);
  EXPECT_DAT_OK(post_recv(victim.ep(), {late.segment()}, 1));
  expect_dto(victim.recv_evd(), victim.ep(), 1, DAT_DTO_ERR_FLUSHED);
  EXPECT_NO_EVENT(victim.recv_evd());
  region.expect_untouched();
  bystanders_.expect_unharmed();
}

// The victim has ended its stream in order. After that it cannot send a Terminate.
// Rules: tcp.H8
TEST_P(HostileMoment, BehindOurOwnDisconnect) {
  Side victim(ia_);
  Buffer message = victim.buffer(64);
  EXPECT_DAT_OK(post_recv(victim.ep(), {message.segment()}, 1));
  RawPeer peer = connected_stranger(victim);
  expect_connection_event(victim.connect_evd(), DAT_CONNECTION_EVENT_ESTABLISHED, victim.ep());
  EXPECT_TRUE(peer.say(send_message(1, 8)));
  EXPECT_EQ(expect_dto(victim.recv_evd(), victim.ep(), 1), 8U);
  EXPECT_DAT_OK(dat_ep_disconnect(victim.ep(), DAT_CLOSE_GRACEFUL_FLAG));
  expect_end(victim, DAT_CONNECTION_EVENT_DISCONNECTED);
  EXPECT_TRUE(peer.say(GetParam().says + Octets(1024 * 1024, 0xc1)));
  EXPECT_EQ(peer.hear_the_end(), "none");
  EXPECT_EQ(peer.heard(), Octets());
  EXPECT_NO_EVENT(victim.connect_evd());
  bystanders_.expect_unharmed();
}

// The Terminate of a connection that the consumer disconnects while a Read has no answer.
class HostileDrain : public HostileMoment {
 protected:
  void drain_towards(RawPeer& peer) {
    expect_connection_event(victim_.connect_evd(), DAT_CONNECTION_EVENT_ESTABLISHED, victim_.ep());
    EXPECT_TRUE(peer.say(carrier(0, 0))); // nothing leaves before the first FPDU
    EXPECT_DAT_OK(
        post_read(victim_.ep(), {sink_.segment(0, 8)}, remote_part(kStag, kAddress, 8), 1));
    EXPECT_DAT_OK(dat_ep_disconnect(victim_.ep(), DAT_CLOSE_GRACEFUL_FLAG));
    EXPECT_EQ(ep_state(victim_.ep()), DAT_EP_STATE_DISCONNECT_PENDING);
    request_ = peer.hear(kRequestSize);
    Octets expected = read_request(1, 8, kStag, kAddress);
    ASSERT_EQ(request_.size(), expected.size());
    // The sink of the Read may have any STag and address.
    std::copy_n(request_.begin() + 20, 12, expected.begin() + 20);
    EXPECT_EQ(request_, expected);
  }
  void expect_broken(const RawPeer& peer, const Octets& last_words,
                     DAT_DTO_COMPLETION_STATUS status) {
    EXPECT_EQ(peer.heard(), request_ + last_words);
    expect_end(victim_, DAT_CONNECTION_EVENT_BROKEN);
    expect_dto(victim_.request_evd(), victim_.ep(), 1, status);
    EXPECT_NO_EVENT(victim_.request_evd());
    EXPECT_NO_EVENT(victim_.connect_evd());
    EXPECT_TRUE(sink_.holds(0, 0, 64));
    bystanders_.expect_unharmed();
  }

  static constexpr std::size_t kRequestSize = 52;
  static constexpr std::uint32_t kStag = 0x12345601;
  static constexpr std::uint64_t kAddress = 0x2000;
  Side victim_{ia_};
  Buffer sink_ = victim_.buffer(64);
  Octets request_;
};

// Rules: tcp.H8
TEST_P(HostileDrain, WhileWeWaitForWhatIsOutstanding) {
  RawPeer peer = connected_stranger(victim_);
  sink_.fill(0);
  ASSERT_NO_FATAL_FAILURE(drain_towards(peer));
  EXPECT_TRUE(peer.say(GetParam().says));
  std::string code = GetParam().terminate;
  Octets last_words = GetParam().earns();
  DAT_DTO_COMPLETION_STATUS status = DAT_DTO_ERR_FLUSHED;
  if (GetParam().name == std::string("AnswerToNoRead")) { // here the garbage answers another Read
    code = "1/1/00";
    last_words = terminate(code, Echo::Header, GetParam().says);
    status = DAT_DTO_ERR_BAD_RESPONSE;
  } else if (code == "none") { // 0/0/00: the responder is at fault
    status = DAT_DTO_ERR_REMOTE_RESPONDER;
  }
  EXPECT_EQ(peer.hear_the_end(), code);
  expect_broken(peer, last_words, status);
}

const auto kNames = [](const testing::TestParamInfo<Garbage>& one) {
  return std::string(one.param.name);
};
INSTANTIATE_TEST_SUITE_P(With, HostileMoment, testing::ValuesIn(kGarbage), kNames);
INSTANTIATE_TEST_SUITE_P(With, HostileDrain, testing::ValuesIn(kGarbage), kNames);

} // namespace
} // namespace datum::test
