// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Connections that come and go in several threads at the same time.
#include <thread>

#include "fixture.h"
#include "names.h"

namespace datum::test {
namespace {

// One thread's pair: it connects, sends a message, disconnects, and begins again.
class Couple {
 public:
  Couple(DAT_IA_HANDLE active_ia, DAT_IA_HANDLE passive_ia)
      : active(active_ia), passive(passive_ia) {}

  void meet(DAT_IA_ADDRESS_PTR address, DAT_CONN_QUAL qualifier, const std::string& name) {
    ASSERT_DAT_OK(post_recv(passive.ep(), {sink.segment()}, 1));
    ASSERT_DAT_OK(connect(active.ep(), address, qualifier, name));
    EXPECT_EQ(reply_data(expect_connection_event(active.connect_evd(), kEstablished, active.ep())),
              name);
    expect_connection_event(passive.connect_evd(), kEstablished, passive.ep());
    source.write(0, name);
    ASSERT_DAT_OK(post_send(active.ep(), {source.segment(0, name.size())}, 2));
    EXPECT_EQ(expect_dto(passive.recv_evd(), passive.ep(), 1), name.size());
    EXPECT_EQ(sink.text(0, name.size()), name);
    expect_dto(active.request_evd(), active.ep(), 2);
  }
  void part(bool by_active) {
    ASSERT_DAT_OK(dat_ep_disconnect(by_active ? active.ep() : passive.ep(), DAT_CLOSE_ABRUPT_FLAG));
    for (Side* side : {&active, &passive}) {
      expect_connection_event(side->connect_evd(), kDisconnected, side->ep());
      ASSERT_DAT_OK(dat_ep_reset(side->ep()));
    }
  }

  Side active;
  Side passive;

 private:
  Buffer source = active.buffer(16);
  Buffer sink = passive.buffer(16);
};

// Rules: D-37 CONN.24
TEST(RuleConnectingThreads, EachThreadMeetsItsOwnPeer) {
  constexpr int kThreads = 4;
  constexpr int kRounds = 40;
  const Ia active_ia = open_ia();
  const Ia passive_ia = open_ia();
  Listener listener(passive_ia, DAT_PSP_CONSUMER_FLAG, 16);
  const DAT_IA_ADDRESS_PTR address = address_of(passive_ia);
  std::vector<std::unique_ptr<Couple>> couples;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    couples.push_back(std::make_unique<Couple>(active_ia, passive_ia));
    threads.emplace_back([&, i, couple = couples.back().get()] {
      for (int round = 0; round < kRounds && !testing::Test::HasFailure(); ++round) {
        couple->meet(address, listener.qualifier(), std::to_string(i));
        couple->part(round % 2 == 0);
      }
    });
  }
  for (int left = kThreads * kRounds; left != 0 && !testing::Test::HasFailure(); --left) {
    Cr cr = listener.expect_request();
    const std::string name = request_data(cr);
    EXPECT_DAT_OK(accept(cr, couples[std::stoul(name)]->passive.ep(), name));
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_NO_EVENT(listener.evd());
}

} // namespace
} // namespace datum::test
