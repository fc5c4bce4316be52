// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// A wait at a CNO that ends without an event.
#include <gtest/gtest.h>

#include "silent_world.h"

namespace datum {
namespace {

class NotificationObjects : public testing::Test {
 protected:
  NotificationObjects() {
    environment_.handles = &handles_;
    environment_.progress = &time_;
    environment_.timers = &timers_;
    environment_.random = &random_;
    adapter_ = std::make_unique<InterfaceAdapter>(environment_, transport_);
  }

  test::PlainHandles handles_;
  test::StillTime time_;
  TimerQueue timers_;
  SeededRandom random_{7};
  test::SilentTransport transport_;
  AdapterEnvironment environment_;
  std::unique_ptr<InterfaceAdapter> adapter_;
};

// Rules: dat_cno_wait.R16
TEST_F(NotificationObjects, AWaitThatLacksMemoryLeavesNothingBehind) {
  NotificationObject& cno = **adapter_->create_cno({});
  EventDispatcher& evd = **adapter_->create_evd(8, &cno, kEvdSoftware);
  Token fired = nullptr;
  time_.lacks_memory = true;
  EXPECT_THROW(static_cast<void>(cno.wait(0xffffffff, fired)), std::bad_alloc);
  time_.lacks_memory = false;
  // If the failed wait still counted, the trigger would go to that wait, and the next waiter would
  // not see it.
  cno.trigger(evd);
  EXPECT_TRUE(cno.wait(0, fired).ok());
  EXPECT_EQ(fired, evd.token());
  ASSERT_TRUE(adapter_->free(evd).ok());
  ASSERT_TRUE(adapter_->free(cno).ok()) << "nobody waits there";
  adapter_->abort_waiters();
  adapter_->wait_until_unblocked(); // lasts for ever if the wait still counts
}

} // namespace
} // namespace datum
