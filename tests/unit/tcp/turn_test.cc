// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// TcpTurn: how much of a turn each connection may read and send. conformance/rule_progress.cc tests
// the rules that turns serve.
#include <gtest/gtest.h>

#include "transport/tcp/tcp_turn.h"

namespace datum::test {
namespace {

constexpr std::size_t kKiB = 1024;

// Every reader reads in every turn. Returns how much the last reader of the last turn may read.
std::size_t read(TcpTurn& turn, int readers, int turns) {
  std::size_t last = 0;
  for (int i = 0; i < turns; ++i) {
    turn.begin();
    for (int reader = 0; reader < readers; ++reader) last = turn.to_read();
  }
  return last;
}

// Rules: PROGRESS.3
TEST(TcpTurn, ReadersShareIt) {
  TcpTurn turn;
  EXPECT_EQ(read(turn, 1, 3), 256 * kKiB) << "alone no more than others would have to wait for";
  EXPECT_EQ(read(turn, 8, 2), 128 * kKiB);
  EXPECT_EQ(read(turn, 1000, 2), 32 * kKiB) << "a call that reads less does not pay";
}

TEST(TcpTurn, ReadersKnowHowManyTheyAreBeforeTheLastOneReads) {
  TcpTurn turn;
  EXPECT_EQ(read(turn, 8, 1), 128 * kKiB) << "a first turn: those before it count";
  turn.begin();
  EXPECT_EQ(turn.to_read(), 128 * kKiB) << "the next one: as many as in the last";
  turn.begin();
  turn.begin(); // a turn without a reader
  EXPECT_EQ(turn.to_read(), 256 * kKiB) << "the last one with a reader had one";
}

// Rules: PROGRESS.3
TEST(TcpTurn, SendersUseItUp) {
  TcpTurn turn;
  turn.begin();
  EXPECT_EQ(turn.to_send(), 1024 * kKiB);
  turn.sent(1000 * kKiB);
  EXPECT_EQ(turn.to_send(), 24 * kKiB);
  turn.sent(320 * kKiB); // a single call may send more than was left
  EXPECT_EQ(turn.to_send(), 0U);
  turn.begin();
  EXPECT_EQ(turn.to_send(), 1024 * kKiB);
}

} // namespace
} // namespace datum::test
