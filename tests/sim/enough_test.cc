// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Two ways in which a search fails without a broken invariant: too few events, and a crash.
#include "enough.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "crash_note.h"

namespace datum::test {
namespace {

// The events of the seeds from 1 to 400.
Tally plenty() {
  Tally tally;
  tally.connection_events = {0, 0, 0, 1209, 1175, 459, 129, 857, 503, 286, 37};
  tally.dto_events = {6260, 5330, 64, 0, 0, 0, 81, 55, 2, 4};
  tally.successes = {945, 1926, 0, 0, 0, 744, 1381};
  tally.through = {529, 100};
  tally.refused = 73;
  tally.shared_receives = 501;
  tally.watermarks = 434;
  tally.overflows = 53;
  tally.srq_lefts = 119;
  tally.handoffs = 282;
  tally.reserved = 37;
  tally.provided = 242;
  return tally;
}

TEST(Enough, OfEverythingPasses) {
  EXPECT_EQ(too_seldom(plenty(), 400), "");
}

TEST(Enough, FewSeedsAreNotJudged) {
  EXPECT_EQ(too_seldom(Tally{}, 399), "");
}

TEST(Enough, WhatIsMissingIsNamed) {
  Tally tally = plenty();
  tally.connection_events[3] = 0;
  tally.handoffs = 129;
  EXPECT_EQ(too_seldom(tally, 400),
            "connection event Established: 0 times in 400 seeds, at least 580 are due\n"
            "handoff: 129 times in 400 seeds, at least 130 are due\n");
}

TEST(Enough, MoreSeedsNeedMore) {
  EXPECT_NE(too_seldom(plenty(), 2000), "");
}

TEST(Enough, WhatIsRareIsDueInManySeeds) {
  const auto is_due = [](std::uint64_t seeds) {
    return too_seldom(Tally{}, seeds).find("status Transport: 0 times") != std::string::npos;
  };
  EXPECT_FALSE(is_due(400));
  EXPECT_TRUE(is_due(2000));
}

TEST(CrashNote, NamesTheSeed) {
  const auto crash = [] {
    note_at_a_crash(6);
    note_at_a_crash(1234567);
    std::abort();
  };
  EXPECT_EXIT(crash(), testing::KilledBySignal(SIGABRT), "seed 1234567: ended by a signal");
}

} // namespace
} // namespace datum::test
