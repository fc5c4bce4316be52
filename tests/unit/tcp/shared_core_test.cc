// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Which connections have a peer on the only processor of this thread.
#include <gtest/gtest.h>

#include "one_core.h"
#include "station.h"

namespace datum::test {
namespace {

TEST(SharedCore, APeerOnThisHostSharesTheOnlyCoreItSendsFrom) {
  const OneCore pinned;
  TwoStations both;
  EXPECT_FALSE(both.near.transport->shares_core());
  auto line = both.connect();
  EXPECT_TRUE(both.near.transport->shares_core()) << "the reply came from there";
  EXPECT_TRUE(both.far.transport->shares_core()) << "the request came from there";
  line.reset();
  both.run_until(
      [&] { return !both.near.transport->shares_core() && !both.far.transport->shares_core(); });
}

TEST(SharedCore, WhoMayUseSeveralCoresSharesNone) {
  if (cores_allowed() < 2) GTEST_SKIP() << "this process may use one processor only";
  TwoStations both;
  const auto line = both.connect();
  EXPECT_FALSE(both.near.transport->shares_core());
  EXPECT_FALSE(both.far.transport->shares_core());
}

} // namespace
} // namespace datum::test
