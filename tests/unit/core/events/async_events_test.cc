// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Asynchronous events: which EVDs get them, and which events must not take an error's place.
#include "bare_world.h"

namespace datum {
namespace {

class Async : public testing::Test, protected test::BareWorld {
 protected:
  ~Async() override { events.async.drop_evd(); }
  void report() {
    Event event;
    event.kind = EventKind::AsyncEvdOverflow;
    event.object = evd_.get();
    events.async.report(event);
  }
  int adapter_ = 0; // only its address is used
  std::unique_ptr<EventDispatcher> evd_ = make_evd(4);
};

TEST_F(Async, AnErrorGoesToTheOwnEvdAndWaitsForOtherOpeners) {
  events.async.set_evd(evd_.get(), 0);
  events.async.tell_openers_of(&adapter_);
  report();
  EXPECT_EQ(evd_->count(), 1);
  EXPECT_TRUE(context.has_deferred());
  const auto waiting = events.async.take_for_openers();
  ASSERT_EQ(waiting.size(), 1U);
  EXPECT_EQ(waiting[0].evd, &adapter_);
  EXPECT_EQ(waiting[0].event.object, evd_.get());
  EXPECT_TRUE(events.async.take_for_openers().empty());
  EXPECT_EQ(context.tally().async_overflows, 1U);
}

TEST_F(Async, WithoutAFacadeNothingWaitsForOpeners) {
  report();
  EXPECT_FALSE(context.has_deferred());
  EXPECT_TRUE(events.async.take_for_openers().empty());
  EXPECT_EQ(context.tally().async_events, 1U);
}

TEST_F(Async, ThatAnSrqWasLeftTakesNoErrorsPlace) {
  events.async.set_evd(evd_.get(), 2);
  for (int i = 0; i != 3; ++i) events.async.report_srq_left(&adapter_);
  EXPECT_EQ(evd_->count(), 2);
  report();
  EXPECT_EQ(evd_->count(), 3);
  EXPECT_EQ(context.tally().async_endpoints, 3U);
}

TEST_F(Async, ThatAnSrqWasLeftIsNoNewsForOthersWhereAnEvdTakesIt) {
  events.async.tell_openers_of(&adapter_);
  events.async.report_srq_left(&adapter_);
  EXPECT_EQ(events.async.take_for_openers().size(), 1U) << "no EVD of its own";
  events.async.set_evd(evd_.get(), 0);
  events.async.report_srq_left(&adapter_);
  EXPECT_TRUE(events.async.take_for_openers().empty());
}

} // namespace
} // namespace datum
