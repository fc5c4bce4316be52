// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Peers that break the rules of the wire. Each such peer loses only its own connection, gets a
// Terminate if the standard has a code for the fault, and reaches no memory other than what it was
// granted.
#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <ostream>
#include <string>

#include "besieged.h"
#include "descriptors.h"

namespace datum::test {
namespace {

constexpr std::size_t kReads = 2;
constexpr DAT_UINT64 kRecvs = 2;
constexpr std::size_t kRecvSize = 64;

// The STags and addresses that a stranger may know.
struct Known {
  std::uint32_t stag, read_only, write_only;
  std::uint64_t base; // of stag
  std::uint64_t read_only_base, write_only_base;
  std::uint32_t others_stag; // of the other connection
  std::uint64_t others_base;
};

struct Attack {
  const char* name;
  const char* terminate;
  Echo echo; // of the last FPDU
  std::function<Octets(const Known&)> says;
  Octets answer = {}; // the answer to the valid FPDUs before it
};
std::ostream& operator<<(std::ostream& out, const Attack& attack) {
  return out << attack.name;
}

constexpr std::uint64_t kSize = Granted::kSize;

const Attack kAttacks[] = {
    {"WriteToAGuessedStag", "1/1/00", Echo::Header,
     [](const Known& k) { return tagged(Opcode::Write, k.stag ^ 0x01000000, k.base, 8); }},
    {"WriteWithAnOldKey", "1/1/00", Echo::Header,
     [](const Known& k) { return tagged(Opcode::Write, k.stag - 1, k.base, 8); }},
    {"WriteToStagZero", "1/1/00", Echo::Header,
     [](const Known& k) { return tagged(Opcode::Write, 0, k.base, 8); }},
    {"WriteToTheLastStag", "1/1/00", Echo::Header,
     [](const Known& k) { return tagged(Opcode::Write, 0xffffffff, k.base, 8); }},
    {"WriteToAnothersRegion", "1/1/02", Echo::Header,
     [](const Known& k) { return tagged(Opcode::Write, k.others_stag, k.others_base, 8); }},
    {"WriteWhereOnlyReadsMay", "1/1/00", Echo::Header,
     [](const Known& k) { return tagged(Opcode::Write, k.read_only, k.read_only_base, 8); }},
    {"WriteOnePastTheEnd", "1/1/01", Echo::Header,
     [](const Known& k) { return tagged(Opcode::Write, k.stag, k.base + kSize - 7, 8); }},
    {"WriteOneBeforeTheBeginning", "1/1/01", Echo::Header,
     [](const Known& k) { return tagged(Opcode::Write, k.stag, k.base - 1, 8); }},
    {"WriteThatWraps", "1/1/03", Echo::Header,
     [](const Known& k) { return tagged(Opcode::Write, k.stag, ~std::uint64_t{3}, 8); }},
    {"ReadFromAGuessedStag", "0/1/00", Echo::Request,
     [](const Known& k) { return read_request(1, 8, k.stag ^ 0x01000000, k.base); }},
    {"ReadFromAnothersRegion", "0/1/03", Echo::Request,
     [](const Known& k) { return read_request(1, 8, k.others_stag, k.others_base); }},
    {"ReadWhereOnlyWritesMay", "0/1/02", Echo::Request,
     [](const Known& k) { return read_request(1, 8, k.write_only, k.write_only_base); }},
    {"ReadPastTheEnd", "0/1/01", Echo::Request,
     [](const Known& k) { return read_request(1, kSize + 1, k.stag, k.base); }},
    {"ReadOfNearlyEverything", "0/1/01", Echo::Request,
     [](const Known& k) { return read_request(1, 0xffffffff, k.stag, k.base); }},
    {"ReadThatWraps", "0/1/04", Echo::Request,
     [](const Known& k) { return read_request(1, 8, k.stag, ~std::uint64_t{3}); }},
    {"SendRewound", "1/2/03", Echo::Header,
     [](const Known&) { return send_message(1, 8) + send_message(1, 8); }},
    {"SendAhead", "1/2/03", Echo::Header, [](const Known&) { return send_message(2, 8); }},
    {"SendOfMessageZero", "1/2/03", Echo::Header, [](const Known&) { return send_message(0, 8); }},
    {"SendLongerThanItsRecv", "1/2/05", Echo::Header,
     [](const Known&) { return send_message(1, kRecvSize + 1); }},
    {"SendThatBeginsInTheMiddle", "1/2/04", Echo::Header,
     [](const Known&) { return untagged(Opcode::Send, 0, 1, 8, Octets(8)); }},
    {"SendWhoseOffsetWraps", "1/2/04", Echo::Header,
     [](const Known&) {
       return untagged(Opcode::Send, 0, 1, 0, Octets(8), false) +
              untagged(Opcode::Send, 0, 1, 0xfffffffc, Octets(8));
     }},
    {"SendToAQueueThatIsNone", "1/2/01", Echo::Header,
     [](const Known&) { return untagged(Opcode::Send, 7, 1, 0, Octets(8)); }},
    {"ReadRewound", "1/2/03", Echo::Header,
     [](const Known& k) {
       return read_request(1, 8, k.stag, k.base) + read_request(1, 8, k.stag, k.base);
     },
     tagged(Opcode::ReadResponse, kSinkStag, kSinkOffset, Octets(8, Granted::kUntouched))},
    {"AnswerToNoRead", "1/0/00", Echo::Header,
     [](const Known& k) { return tagged(Opcode::ReadResponse, k.stag, k.base, 8); }},
    {"LengthZero", "1/0/00", Echo::Nothing, [](const Known&) { return Octets(64); }},
    {"Ones", "1/1/04", Echo::Nothing, [](const Known&) { return Octets(64, 0xff); }},
    {"ARequestAgain", "1/0/00", Echo::Nothing,
     [](const Known&) { return Octets(2) + plain_request(); }},
    {"TerminateOfNothing", "none", Echo::Nothing,
     [](const Known&) { return untagged(Opcode::Terminate, 2, 1, 0, Octets(4)); }},
};

class HostileFrames : public Besieged, public testing::WithParamInterface<Attack> {};

// Rules: tcp.H1
TEST_P(HostileFrames, EndTheirOwnConnectionAndTouchNothing) {
  Side victim(ia_, {.change = [](DAT_EP_ATTR& attr) { attr.max_rdma_read_in = kReads; }});
  const Granted both(victim, DAT_MEM_PRIV_ALL_FLAG);
  const Granted read_only(victim, DAT_MEM_PRIV_REMOTE_READ_FLAG);
  const Granted write_only(victim, DAT_MEM_PRIV_REMOTE_WRITE_FLAG);
  Buffer messages = victim.buffer(kRecvs * kRecvSize);
  for (DAT_UINT64 i = 0; i < kRecvs; ++i)
    EXPECT_DAT_OK(post_recv(victim.ep(), {messages.segment(i * kRecvSize, kRecvSize)}, i));
  RawPeer peer = connected_stranger(victim);
  expect_connection_event(victim.connect_evd(), DAT_CONNECTION_EVENT_ESTABLISHED, victim.ep());
  const Buffer& others = bystanders_.target();
  const Known known{both.stag(),      read_only.stag(),  write_only.stag(),    both.base(),
                    read_only.base(), write_only.base(), others.rmr_context(), others.address()};
  EXPECT_TRUE(peer.say(carrier(0, 0))); // tcp.H6 is about garbage in the first FPDU
  const Octets said = GetParam().says(known);
  EXPECT_TRUE(peer.say(said));
  const std::string code = peer.hear_the_end();
  EXPECT_EQ(code, GetParam().terminate);
  // The peer has got no other octet, so no memory was read that is not granted.
  const Octets last_words =
      code == "none" ? Octets() : terminate(GetParam().terminate, GetParam().echo, said);
  EXPECT_EQ(peer.heard(), GetParam().answer + last_words);
  expect_end(victim, DAT_CONNECTION_EVENT_BROKEN);
  for (const Granted* each : {&both, &read_only, &write_only}) each->expect_untouched();
  bystanders_.expect_unharmed();
}

INSTANTIATE_TEST_SUITE_P(Of, HostileFrames, testing::ValuesIn(kAttacks),
                         [](const auto& one) { return std::string(one.param.name); });

// --- before there is a connection ----------------------------------------------------------------

struct Opening {
  const char* name;
  Octets says;
};
std::ostream& operator<<(std::ostream& out, const Opening& opening) {
  return out << opening.name;
}

class HostileOpenings : public Besieged, public testing::WithParamInterface<Opening> {};

// Rules: tcp.H2
TEST_P(HostileOpenings, AreClosedWithoutAWordAndNobodyIsAsked) {
  RawPeer peer = stranger();
  EXPECT_TRUE(peer.say(GetParam().says));
  EXPECT_EQ(peer.hear_the_end(), "none");
  EXPECT_EQ(peer.heard(), Octets());
  EXPECT_NO_EVENT(listener_.evd());
  bystanders_.expect_unharmed();
}

INSTANTIATE_TEST_SUITE_P(
    Of, HostileOpenings,
    testing::Values(
        Opening{"Zeros", Octets(64)}, Opening{"Ones", Octets(64, 0xff)},
        Opening{"AReply", from_hex("4d504120494420526570204672616d6500010000")},
        Opening{"RevisionZero", from_hex("4d504120494420526571204672616d6500000000")},
        Opening{"MorePrivateDataThanMayBe", from_hex("4d504120494420526571204672616d6500010201")},
        Opening{"ShorterThanItSays", from_hex("4d504120494420526571204672616d65100200020000")}),
    [](const auto& one) { return std::string(one.param.name); });

// The peer sends more before its request is answered.
// Rules: tcp.H2
TEST_F(Besieged, WhoeverSpeaksAgainBeforeTheAnswerGetsNone) {
  Side victim(ia_);
  RawPeer peer = stranger();
  EXPECT_TRUE(peer.say(plain_request() + send_message(1, 8)));
  Cr cr = listener_.expect_request();
  EXPECT_DAT_OK(accept(cr, victim.ep()));
  EXPECT_EQ(peer.hear_the_end(), "none");
  EXPECT_EQ(peer.heard(), Octets());
  expect_connection_event(victim.connect_evd(), DAT_CONNECTION_EVENT_ACCEPT_COMPLETION_ERROR,
                          victim.ep());
  bystanders_.expect_unharmed();
}

// Rules: tcp.H2
TEST_F(Besieged, WhatComesAfterTheEndIsThrownAway) {
  Side victim(ia_);
  RawPeer peer = connected_stranger(victim);
  expect_connection_event(victim.connect_evd(), DAT_CONNECTION_EVENT_ESTABLISHED, victim.ep());
  EXPECT_TRUE(peer.say(Octets(64) + Octets(4 * 1024 * 1024, 0xc1)));
  EXPECT_EQ(peer.hear_the_end(), "1/0/00");
  expect_end(victim, DAT_CONNECTION_EVENT_BROKEN);
  bystanders_.expect_unharmed();
}

// --- a peer that claims to be an own peer --------------------------------------------------------

constexpr std::uint64_t kHello = 0x4454'5750'1001'2000; // takes FPDUs of 8192

struct Forgery {
  const char* name;
  const char* terminate;
  Octets says; // the victim has no acknowledgement for one Send
};
std::ostream& operator<<(std::ostream& out, const Forgery& forgery) {
  return out << forgery.name;
}

class HostileHellos : public Besieged, public testing::WithParamInterface<Forgery> {};

// Rules: tcp.H3
TEST_P(HostileHellos, GainNothing) {
  Side victim(ia_);
  Buffer message = victim.buffer(64);
  RawPeer peer = connected_stranger(victim, own_request());
  EXPECT_TRUE(peer.say(carrier(1, kHello)));
  expect_connection_event(victim.connect_evd(), DAT_CONNECTION_EVENT_ESTABLISHED, victim.ep());
  EXPECT_DAT_OK(post_send(victim.ep(), {message.segment()}, 1));
  EXPECT_TRUE(peer.say(GetParam().says));
  EXPECT_EQ(peer.hear_the_end(), GetParam().terminate);
  expect_end(victim, DAT_CONNECTION_EVENT_BROKEN);
  expect_dto(victim.request_evd(), victim.ep(), 1, DAT_DTO_ERR_FLUSHED);
  bystanders_.expect_unharmed();
}

INSTANTIATE_TEST_SUITE_P(
    Of, HostileHellos,
    testing::Values(
        Forgery{"AcknowledgesWhatWasNotSent", "0/2/ff", carrier(2, std::uint64_t{1000} << 32U)},
        Forgery{"AcknowledgesBackwards", "0/2/ff", carrier(2, std::uint64_t{0xffffffff} << 32U)},
        Forgery{"SpeaksOfWhatNobodyKnows", "0/2/ff", carrier(9, 1)},
        Forgery{"EndsWithoutAWord", "none", untagged(Opcode::Terminate, 2, 1, 0, Octets(4))}),
    [](const auto& one) { return std::string(one.param.name); });

// --- a peer that takes all it can get ------------------------------------------------------------

// Rules: tcp.H4
TEST_F(Besieged, MoreReadsThanAreServedAtATimeEndTheConnection) {
  constexpr std::uint32_t kMuch = 16 * 1024 * 1024;
  Side victim(ia_, {.change = [](DAT_EP_ATTR& attr) { attr.max_rdma_read_in = kReads; }});
  const Buffer region = victim.buffer(kMuch);
  RawPeer peer = connected_stranger(victim, plain_request(), 4096);
  expect_connection_event(victim.connect_evd(), DAT_CONNECTION_EVENT_ESTABLISHED, victim.ep());
  // The peer reads none of the answers.
  for (std::uint32_t msn = 1; msn <= kReads + 1; ++msn)
    EXPECT_TRUE(peer.say(read_request(msn, kMuch, region.rmr_context(), region.address())));
  expect_end(victim, DAT_CONNECTION_EVENT_BROKEN);
  EXPECT_EQ(peer.hear_the_end(), "1/2/02");
  EXPECT_LT(peer.heard().size(), std::size_t{kMuch});
  bystanders_.expect_unharmed();
}

// Rules: tcp.H5
TEST_F(Besieged, OneThatReadsNothingHoldsUpNobodyElse) {
  constexpr DAT_UINT64 kSends = 8;
  Side victim(ia_);
  const Buffer much = victim.buffer(2 * 1024 * 1024);
  const RawPeer peer = connected_stranger(victim, plain_request(), 4096);
  expect_connection_event(victim.connect_evd(), DAT_CONNECTION_EVENT_ESTABLISHED, victim.ep());
  for (DAT_UINT64 i = 0; i < kSends; ++i)
    EXPECT_DAT_OK(post_send(victim.ep(), {much.segment()}, i));
  for (int i = 0; i < 20; ++i) bystanders_.expect_unharmed();
  EXPECT_DAT_OK(dat_ep_disconnect(victim.ep(), DAT_CLOSE_ABRUPT_FLAG));
  expect_end(victim, DAT_CONNECTION_EVENT_DISCONNECTED);
  EXPECT_EQ(drain(victim.request_evd()), static_cast<int>(kSends));
  bystanders_.expect_unharmed();
}

void expect_nothing_yet(const Listener& listener) {
  DAT_EVENT event{};
  DAT_COUNT more = 0;
  EXPECT_DAT_TYPE(dat_evd_wait(listener.evd(), 100'000, 1, &event, &more), DAT_TIMEOUT_EXPIRED);
}

// Small messages without Recvs: the victim keeps a bounded number, then TCP holds the peer up.
// Rules: tcp.H5
TEST_F(Besieged, AFloodOfMessagesWithoutRecvsIsHeldByTcp) {
  const Variable patience("DATUM_RNR_TIMEOUT", "600000");
  const Ia ia = open_ia();
  Listener listener(ia);
  Side victim(ia);
  std::optional<RawPeer> flood(std::in_place, address_of(ia), listener.qualifier());
  RawPeer& peer = *flood;
  EXPECT_TRUE(peer.say(plain_request()));
  Cr cr = listener.expect_request();
  EXPECT_DAT_OK(accept(cr, victim.ep()));
  EXPECT_EQ(peer.hear_reply().size(), 20U);
  expect_connection_event(victim.connect_evd(), DAT_CONNECTION_EVENT_ESTABLISHED, victim.ep());
  // The buffers of both kernels hold a few MiB.
  constexpr std::size_t kMost = 64 * 1024 * 1024;
  std::size_t taken = 0;
  std::uint32_t msn = 0;
  Octets next;
  for (int refused = 0; refused < 3 && taken < kMost;) {
    while (next.size() < 65536) next = std::move(next) + send_message(++msn, 100);
    const std::size_t now = peer.say_at_most(next);
    next.erase(next.begin(), next.begin() + static_cast<std::ptrdiff_t>(now));
    taken += now;
    refused = now == 0 ? refused + 1 : 0;
    // Gives the victim time to read more, which it must not, and checks the other connection.
    if (now == 0) bystanders_.expect_unharmed();
  }
  EXPECT_LT(taken, kMost);
  const std::size_t descriptors = open_descriptors();
  EXPECT_DAT_OK(dat_ep_disconnect(victim.ep(), DAT_CLOSE_ABRUPT_FLAG));
  expect_end(victim, DAT_CONNECTION_EVENT_DISCONNECTED);
  // The victim throws all of it away and then sees the end of the peer.
  EXPECT_EQ(peer.hear_the_end(), "none");
  flood.reset();
  for (int i = 0; i < 30 && open_descriptors() > descriptors - 2; ++i) expect_nothing_yet(listener);
  EXPECT_EQ(open_descriptors(), descriptors - 2);
}

} // namespace
} // namespace datum::test
