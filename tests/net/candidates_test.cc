// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Qualifiers of more than 16 bits over TCP, while programs that know nothing of DAT listen on their
// candidate ports (docs/design/tcp.md).
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <list>
#include <memory>
#include <ostream>
#include <string>

#include "connection.h"
#include "foreign.h"
#include "two_hosts.h"

namespace datum::net {
namespace {

using test::Cr;
using test::Evd;
using test::expect_connection_event;
using test::Ia;
using test::next_event;
using test::Psp;
using test::Side;

constexpr DAT_TIMEOUT seconds(DAT_TIMEOUT number) {
  return number * 1'000'000;
}
constexpr DAT_CONN_QUAL kQualifier = 0x123456789a;
// The candidate ports: splitmix64 of the qualifier, mapped into 16384 to 24575.
constexpr std::array<std::uint16_t, 8> kPorts{18951, 24486, 17052, 18166,
                                              20367, 19072, 22855, 20286};

Ia open_ia_at(const Namespace& host, const char* name) {
  const Visit visit(host);
  return test::open_ia(name);
}

// The side `here` connects to the IA `there`.
class Candidates : public testing::Test {
 protected:
  DAT_RETURN listen(Psp& psp, DAT_CONN_QUAL qualifier = kQualifier) {
    const Visit visit(hosts_.there());
    return dat_psp_create(there_ia_, qualifier, requests_, DAT_PSP_CONSUMER_FLAG, psp.out());
  }
  bool is_taken_there(std::uint16_t port) {
    const Visit visit(hosts_.there());
    return is_taken(port);
  }
  // Foreign programs listen on the first `count` candidate ports.
  void let_foreigners_listen(std::size_t count, Manner manner) {
    for (std::size_t i = 0; i < count; ++i)
      foreigners_.emplace_back(hosts_.there(), kPorts.at(i), manner);
  }
  void connect(DAT_TIMEOUT time) {
    ASSERT_DAT_OK(test::connect(here_.ep(), test::address_of(there_ia_), kQualifier, "asks", time));
  }
  void answer(Cr& cr) {
    EXPECT_EQ(test::request_data(cr), "asks");
    const DAT_PORT_QUAL port = test::query_cr(cr).remote_port_qual;
    ASSERT_DAT_OK(test::accept(cr, there_.ep(), "answers"));
    const auto event =
        expect_connection_event(here_.connect_evd(), DAT_CONNECTION_EVENT_ESTABLISHED, here_.ep());
    EXPECT_EQ(test::reply_data(event), "answers");
    EXPECT_EQ(test::query_ep(here_.ep()).local_port_qual, port);
    expect_connection_event(there_.connect_evd(), DAT_CONNECTION_EVENT_ESTABLISHED, there_.ep());
  }
  void expect_connect(DAT_TIMEOUT time) {
    connect(time);
    Cr cr = test::expect_request(requests_);
    answer(cr);
    EXPECT_NO_EVENT(requests_);
  }
  void expect_failure(DAT_TIMEOUT time, DAT_EVENT_NUMBER number) {
    connect(time);
    expect_connection_event(here_.connect_evd(), number, here_.ep());
    EXPECT_EQ(test::ep_state(here_.ep()), DAT_EP_STATE_DISCONNECTED);
  }

  TwoHosts hosts_;
  std::list<Foreign> foreigners_;
  Ia here_ia_ = test::open_ia();
  Ia there_ia_ = open_ia_at(hosts_.there(), "datum");
  Evd requests_ = test::create_evd(there_ia_, DAT_EVD_CR_FLAG);
  Side here_{here_ia_};
  Side there_{there_ia_};
};

// Rules: tcp.Q4
TEST_F(Candidates, AListenerTakesTheFirstThatIsFree) {
  let_foreigners_listen(1, Manner::Silent);
  Psp psp;
  ASSERT_DAT_OK(listen(psp));
  EXPECT_TRUE(is_taken_there(kPorts[1]));
  EXPECT_FALSE(is_taken_there(kPorts[2]));
  psp.free();
  EXPECT_FALSE(is_taken_there(kPorts[1]));
}

// Rules: tcp.Q4
TEST_F(Candidates, WithoutAFreeOneTheQualifierIsInUse) {
  let_foreigners_listen(kPorts.size(), Manner::Silent);
  Psp psp;
  EXPECT_DAT_TYPE(listen(psp), DAT_CONN_QUAL_IN_USE);
  foreigners_.pop_back();
  EXPECT_DAT_OK(listen(psp));
  EXPECT_TRUE(is_taken_there(kPorts.back()));
}

// Rules: tcp.Q4
TEST_F(Candidates, TheSameQualifierTwiceIsInUse) {
  Psp one;
  Psp other;
  ASSERT_DAT_OK(listen(one));
  EXPECT_DAT_TYPE(listen(other), DAT_CONN_QUAL_IN_USE);
}

struct Case {
  const char* name;
  Manner manner;
};
std::ostream& operator<<(std::ostream& out, const Case& one) {
  return out << one.name;
}

class AmongForeigners : public Candidates, public testing::WithParamInterface<Case> {};

// Rules: tcp.Q5 dat_ep_connect.R23
TEST_P(AmongForeigners, AConnectFindsItsListener) {
  let_foreigners_listen(2, GetParam().manner);
  Psp psp;
  ASSERT_DAT_OK(listen(psp));
  EXPECT_TRUE(is_taken_there(kPorts[2]));
  expect_connect(seconds(8));
}

// Rules: tcp.Q5
TEST_P(AmongForeigners, AConnectWithoutATimeLimitFindsItsListener) {
  let_foreigners_listen(2, GetParam().manner);
  Psp psp;
  ASSERT_DAT_OK(listen(psp));
  expect_connect(DAT_TIMEOUT_INFINITE);
}

// The connect may spend at most half of its time on the other candidates.
// Rules: tcp.Q5
TEST_P(AmongForeigners, TheLastOfThemIsAskedInTime) {
  let_foreigners_listen(kPorts.size() - 1, GetParam().manner);
  Psp psp;
  ASSERT_DAT_OK(listen(psp));
  expect_connect(seconds(6));
}

INSTANTIATE_TEST_SUITE_P(Who, AmongForeigners,
                         testing::Values(Case{"Close", Manner::Closes},
                                         Case{"HangUp", Manner::HangsUp},
                                         Case{"Greet", Manner::Greets},
                                         Case{"AreSilent", Manner::Silent}),
                         [](const auto& one) { return one.param.name; });

// Rules: tcp.Q6
TEST_F(Candidates, WhereForeignersSayNoTheAnswerIsNonPeerRejected) {
  let_foreigners_listen(4, Manner::HangsUp);
  expect_failure(DAT_TIMEOUT_INFINITE, DAT_CONNECTION_EVENT_NON_PEER_REJECTED);
}

// A silent peer may be waiting for its consumer's answer, so the connect waits for the peer.
// Rules: tcp.Q6 C-08
TEST_F(Candidates, WhereAForeignerIsSilentTheTimeRunsOut) {
  let_foreigners_listen(1, Manner::Silent);
  const auto before = std::chrono::steady_clock::now();
  expect_failure(seconds(2), DAT_CONNECTION_EVENT_TIMED_OUT);
  EXPECT_GE(std::chrono::steady_clock::now() - before, std::chrono::seconds(2));
}

// The consumer takes longer than a connect waits at a candidate. Meanwhile foreign programs hang up
// or stay silent at other candidates.
// Rules: tcp.Q7
TEST_F(Candidates, AConsumerThatTakesItsTimeIsWaitedFor) {
  Psp psp;
  ASSERT_DAT_OK(listen(psp));
  foreigners_.emplace_back(hosts_.there(), kPorts[1], Manner::HangsUp);
  foreigners_.emplace_back(hosts_.there(), kPorts[2], Manner::Silent);
  connect(seconds(20));
  Cr cr = test::expect_request(requests_);
  DAT_EVENT event{};
  DAT_COUNT more = 0;
  EXPECT_DAT_TYPE(dat_evd_wait(here_.connect_evd(), seconds(5), 1, &event, &more),
                  DAT_TIMEOUT_EXPIRED);
  answer(cr);
  EXPECT_NO_EVENT(requests_);
}

// Rules: tcp.Q8
TEST_F(Candidates, APortThatIsAQualifierItselfIsNotOursToAskAt) {
  Psp port;
  Psp psp;
  ASSERT_DAT_OK(listen(port, kPorts[0]));
  ASSERT_DAT_OK(listen(psp));
  connect(seconds(8));
  Cr cr = test::expect_request(requests_);
  answer(cr);
  EXPECT_NO_EVENT(requests_);
}

// --- every address and one of them ---------------------------------------------------------------

struct Names {
  const char* first;
  const char* second;
  bool conflict;
};
std::ostream& operator<<(std::ostream& out, const Names& names) {
  return out << names.first << " and " << names.second;
}

class AddressesOfOneQualifier : public testing::TestWithParam<Names> {
 protected:
  TwoHosts hosts_;
};

// Rules: tcp.Q9 CONN.26
TEST_P(AddressesOfOneQualifier, ConflictWhereOneOfThemIsAll) {
  const Ia first = open_ia_at(hosts_.here(), GetParam().first);
  const Ia second = open_ia_at(hosts_.here(), GetParam().second);
  const Evd first_evd = test::create_evd(first, DAT_EVD_CR_FLAG);
  const Evd second_evd = test::create_evd(second, DAT_EVD_CR_FLAG);
  for (const DAT_CONN_QUAL qualifier : {DAT_CONN_QUAL{7777}, kQualifier, ~DAT_CONN_QUAL{0}}) {
    Psp psp = test::create_psp(first, qualifier, first_evd);
    Psp other;
    const DAT_RETURN answer =
        dat_psp_create(second, qualifier, second_evd, DAT_PSP_CONSUMER_FLAG, other.out());
    EXPECT_EQ(DAT_GET_TYPE(answer), GetParam().conflict ? DAT_CONN_QUAL_IN_USE : DAT_SUCCESS)
        << qualifier;
    other.free();
    psp.free();
    EXPECT_DAT_OK(dat_psp_create(second, qualifier, second_evd, DAT_PSP_CONSUMER_FLAG, other.out()))
        << qualifier;
  }
}

INSTANTIATE_TEST_SUITE_P(Of, AddressesOfOneQualifier,
                         testing::Values(Names{"datum", "datum-lo", true},
                                         Names{"datum-lo", "datum", true},
                                         Names{"datum-lo", "datum-wire", false}),
                         [](const auto& names) {
                           const std::string first = names.param.first;
                           return first == "datum"       ? "EveryOneFirst"
                                  : names.param.conflict ? "EveryOneSecond"
                                                         : "TwoOfThem";
                         });

} // namespace
} // namespace datum::net
