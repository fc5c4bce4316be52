// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Two programs that poll on one processor, as all programs do on a machine that has only one. A poll
// in vain lets the peer run. Otherwise each poller would use up its time slice, some milliseconds,
// while the peer waits for the processor.
#include <thread>

#include "../one_core.h"
#include "fixture.h"
#include "ping_pong.h"

namespace datum::test {
namespace {

class RuleSharedCore : public testing::Test {
 protected:
  void SetUp() override {
    if (transport() != "shm") GTEST_SKIP() << "it is not known where a peer runs";
  }
  const OneCore pinned_; // an IA finds out when it is opened
};

TEST_F(RuleSharedCore, APollInVainLetsThePeerRun) {
  for (const Ask ask : {dequeue, wait_no_time}) {
    const Ia active_ia = open_ia();
    const Ia passive_ia = open_ia();
    Side active(active_ia);
    Side passive(passive_ia);
    establish(active, passive);
    Buffer first = passive.buffer(8);
    ASSERT_DAT_OK(post_recv(passive.ep(), {first.segment()}, 0));
    std::thread peer([&] { answer(ask, passive); });
    EXPECT_LE(ask_for_answers(ask, active), kFewPolls);
    peer.join();
  }
}

} // namespace
} // namespace datum::test
