// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Two programs that poll on one processor, as all programs do on a machine that has only one. A poll
// in vain lets the peer run. Otherwise each poller would use up its time slice, some milliseconds,
// while the peer waits for the processor.
#include <thread>

#include "../one_core.h"
#include "fixture.h"

namespace datum::test {
namespace {

class RuleSharedCore : public testing::Test {
 protected:
  void SetUp() override {
    if (transport() != "shm") GTEST_SKIP() << "it is not known where a peer runs";
  }
  const OneCore pinned_; // an IA finds out when it is opened
};

// How one thread asks its EVD for the next event.
using Ask = DAT_RETURN (*)(DAT_EVD_HANDLE evd, DAT_EVENT* event);

DAT_RETURN dequeue(DAT_EVD_HANDLE evd, DAT_EVENT* event) {
  return dat_evd_dequeue(evd, event);
}
DAT_RETURN wait_no_time(DAT_EVD_HANDLE evd, DAT_EVENT* event) {
  DAT_COUNT left = 0;
  return dat_evd_wait(evd, 0, 1, event, &left);
}

// Polls until an event comes, and returns how many polls that took.
std::size_t polls_until_event(Ask ask, DAT_EVD_HANDLE evd) {
  DAT_EVENT event{};
  std::size_t polls = 1;
  while (ask(evd, &event) != DAT_SUCCESS) ++polls;
  EXPECT_EQ(event.event_number, DAT_DTO_COMPLETION_EVENT);
  return polls;
}

// Answers `messages` messages by one each.
void answer(Ask ask, Side& side, int messages) {
  Buffer buffer = side.buffer(8);
  for (int i = 0; i < messages; ++i) {
    polls_until_event(ask, side.recv_evd());
    ASSERT_DAT_OK(post_recv(side.ep(), {buffer.segment()}, 0));
    ASSERT_DAT_OK(post_send(side.ep(), {buffer.segment()}, 0));
    polls_until_event(ask, side.request_evd());
  }
}

// Sends `messages` messages, each after the answer to the last one. Returns the number of polls.
std::size_t ask_for_answers(Ask ask, Side& side, int messages) {
  Buffer buffer = side.buffer(8);
  std::size_t polls = 0;
  for (int i = 0; i < messages; ++i) {
    EXPECT_DAT_OK(post_recv(side.ep(), {buffer.segment()}, 0));
    EXPECT_DAT_OK(post_send(side.ep(), {buffer.segment()}, 0));
    polls += polls_until_event(ask, side.request_evd());
    polls += polls_until_event(ask, side.recv_evd());
  }
  return polls;
}

TEST_F(RuleSharedCore, APollInVainLetsThePeerRun) {
  constexpr int kMessages = 400;
  // In a time slice of the kernel, a millisecond or more, a thread polls some thousand times.
  constexpr std::size_t kFew = 50; // for each message
  for (const Ask ask : {dequeue, wait_no_time}) {
    const Ia active_ia = open_ia();
    const Ia passive_ia = open_ia();
    Side active(active_ia);
    Side passive(passive_ia);
    establish(active, passive);
    Buffer first = passive.buffer(8);
    ASSERT_DAT_OK(post_recv(passive.ep(), {first.segment()}, 0));
    std::thread peer([&] { answer(ask, passive, kMessages); });
    EXPECT_LE(ask_for_answers(ask, active, kMessages), kFew * kMessages);
    peer.join();
  }
}

} // namespace
} // namespace datum::test
