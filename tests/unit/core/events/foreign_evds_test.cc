// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// ForeignEvds: keeps one ForeignEvd for each connect EVD of another IA, and delivers to eight of
// them at a time.
#include <algorithm>

#include "bare_world.h"

namespace datum {
namespace {

class ForeignWays : public testing::Test, protected test::BareWorld {
 protected:
  std::shared_ptr<ForeignEvd> way_to(EventDispatcher& evd) {
    return std::make_shared<ForeignEvd>(evd, 1);
  }
  std::ptrdiff_t take() {
    context.clear_deferred();
    const ForeignEvds::Deliveries taken = events.foreign.take_deliveries();
    return std::ranges::count_if(taken, [](const auto& each) { return each != nullptr; });
  }
  ForeignEvds& ways_ = events.foreign;
};

TEST_F(ForeignWays, TwoEndpointsThatFeedOneEvdShareItsWay) {
  const auto evd = make_evd();
  const auto first = ways_.feed(way_to(*evd));
  const auto second = ways_.feed(way_to(*evd));
  EXPECT_EQ(first, second);
  ways_.deliver_later(first);
  ways_.deliver_later(second);
  EXPECT_TRUE(context.has_deferred());
  EXPECT_EQ(take(), 1);
  EXPECT_FALSE(context.has_deferred());
}

TEST_F(ForeignWays, WhatNobodyFeedsAnyMoreIsAnotherWayNextTime) {
  const auto evd = make_evd();
  const auto first = ways_.feed(way_to(*evd));
  ways_.stop_feeding(first);
  EXPECT_EQ(take(), 1) << "the EVD is to be let go";
  EXPECT_NE(ways_.feed(way_to(*evd)), first);
}

TEST_F(ForeignWays, EightAreDeliveredAtATime) {
  std::vector<std::unique_ptr<EventDispatcher>> evds;
  for (int i = 0; i != 9; ++i) {
    evds.push_back(make_evd());
    ways_.deliver_later(ways_.feed(way_to(*evds.back())));
  }
  EXPECT_EQ(take(), 8);
  EXPECT_TRUE(context.has_deferred()) << "one is left";
  EXPECT_EQ(take(), 1);
  EXPECT_FALSE(context.has_deferred());
}

} // namespace
} // namespace datum
