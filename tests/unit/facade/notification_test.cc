// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Which waiters are notified when the caller's own poll finds an arrival.
#include <gtest/gtest.h>

#include "fake_libdat.h"
#include "fake_runtime.h"

namespace datum::test {
namespace {

constexpr DAT_TIMEOUT kPatience = 60'000'000;

class Notification : public ::testing::Test {
 protected:
  void SetUp() override {
    EXPECT_EQ(p->cno_create_func(ia, DAT_OS_WAIT_PROXY_AGENT_NULL, &cno), DAT_SUCCESS);
    EXPECT_EQ(p->evd_create_func(ia, 4, cno, DAT_EVD_CR_FLAG, &evd), DAT_SUCCESS);
    EXPECT_EQ(p->psp_create_func(ia, 77, evd, DAT_PSP_CONSUMER_FLAG, &psp), DAT_SUCCESS);
    arrive_at_next_poll(77, "data");
  }
  DAT_RETURN trigger() const {
    DAT_EVD_HANDLE triggered = nullptr;
    return p->cno_wait_func(cno, 0, &triggered);
  }

  Provider p{"ia0"};
  DAT_IA_HANDLE ia = p.open();
  DAT_CNO_HANDLE cno = nullptr;
  DAT_EVD_HANDLE evd = nullptr;
  DAT_PSP_HANDLE psp = nullptr;
  DAT_EVENT event{};
  DAT_COUNT left = -1;
};

// Rules: dat_evd_wait.R30
TEST_F(Notification, AThreadThatEntersItsWaitGetsWhatItsFirstPollBringsNotTheCno) {
  EXPECT_EQ(p->evd_wait_func(evd, kPatience, 1, &event, &left), DAT_SUCCESS);
  EXPECT_EQ(event.event_number, 0x02001U);
  EXPECT_EQ(trigger(), kQueueEmpty);
}

// Rules: dat_evd_wait.R30
TEST_F(Notification, AWaitThatEndsForWantOfMoreHasNotTriggeredTheCno) {
  EXPECT_EQ(p->evd_wait_func(evd, 1, 2, &event, &left), 0x800f0000U);
  EXPECT_EQ(left, 1);
  EXPECT_EQ(trigger(), kQueueEmpty);
}

TEST_F(Notification, AWaitThatFailsInItsFirstPollLeavesTheEvdFreeForTheNext) {
  provoke(Fault::Poll);
  EXPECT_EQ(p->evd_wait_func(evd, kPatience, 1, &event, &left), 0x80030002U);
  EXPECT_EQ(p->evd_wait_func(evd, kPatience, 1, &event, &left), DAT_SUCCESS);
}

// Rules: dat_evd_wait.R31
TEST_F(Notification, AWaitWithoutTimeTriggersTheCnoAsADequeueDoes) {
  EXPECT_EQ(p->evd_wait_func(evd, 0, 1, &event, &left), DAT_SUCCESS);
  EXPECT_EQ(trigger(), DAT_SUCCESS);
}

// Rules: NOTIFY.1
TEST_F(Notification, ADequeueTriggersTheCno) {
  EXPECT_EQ(p->evd_dequeue_func(evd, &event), DAT_SUCCESS);
  EXPECT_EQ(trigger(), DAT_SUCCESS);
}

} // namespace
} // namespace datum::test
