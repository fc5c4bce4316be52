// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// docs/design/waiting.md, mend A: how many small Writes go directly after the peer left a Write
// unread in the ring.
#include "transport/link/peer_habit.h"

#include <gtest/gtest.h>

namespace datum::test {
namespace {

// The number of Writes in a row that go directly before a Write may take the ring again.
std::uint32_t direct_in_a_row(PeerHabit& habit) {
  std::uint32_t count = 0;
  for (; habit.leaves_writes_lying(); ++count) habit.wrote_directly();
  return count;
}

TEST(PeerHabit, APeerIsTrustedUntilItLeavesSomethingLying) {
  PeerHabit habit;
  EXPECT_EQ(direct_in_a_row(habit), 0U);
  habit.wrote_directly(); // for another reason
  EXPECT_FALSE(habit.leaves_writes_lying());
}

TEST(PeerHabit, SixteenWritesGoDirectlyThenTwiceAsManyUpTo4096) {
  PeerHabit habit;
  std::uint64_t published = 100;
  for (const std::uint32_t expected :
       {16U, 32U, 64U, 128U, 256U, 512U, 1024U, 2048U, 4096U, 4096U}) {
    habit.left_lying(++published);
    EXPECT_EQ(direct_in_a_row(habit), expected);
  }
}

TEST(PeerHabit, AsManyRecordsInTimeAsWritesWentDirectlyAreForgiven) {
  PeerHabit habit;
  habit.left_lying(100);
  habit.left_lying(101);
  EXPECT_EQ(direct_in_a_row(habit), 32U);
  habit.left_lying(101 + 32); // 31 records were taken in time, and the 32nd was not
  EXPECT_EQ(direct_in_a_row(habit), 64U);
  habit.left_lying(133 + 65);
  EXPECT_EQ(direct_in_a_row(habit), 16U);
}

} // namespace
} // namespace datum::test
