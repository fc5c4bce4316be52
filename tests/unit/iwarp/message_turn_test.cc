// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// MessageTurn: whether a request of this side or a response is being sent, and which of the two
// goes first.
#include "transport/iwarp/message_turn.h"

#include <gtest/gtest.h>

namespace datum::iwarp::test {
namespace {

TEST(MessageTurn, AMessageHasItsTurnToItsLastFpdu) {
  MessageTurn turn;
  EXPECT_TRUE(turn.is_free());
  turn.on_own(false);
  EXPECT_TRUE(turn.is_own());
  EXPECT_FALSE(turn.is_free());
  turn.on_own(true);
  EXPECT_TRUE(turn.is_free());
  turn.on_response(false);
  EXPECT_TRUE(turn.is_response());
  EXPECT_FALSE(turn.is_own());
  turn.on_response(true);
  EXPECT_TRUE(turn.is_free());
}

// Rules: iwarp.T11
TEST(MessageTurn, AfterFourResponsesOneOfOursGoesFirst) {
  MessageTurn turn;
  for (int i = 0; i < 4; ++i) {
    EXPECT_FALSE(turn.own_goes_first()) << i;
    turn.on_response(false);
    turn.on_response(true);
  }
  EXPECT_TRUE(turn.own_goes_first());
  turn.on_own(false);
  EXPECT_TRUE(turn.own_goes_first()) << "it has not ended";
  turn.on_own(true);
  EXPECT_FALSE(turn.own_goes_first());
}

TEST(MessageTurn, LackOfMemoryLastsUntilTheNextTry) {
  MessageTurn turn;
  EXPECT_FALSE(turn.lacks_room());
  EXPECT_FALSE(turn.lack_room()) << "nothing was built";
  EXPECT_TRUE(turn.lacks_room());
  turn.try_again();
  EXPECT_FALSE(turn.lacks_room());
}

} // namespace
} // namespace datum::iwarp::test
