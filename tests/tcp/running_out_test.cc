// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// More peers than the IA has descriptors, places or patience for.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <list>
#include <string>
#include <vector>

#include "besieged.h"
#include "descriptors.h"
#include "two_processes.h"

namespace datum::test {
namespace {

// The processor time of all threads of this process, in microseconds.
std::int64_t processor_time() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return (used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1'000'000 + used.ru_utime.tv_usec +
         used.ru_stime.tv_usec;
}

class RunningOut : public Besieged {
 protected:
  // No request comes within `time` us.
  void expect_no_request_for(DAT_TIMEOUT time) {
    DAT_EVENT event{};
    DAT_COUNT more = 0;
    EXPECT_DAT_TYPE(dat_evd_wait(listener_.evd(), time, 1, &event, &more), DAT_TIMEOUT_EXPIRED);
  }
  DAT_CONN_QUAL free_port() const { return Listener(ia_).qualifier(); }
  // Starts other processes, which have descriptors of their own. Their connections wait in the
  // backlog.
  void make_peers(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) peers_.push_back(PeerProcess::of_this_program());
  }
  void let_peers_connect() {
    for (PeerProcess& peer : peers_)
      EXPECT_EQ(peer.ask("connect " + std::to_string(listener_.qualifier())), "ok");
  }
  void expect_peers_connect() {
    std::list<Side> sides;
    for (std::size_t i = 0; i < peers_.size(); ++i) {
      Side& side = sides.emplace_back(ia_);
      Cr cr = listener_.expect_request();
      EXPECT_DAT_OK(accept(cr, side.ep()));
      expect_connection_event(side.connect_evd(), DAT_CONNECTION_EVENT_ESTABLISHED, side.ep());
    }
    for (PeerProcess& peer : peers_) EXPECT_EQ(peer.ask("wait"), "0x04001");
  }

  std::vector<PeerProcess> peers_;
};

// Rules: tcp.R1
TEST_F(RunningOut, WithoutDescriptorsPeersWaitAndNobodySpins) {
  make_peers(3);
  testing::internal::CaptureStderr();
  {
    const NoMoreDescriptors limit;
    let_peers_connect();
    const std::int64_t before = processor_time();
    expect_no_request_for(1'000'000);
    EXPECT_LT(processor_time() - before, 300'000);
    bystanders_.expect_unharmed();
  }
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("this process may have 8 (`ulimit -n`)"), std::string::npos) << said;
  expect_peers_connect();
  bystanders_.expect_unharmed();
}

// Rules: tcp.R2
TEST_F(RunningOut, WithoutDescriptorsAConnectNamesTheLimit) {
  Side side(ia_);
  testing::internal::CaptureStderr();
  DAT_RETURN answer = DAT_SUCCESS;
  {
    const NoMoreDescriptors limit;
    answer = connect(side.ep(), listener_);
    bystanders_.expect_unharmed();
  }
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_DAT_ERROR(answer, DAT_INSUFFICIENT_RESOURCES, DAT_RESOURCE_DEVICE);
  EXPECT_NE(said.find("this process may have 8 (`ulimit -n`)"), std::string::npos) << said;
  EXPECT_EQ(ep_state(side.ep()), DAT_EP_STATE_UNCONNECTED);
  // There are descriptors again.
  EXPECT_DAT_OK(connect(side.ep(), listener_));
  Side other(ia_);
  Cr cr = listener_.expect_request();
  EXPECT_DAT_OK(accept(cr, other.ep()));
  expect_connection_event(side.connect_evd(), DAT_CONNECTION_EVENT_ESTABLISHED, side.ep());
}

// Three kinds of qualifier: a port, a qualifier that is mapped to ports, and any qualifier.
// Rules: tcp.R10 dat_psp_create.R18
TEST_F(RunningOut, WithoutDescriptorsAServicePointNamesTheLimit) {
  for (const DAT_CONN_QUAL wanted : {free_port(), free_qualifier(), DAT_CONN_QUAL{0}}) {
    SCOPED_TRACE(testing::Message() << "qualifier " << wanted);
    const Ia ia = open_ia(); // each IA logs the limit once
    const Evd evd = create_evd(ia, DAT_EVD_CR_FLAG);
    DAT_CONN_QUAL qualifier = wanted;
    Psp psp;
    const auto listen = [&] {
      return wanted != 0
                 ? dat_psp_create(ia, wanted, evd, DAT_PSP_CONSUMER_FLAG, psp.out())
                 : dat_psp_create_any(ia, &qualifier, evd, DAT_PSP_CONSUMER_FLAG, psp.out());
    };
    testing::internal::CaptureStderr();
    DAT_RETURN answer = DAT_SUCCESS;
    {
      const NoMoreDescriptors limit;
      answer = listen();
      bystanders_.expect_unharmed();
    }
    const std::string said = testing::internal::GetCapturedStderr();
    EXPECT_DAT_ERROR(answer, DAT_INSUFFICIENT_RESOURCES, DAT_RESOURCE_DEVICE);
    EXPECT_NE(said.find("no socket for it: Too many open files; this process may have 8 (`ulimit "
                        "-n`), which is its RLIMIT_NOFILE"),
              std::string::npos)
        << said;
    EXPECT_DAT_OK(listen()); // there are descriptors again
  }
}

// A peer that was rejected and does not close keeps a descriptor for a while. It gives the
// descriptor up when a new peer needs it.
// Rules: tcp.R3
TEST_F(RunningOut, WithoutDescriptorsWhoWasRejectedGivesWay) {
  make_peers(1);
  RawPeer stays = stranger();
  EXPECT_TRUE(stays.say(plain_request()));
  listener_.expect_request().free();
  EXPECT_EQ(stays.hear_reply().size(), 20U);
  {
    const NoMoreDescriptors limit(first_free_descriptor());
    let_peers_connect();
    expect_peers_connect();
  }
  EXPECT_EQ(stays.hear_the_end(), "none");
}

// Rules: tcp.R4
TEST_F(RunningOut, AThousandRequestsAtOnceAreAllAnswered) {
  constexpr std::size_t kMany = 1200;
  constexpr std::size_t kMostEnding = 1024;
  constexpr std::size_t kSlack = 16;
  const Evd evd = create_evd(ia_, DAT_EVD_CR_FLAG, kMany);
  DAT_CONN_QUAL qualifier = 0;
  Psp psp;
  ASSERT_DAT_OK(dat_psp_create_any(ia_, &qualifier, evd, DAT_PSP_CONSUMER_FLAG, psp.out()));
  const std::size_t before = open_descriptors();
  std::vector<RawPeer> storm;
  for (std::size_t i = 0; i < kMany; ++i) {
    storm.emplace_back(address_of(ia_), qualifier);
    EXPECT_TRUE(storm.back().say(plain_request()));
  }
  std::vector<Cr> requests;
  for (std::size_t i = 0; i < kMany && !HasFailure(); ++i) requests.push_back(expect_request(evd));
  requests.clear(); // rejects them
  for (RawPeer& peer : storm) EXPECT_EQ(peer.hear_reply().size(), 20U);
  bystanders_.expect_unharmed();
  // None of the peers closes its socket.
  EXPECT_LE(open_descriptors(), before + kMany + kMostEnding + kSlack);
}

// Rules: ENV.11
TEST_F(RunningOut, OfThoseThatHaveEndedTheOldestGo) {
  constexpr std::size_t kMany = 40;
  constexpr std::size_t kBound = 8;
  const Variable bound("DATUM_ENDING", std::to_string(kBound));
  const Ia small = open_ia();
  Listener door(small);
  const std::size_t before = open_descriptors();
  std::vector<RawPeer> rejected;
  for (std::size_t i = 0; i < kMany; ++i) {
    rejected.emplace_back(address_of(small), door.qualifier());
    EXPECT_TRUE(rejected.back().say(plain_request()));
    door.expect_request().free();
    EXPECT_EQ(rejected.back().hear_reply().size(), 20U);
  }
  // The thread that sent the last reply may still be in its turn. This call waits until that turn
  // ends.
  DAT_EVENT event{};
  EXPECT_DAT_TYPE(dat_evd_dequeue(door.evd(), &event), DAT_QUEUE_EMPTY);
  // None of the peers closes its socket.
  EXPECT_LE(open_descriptors(), before + kMany + kBound);
  bystanders_.expect_unharmed();
}

class HalfOpen : public RunningOut {
 protected:
  static constexpr std::size_t kBound = 16;
  const Variable bound_{"DATUM_HALF_OPEN", std::to_string(kBound)};
  Ia small_ = open_ia();
  Listener door_{small_};
};

// Rules: tcp.R5 ENV.10
TEST_F(HalfOpen, OfThoseThatSayNothingTheOldestGo) {
  constexpr std::size_t kMany = 60;
  const std::size_t before = open_descriptors();
  std::vector<RawPeer> silent;
  for (std::size_t i = 0; i < kMany; ++i)
    silent.emplace_back(address_of(small_), door_.qualifier());
  // The stranger that comes last is answered.
  RawPeer last(address_of(small_), door_.qualifier());
  EXPECT_TRUE(last.say(plain_request()));
  door_.expect_request().free();
  EXPECT_EQ(last.hear_reply().size(), 20U);
  EXPECT_LE(open_descriptors(), before + kMany + 1 + kBound + 1);
  for (std::size_t i = 0; i < kMany; ++i)
    EXPECT_EQ(silent[i].is_ended(), i < kMany - kBound + 1) << i;
  bystanders_.expect_unharmed();
}

// Peers that send a few octets a second. A request has to be whole after ten seconds; a message has
// no such limit.
// Rules: tcp.R5 tcp.H5
TEST_F(Besieged, OneThatTricklesIsGivenUpOrHeardToItsEnd) {
  constexpr DAT_TIMEOUT kPause = 250'000;
  constexpr int kMost = 80;
  Side victim(ia_);
  Buffer message = victim.buffer(64);
  EXPECT_DAT_OK(post_recv(victim.ep(), {message.segment()}, 1));
  RawPeer talker = connected_stranger(victim);
  expect_connection_event(victim.connect_evd(), DAT_CONNECTION_EVENT_ESTABLISHED, victim.ep());
  const Octets words = send_message(1, 8);
  RawPeer asker = stranger();
  const Octets request = plain_request(Octets(256));
  std::ptrdiff_t octets = 0;
  for (; octets < kMost && !asker.is_ended(); ++octets) {
    const auto at = static_cast<std::size_t>(octets);
    EXPECT_TRUE(asker.say({request[at]}));
    if (at < words.size()) {
      EXPECT_TRUE(talker.say({words[at]}));
    }
    DAT_EVENT event{};
    DAT_COUNT more = 0;
    EXPECT_DAT_TYPE(dat_evd_wait(listener_.evd(), kPause, 1, &event, &more), DAT_TIMEOUT_EXPIRED);
    bystanders_.expect_unharmed();
  }
  EXPECT_LT(octets, kMost);
  // On a slow machine some octets of the message have not been sent yet.
  if (static_cast<std::size_t>(octets) < words.size()) {
    EXPECT_TRUE(talker.say({words.begin() + octets, words.end()}));
  }
  EXPECT_EQ(expect_dto(victim.recv_evd(), victim.ep(), 1), 8U);
}

} // namespace
} // namespace datum::test
