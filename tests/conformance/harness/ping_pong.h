// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// tests/conformance/harness/ping_pong.h: two sides that exchange messages of 8 octets in turn, and
// count how often they poll.
#pragma once

#include <cstddef>

#include "connection.h"

namespace datum::test {

inline constexpr int kPingPongs = 400;
// In a time slice of the kernel, a millisecond or more, a thread polls some thousand times. If each
// poll in vain lets the other side run, it polls at most this often for all messages.
inline constexpr std::size_t kFewPolls = 50 * kPingPongs;

// How one thread asks its EVD for the next event.
using Ask = DAT_RETURN (*)(DAT_EVD_HANDLE evd, DAT_EVENT* event);

inline DAT_RETURN dequeue(DAT_EVD_HANDLE evd, DAT_EVENT* event) {
  return dat_evd_dequeue(evd, event);
}
inline DAT_RETURN wait_no_time(DAT_EVD_HANDLE evd, DAT_EVENT* event) {
  DAT_COUNT left = 0;
  return dat_evd_wait(evd, 0, 1, event, &left);
}

// Polls until an event comes, and returns how many polls that took.
inline std::size_t polls_until_event(Ask ask, DAT_EVD_HANDLE evd) {
  DAT_EVENT event{};
  std::size_t polls = 1;
  while (ask(evd, &event) != DAT_SUCCESS) ++polls;
  EXPECT_EQ(event.event_number, DAT_DTO_COMPLETION_EVENT);
  return polls;
}

// Answers kPingPongs messages by one each. The Recv for the first one has been posted.
inline void answer(Ask ask, Side& side) {
  Buffer buffer = side.buffer(8);
  for (int i = 0; i < kPingPongs; ++i) {
    polls_until_event(ask, side.recv_evd());
    EXPECT_DAT_OK(post_recv(side.ep(), {buffer.segment()}, 0));
    EXPECT_DAT_OK(post_send(side.ep(), {buffer.segment()}, 0));
    polls_until_event(ask, side.request_evd());
  }
}

// Sends kPingPongs messages, each after the answer to the last one. Returns the number of polls.
inline std::size_t ask_for_answers(Ask ask, Side& side) {
  Buffer buffer = side.buffer(8);
  std::size_t polls = 0;
  for (int i = 0; i < kPingPongs; ++i) {
    EXPECT_DAT_OK(post_recv(side.ep(), {buffer.segment()}, 0));
    EXPECT_DAT_OK(post_send(side.ep(), {buffer.segment()}, 0));
    polls += polls_until_event(ask, side.request_evd());
    polls += polls_until_event(ask, side.recv_evd());
  }
  return polls;
}

} // namespace datum::test
