// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// How connections between two hosts come up, fail and end when the wire or a host fails.
#include <gtest/gtest.h>

#include <arpa/inet.h>
#include <netinet/in.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

#include "connection.h"
#include "foreign.h"
#include "run.h"
#include "said.h"
#include "two_hosts.h"
#include "variable.h"

namespace datum::net {
namespace {

using test::Buffer;
using test::Cr;
using test::expect_connection_event;
using test::expect_dto;
using test::Ia;
using test::Listener;
using test::next_event;
using test::post_recv;
using test::post_send;
using test::Side;

constexpr DAT_TIMEOUT kSecond = 1'000'000;
// The limit is 30 s; a loaded machine may need more.
constexpr DAT_TIMEOUT kUntilGone = 45 * kSecond;
constexpr std::size_t kSize = 4096;
// How late an event may be.
constexpr std::chrono::seconds kInTime{1};

Ia open_ia_at(const Namespace& host) {
  const Visit visit(host);
  return test::open_ia();
}

std::unique_ptr<Listener> listen_at(const Namespace& host, DAT_IA_HANDLE ia) {
  const Visit visit(host);
  return std::make_unique<Listener>(ia);
}

// Both hosts are in this process, each with an IA. The side `here` connects to the IA `there`.
class NetEnd : public testing::Test {
 protected:
  void connect_both() {
    ASSERT_DAT_OK(test::connect(here_.ep(), *listener_));
    Cr cr = listener_->expect_request();
    ASSERT_DAT_OK(test::accept(cr, there_.ep()));
    expect_connection_event(here_.connect_evd(), DAT_CONNECTION_EVENT_ESTABLISHED, here_.ep());
    expect_connection_event(there_.connect_evd(), DAT_CONNECTION_EVENT_ESTABLISHED, there_.ep());
  }
  // Posts a message with cookie 1. Its Recv has been posted.
  void post_message(std::string_view text) {
    source_.write(0, text);
    EXPECT_DAT_OK(post_recv(there_.ep(), {target_.segment()}, 1));
    EXPECT_DAT_OK(post_send(here_.ep(), {source_.segment()}, 1));
  }
  void expect_message(std::string_view text) {
    EXPECT_EQ(expect_dto(here_.request_evd(), here_.ep(), 1), kSize);
    EXPECT_EQ(expect_dto(there_.recv_evd(), there_.ep(), 1), kSize);
    EXPECT_EQ(target_.text(0, text.size()), text);
  }
  void expect_nothing_for(DAT_TIMEOUT time) {
    DAT_EVENT event{};
    DAT_COUNT left = 0;
    EXPECT_EQ(DAT_GET_TYPE(dat_evd_wait(here_.request_evd(), time, 1, &event, &left)),
              DAT_TIMEOUT_EXPIRED);
  }
  // The wire is cut for good. `here` has something to send and gets no answer; `there` is idle.
  void cut_for_ever(DAT_TIMEOUT patience) {
    connect_both();
    EXPECT_DAT_OK(post_recv(here_.ep(), {source_.segment()}, 2));
    hosts_.wire().cut();
    post_message("never");
    expect_broken(here_, patience);
    expect_dto(here_.request_evd(), here_.ep(), 1, DAT_DTO_ERR_FLUSHED);
    expect_dto(here_.recv_evd(), here_.ep(), 2, DAT_DTO_ERR_FLUSHED);
    expect_broken(there_, patience);
    expect_dto(there_.recv_evd(), there_.ep(), 1, DAT_DTO_ERR_FLUSHED);
  }
  // The connection breaks, and the event that reports it comes within `patience`.
  void expect_broken(Side& side, DAT_TIMEOUT patience = kUntilGone) {
    const DAT_EVENT event = next_event(side.connect_evd(), patience);
    EXPECT_EQ(event.event_number, DAT_CONNECTION_EVENT_BROKEN);
    EXPECT_EQ(event.event_data.connect_event_data.ep_handle, side.ep().get());
    EXPECT_EQ(test::ep_state(side.ep()), DAT_EP_STATE_DISCONNECTED);
  }
  void connect_to(const char* host, DAT_EVENT_NUMBER expected) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    ASSERT_EQ(inet_pton(AF_INET, host, &address.sin_addr), 1);
    ASSERT_DAT_OK(test::connect(here_.ep(), reinterpret_cast<DAT_IA_ADDRESS_PTR>(&address),
                                test::free_qualifier()));
    EXPECT_EQ(next_event(here_.connect_evd(), kUntilGone).event_number, expected);
  }

  TwoHosts hosts_;
  Ia here_ia_ = test::open_ia();
  Ia there_ia_ = open_ia_at(hosts_.there());
  Side here_{here_ia_};
  Side there_{there_ia_};
  std::unique_ptr<Listener> listener_ = listen_at(hosts_.there(), there_ia_);
  Buffer source_ = here_.buffer(kSize);
  Buffer target_ = there_.buffer(kSize);
};

// Gives a peer up after four seconds of silence instead of 30.
struct FourSeconds {
  test::Variable timeout{"DATUM_PEER_TIMEOUT", "4000"};
};
class NetEndSoon : private FourSeconds, public NetEnd {};

struct OneSecondForAnEnd {
  test::Variable timeout{"DATUM_END_TIMEOUT", "1000"};
};
// The limit for Recvs makes messages wait in strict mode, too.
struct FourSecondsAndAMinuteForARecv {
  test::Variable timeout{"DATUM_PEER_TIMEOUT", "4000"};
  test::Variable wait{"DATUM_RNR_TIMEOUT", "60000"};
};
class NetClosedWindow : private FourSecondsAndAMinuteForARecv, public NetEnd {
 protected:
  static constexpr DAT_UINT64 kMessages = 16;
  static constexpr std::size_t kMessage = 512 * 1024;
  // Sends more than TCP holds while no Recv is posted. After twice the time limit both sides must
  // still be connected.
  void fill_the_window() {
    connect_both();
    much_.fill(9);
    for (DAT_UINT64 i = 0; i < kMessages; ++i)
      EXPECT_DAT_OK(post_send(here_.ep(), {much_.segment(i * kMessage, kMessage)}, i));
    expect_nothing_for(8 * kSecond);
    EXPECT_NO_EVENT(here_.connect_evd());
    EXPECT_NO_EVENT(there_.connect_evd());
  }
  Buffer much_ = here_.buffer(kMessages * kMessage);
  Buffer sink_ = there_.buffer(kMessages * kMessage);
};

class NetEndAtOnce : private OneSecondForAnEnd, public NetEnd {};

// Gives a connected peer up after one second of silence. The permanent neighbour entry keeps the
// kernel from reporting an unreachable host.
struct OneSecond {
  test::Variable timeout{"DATUM_PEER_TIMEOUT", "1000"};
};
class NetSilence : private OneSecond, public NetEnd {
 protected:
  NetSilence() {
    constexpr const char* kCard = "02:00:00:00:00:02";
    hosts_.there().run(std::string("ip link set dev wire address ") + kCard);
    hosts_.here().run(std::string("ip neighbour replace ") + TwoHosts::kThere + " lladdr " + kCard +
                      " dev wire nud permanent");
  }
  // Makes TCP send its SYN again only once, so that it gives up after three seconds.
  void let_tcp_give_up_soon() {
    hosts_.here().run("echo 1 >/proc/sys/net/ipv4/tcp_syn_retries\n"
                      "linear=/proc/sys/net/ipv4/tcp_syn_linear_timeouts\n"
                      "if [ -e $linear ]; then echo 0 >$linear; fi");
  }
  void connect(DAT_TIMEOUT time) { connect(listener_->qualifier(), time); }
  void connect(DAT_CONN_QUAL qualifier, DAT_TIMEOUT time) {
    began_ = std::chrono::steady_clock::now();
    ASSERT_DAT_OK(test::connect(here_.ep(), test::address_of(there_ia_), qualifier, {}, time));
  }
  void expect_timed_out_after(std::chrono::seconds time) {
    EXPECT_EQ(next_event(here_.connect_evd(), kUntilGone).event_number,
              DAT_CONNECTION_EVENT_TIMED_OUT);
    const auto took = std::chrono::steady_clock::now() - began_;
    EXPECT_GE(took, time);
    EXPECT_LE(took, time + kInTime);
  }
  void expect_no_answer_for(DAT_TIMEOUT time) {
    DAT_EVENT event{};
    DAT_COUNT left = 0;
    EXPECT_DAT_TYPE(dat_evd_wait(here_.connect_evd(), time, 1, &event, &left), DAT_TIMEOUT_EXPIRED);
  }

 private:
  std::chrono::steady_clock::time_point began_;
};

// Rules: net.E1
TEST_F(NetEnd, AConnectionGoesOverTheWireAndEndsInOrder) {
  const std::uint64_t before = hosts_.wire().count("offered");
  connect_both();
  post_message("hello");
  expect_message("hello");
  EXPECT_GT(hosts_.wire().count("offered"), before);
  ASSERT_DAT_OK(dat_ep_disconnect(here_.ep(), DAT_CLOSE_GRACEFUL_FLAG));
  expect_connection_event(here_.connect_evd(), DAT_CONNECTION_EVENT_DISCONNECTED, here_.ep());
  expect_connection_event(there_.connect_evd(), DAT_CONNECTION_EVENT_DISCONNECTED, there_.ep());
}

// Rules: net.E2
TEST_F(NetEnd, ACutOfFiveSecondsLosesNothing) {
  connect_both();
  hosts_.wire().cut();
  post_message("late");
  expect_nothing_for(5 * kSecond);
  hosts_.wire().mend();
  // TCP doubles its intervals: the next retransmission comes before another five seconds have
  // passed.
  EXPECT_EQ(next_event(there_.recv_evd(), 10 * kSecond).event_number, DAT_DTO_COMPLETION_EVENT);
  EXPECT_EQ(target_.text(0, 4), "late");
  expect_dto(here_.request_evd(), here_.ep(), 1);
  post_message("again");
  expect_message("again");
  EXPECT_NO_EVENT(here_.connect_evd());
  EXPECT_NO_EVENT(there_.connect_evd());
}

// Rules: net.E3 net.E4 ENV.9
TEST_F(NetEndSoon, ACutForEverBreaksBothSidesWithinTheTimeSet) {
  cut_for_ever(8 * kSecond);
}

// `here` gives its peer up after seven seconds of silence, `there` after eleven. In a long run the
// time of `there` is 25 seconds, which is a multiple of no interval between one second and it.
// Neither side has anything to send.
// Rules: net.E4 ENV.9
TEST(NetIdle, ASideIsGivenUpInTheSecondBehindTheTimeSet) {
  using Clock = std::chrono::steady_clock;
  using std::chrono::seconds;
  TwoHosts hosts;
  const auto open_with = [](const Namespace& host, const std::string& patience) {
    const test::Variable timeout("DATUM_PEER_TIMEOUT", patience);
    return open_ia_at(host);
  };
  Ia here_ia = open_with(hosts.here(), "7000");
  const seconds there_time(run_long() ? 25 : 11);
  Ia there_ia = open_with(hosts.there(), std::to_string(there_time.count()) + "000");
  Side here(here_ia);
  Side there(there_ia);
  const auto listener = listen_at(hosts.there(), there_ia);
  ASSERT_DAT_OK(test::connect(here.ep(), *listener));
  Cr cr = listener->expect_request();
  ASSERT_DAT_OK(test::accept(cr, there.ep()));
  expect_connection_event(here.connect_evd(), DAT_CONNECTION_EVENT_ESTABLISHED, here.ep());
  expect_connection_event(there.connect_evd(), DAT_CONNECTION_EVENT_ESTABLISHED, there.ep());
  Buffer source = here.buffer(kSize);
  Buffer target = there.buffer(kSize);
  const Clock::time_point last_heard_after = Clock::now();
  EXPECT_DAT_OK(post_recv(there.ep(), {target.segment()}, 1));
  EXPECT_DAT_OK(post_send(here.ep(), {source.segment()}, 1));
  expect_dto(there.recv_evd(), there.ep(), 1);
  expect_dto(here.request_evd(), here.ep(), 1);
  std::this_thread::sleep_for(seconds(1)); // until all is acknowledged
  hosts.wire().cut();
  const Clock::time_point last_heard_before = Clock::now();
  const auto expect_broken_after = [&](Side& side, seconds time) {
    EXPECT_EQ(next_event(side.connect_evd(), kUntilGone).event_number, DAT_CONNECTION_EVENT_BROKEN);
    const Clock::time_point now = Clock::now();
    EXPECT_GE(now - last_heard_after, time);
    EXPECT_LE(now - last_heard_before, time + kInTime);
  };
  expect_broken_after(here, seconds(7));
  expect_broken_after(there, there_time);
}

// The default limit.
// Rules: net.E3 net.E4 ENV.9
TEST_F(NetEnd, ACutForEverBreaksBothSidesAfter30Seconds) {
  const auto heard_after = std::chrono::steady_clock::now();
  cut_for_ever(kUntilGone);
  EXPECT_GE(std::chrono::steady_clock::now() - heard_after, std::chrono::seconds(30));
}

// Rules: net.E16 ENV.9
TEST_F(NetClosedWindow, APeerThatAnswersIsThereHoweverLongItTakesNothing) {
  fill_the_window();
  for (DAT_UINT64 i = 0; i < kMessages; ++i)
    EXPECT_DAT_OK(post_recv(there_.ep(), {sink_.segment(i * kMessage, kMessage)}, i));
  for (DAT_UINT64 i = 0; i < kMessages; ++i) {
    EXPECT_EQ(expect_dto(there_.recv_evd(), there_.ep(), i), kMessage);
    expect_dto(here_.request_evd(), here_.ep(), i);
  }
  EXPECT_TRUE(sink_.holds(9, 0, kMessages * kMessage));
}

// Rules: net.E17 ENV.9
TEST_F(NetClosedWindow, AHostThatVanishesBehindItIsGone) {
  fill_the_window();
  hosts_.wire().cut();
  expect_broken(here_);
  for (DAT_UINT64 i = 0; i < kMessages; ++i)
    expect_dto(here_.request_evd(), here_.ep(), i, DAT_DTO_ERR_FLUSHED);
}

// Rules: net.E2 net.E16
TEST_F(NetClosedWindow, ACutThatIsShorterThanTheLimitLosesNothing) {
  fill_the_window();
  hosts_.wire().cut();
  expect_nothing_for(kSecond / 2);
  hosts_.wire().mend();
  expect_nothing_for(6 * kSecond);
  EXPECT_NO_EVENT(here_.connect_evd());
}

// An end waits one second for the peer. After that TCP alone goes on.
// Rules: net.E15
TEST_F(NetEndAtOnce, AWireThatIsCutWhileAConnectionEndsIsNoBreak) {
  connect_both();
  hosts_.wire().cut();
  ASSERT_DAT_OK(dat_ep_disconnect(here_.ep(), DAT_CLOSE_ABRUPT_FLAG));
  expect_connection_event(here_.connect_evd(), DAT_CONNECTION_EVENT_DISCONNECTED, here_.ep());
  DAT_EVENT event{};
  DAT_COUNT left = 0;
  EXPECT_DAT_TYPE(dat_evd_wait(there_.connect_evd(), 2 * kSecond, 1, &event, &left),
                  DAT_TIMEOUT_EXPIRED);
  hosts_.wire().mend();
  EXPECT_EQ(next_event(there_.connect_evd(), 10 * kSecond).event_number,
            DAT_CONNECTION_EVENT_DISCONNECTED);
}

// The peer is far away and has not said Hello yet. That does not make it a foreign peer.
// Rules: net.E11
TEST_F(NetEnd, APeerFarAwayAcknowledgesWhatItHasPlaced) {
  hosts_.wire().set_faults("delay=400000");
  connect_both();
  source_.write(0, "far away");
  EXPECT_DAT_OK(post_send(here_.ep(), {source_.segment()}, 1));
  expect_nothing_for(kSecond); // for longer than TCP on the other host has had the message
  EXPECT_DAT_OK(post_recv(there_.ep(), {target_.segment()}, 1));
  expect_message("far away");
}

// The peer leaves while its reply is on the way. It receives nothing that is sent after the reply
// arrives.
// Rules: iwarp.O20
TEST_F(NetEnd, APeerFarAwayThatHasLeftHasPlacedNothing) {
  hosts_.wire().set_faults("delay=400000");
  ASSERT_DAT_OK(test::connect(here_.ep(), *listener_));
  Cr cr = listener_->expect_request();
  ASSERT_DAT_OK(test::accept(cr, there_.ep()));
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  EXPECT_DAT_OK(dat_ep_disconnect(there_.ep(), DAT_CLOSE_ABRUPT_FLAG));
  expect_connection_event(here_.connect_evd(), DAT_CONNECTION_EVENT_ESTABLISHED, here_.ep());
  EXPECT_DAT_OK(post_send(here_.ep(), {source_.segment()}, 1));
  expect_dto(here_.request_evd(), here_.ep(), 1, DAT_DTO_ERR_FLUSHED);
  expect_connection_event(here_.connect_evd(), DAT_CONNECTION_EVENT_DISCONNECTED, here_.ep());
}

// The CRC must break the connection. Silence would break it as well, but only after 30 s. If a
// process logs this line again and again, some of its lines are left out.
// Rules: net.E5
TEST_F(NetEnd, OneSpoiltOctetBreaksBothSidesAndIsNotDelivered) {
  constexpr DAT_TIMEOUT kSoon = 15 * kSecond;
  connect_both();
  post_message("good");
  expect_message("good");
  hosts_.wire().set_faults("corrupt=10000");
  Said said;
  post_message("spoilt");
  expect_broken(there_, kSoon);
  expect_dto(there_.recv_evd(), there_.ep(), 1, DAT_DTO_ERR_FLUSHED);
  expect_broken(here_, kSoon);
  const DAT_EVENT event = next_event(here_.request_evd());
  ASSERT_EQ(event.event_number, DAT_DTO_COMPLETION_EVENT);
  EXPECT_NE(event.event_data.dto_completion_event_data.status, DAT_DTO_SUCCESS);
  EXPECT_GE(hosts_.wire().count("corrupted"), 1U);
  const std::string text = said.take();
  const std::string there = std::string("connection with ") + TwoHosts::kHere + " port ";
  EXPECT_EQ(lines_with(text, {there, " over TCP: ended by this side: a wrong CRC"}),
            lines_with(text, {there}))
      << text;
}

// The kernel ends the stream of a killed process in order, but Datum has announced no end.
// Rules: net.E10
TEST_F(NetEnd, AProcessThatIsKilledOnTheOtherHostIsBroken) {
  test::PeerProcess peer(
      hosts_.there().command({"/usr/bin/env", std::string("DATUM_TEST_ADDRESS=") + TwoHosts::kHere,
                              std::filesystem::read_symlink("/proc/self/exe"), "--peer"}));
  Listener listener(here_ia_);
  ASSERT_EQ(peer.ask("connect " + std::to_string(listener.qualifier())), "ok");
  Cr cr = listener.expect_request();
  ASSERT_DAT_OK(test::accept(cr, here_.ep()));
  expect_connection_event(here_.connect_evd(), DAT_CONNECTION_EVENT_ESTABLISHED, here_.ep());
  EXPECT_EQ(peer.ask("wait"), "0x04001");
  EXPECT_DAT_OK(post_recv(here_.ep(), {source_.segment()}, 2));
  peer.kill();
  expect_broken(here_);
  expect_dto(here_.recv_evd(), here_.ep(), 2, DAT_DTO_ERR_FLUSHED);
}

// Rules: net.E6
TEST_F(NetEnd, AWireThatIsCutTimesAConnectOut) {
  hosts_.wire().cut();
  const auto began = std::chrono::steady_clock::now();
  ASSERT_DAT_OK(test::connect(here_.ep(), test::address_of(there_ia_), listener_->qualifier(), {},
                              2 * kSecond));
  expect_connection_event(here_.connect_evd(), DAT_CONNECTION_EVENT_TIMED_OUT, here_.ep());
  const auto took = std::chrono::steady_clock::now() - began;
  EXPECT_GE(took, std::chrono::seconds(2));
  EXPECT_LE(took, std::chrono::seconds(2) + kInTime);
}

// Rules: net.E13 C-08
TEST_F(NetSilence, TimesAConnectOutWhenTheConsumerSaysSo) {
  hosts_.wire().cut();
  connect(4 * kSecond);
  expect_timed_out_after(std::chrono::seconds(4));
}

// Rules: net.E13 C-08
TEST_F(NetSilence, IsNoFailureThoughTcpGivesUp) {
  let_tcp_give_up_soon();
  hosts_.wire().cut();
  connect(6 * kSecond);
  expect_timed_out_after(std::chrono::seconds(6));
}

// Rules: net.E14
TEST_F(NetSilence, IsWaitedForWithoutALimit) {
  let_tcp_give_up_soon();
  hosts_.wire().cut();
  connect(DAT_TIMEOUT_INFINITE);
  expect_no_answer_for(6 * kSecond);
  hosts_.wire().mend();
  Cr cr = listener_->expect_request();
  ASSERT_DAT_OK(test::accept(cr, there_.ep()));
  expect_connection_event(here_.connect_evd(), DAT_CONNECTION_EVENT_ESTABLISHED, here_.ep());
}

// TCP was connected, so the peer exists. After one second of silence the connection is given up,
// and the peer is asked again with the same request, not with a request of revision 1.
// Rules: net.E13 net.E14 C-08
TEST_F(NetSilence, OfAHostThatHasAnsweredIsNoRefusal) {
  constexpr std::uint16_t kPort = 7777;
  const std::string request{"MPA ID Req Frame"};
  Foreign silent(hosts_.there(), kPort, Manner::Silent);
  connect(kPort, DAT_TIMEOUT_INFINITE);
  const std::string first = silent.hear(20);
  EXPECT_EQ(first.substr(0, request.size()), request);
  hosts_.wire().cut();
  expect_no_answer_for(6 * kSecond);
  hosts_.wire().mend();
  EXPECT_EQ(silent.hear(20), first);
  ASSERT_DAT_OK(dat_ep_disconnect(here_.ep(), DAT_CLOSE_ABRUPT_FLAG));
  expect_connection_event(here_.connect_evd(), DAT_CONNECTION_EVENT_DISCONNECTED, here_.ep());
}

// Rules: net.E7
TEST_F(NetEnd, WhereNobodyListensIsNonPeerRejected) {
  connect_to(TwoHosts::kThere, DAT_CONNECTION_EVENT_NON_PEER_REJECTED);
}

// Rules: net.E8
TEST_F(NetEnd, AHostThatDoesNotExistIsUnreachable) {
  // ARP asks three times, a second apart by default.
  hosts_.here().run("ip ntable change name arp_cache dev wire retrans 100");
  connect_to("10.87.0.77", DAT_CONNECTION_EVENT_UNREACHABLE);
}

// Rules: net.E8
TEST_F(NetEnd, ANetWithoutARouteIsUnreachable) {
  connect_to("10.88.0.1", DAT_CONNECTION_EVENT_UNREACHABLE);
}

// Rules: net.E9
TEST_F(NetEndSoon, AnAcceptThatDoesNotGetThroughIsAnAcceptCompletionError) {
  ASSERT_DAT_OK(test::connect(here_.ep(), test::address_of(there_ia_), listener_->qualifier(), {},
                              3 * kSecond));
  Cr cr = listener_->expect_request();
  hosts_.wire().cut();
  ASSERT_DAT_OK(test::accept(cr, there_.ep()));
  expect_connection_event(here_.connect_evd(), DAT_CONNECTION_EVENT_TIMED_OUT, here_.ep());
  EXPECT_EQ(next_event(there_.connect_evd(), kUntilGone).event_number,
            DAT_CONNECTION_EVENT_ACCEPT_COMPLETION_ERROR);
}

} // namespace
} // namespace datum::net
