// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include <atomic>
#include <gtest/gtest.h>
#include <thread>

#include "every_kind.h"
#include "fake_runtime.h"

namespace datum::test {
namespace {

class IaLifecycle : public ::testing::Test {
 protected:
  Provider p{"ia0", "eth7 0"};
  const RuntimeCounts before = runtime_counts();
};

TEST_F(IaLifecycle, EveryOpenHasARuntimeOfItsOwnAndGivesItBack) {
  const DAT_IA_HANDLE a = p.open();
  const DAT_IA_HANDLE b = p.open();
  EXPECT_NE(a, b);
  EXPECT_EQ(last_instance_data(), "eth7 0");
  EXPECT_EQ(runtime_counts().started - before.started, 2);
  EXPECT_EQ(p->ia_close_func(a, DAT_CLOSE_GRACEFUL_FLAG), DAT_SUCCESS);
  EXPECT_EQ(runtime_counts().destroyed - before.destroyed, 1);
  EXPECT_EQ(p->ia_close_func(b, DAT_CLOSE_ABRUPT_FLAG), DAT_SUCCESS);
  EXPECT_EQ(runtime_counts().stopped - before.stopped, 2);
  EXPECT_EQ(runtime_counts().destroyed - before.destroyed, 2);
}

TEST_F(IaLifecycle, ArgumentsOfOpen) {
  char name[] = "ia0";
  DAT_EVD_HANDLE evd = nullptr;
  DAT_IA_HANDLE ia = nullptr;
  EXPECT_EQ(p->ia_open_func(nullptr, 8, &evd, &ia), 0x80060024U);
  EXPECT_EQ(p->ia_open_func(name, 0, &evd, &ia), 0x80060025U);
  EXPECT_EQ(p->ia_open_func(name, -1, &evd, &ia), 0x80060025U);
  EXPECT_EQ(p->ia_open_func(name, 8, nullptr, &ia), 0x80060026U);
  EXPECT_EQ(p->ia_open_func(name, 8, &evd, nullptr), 0x80060027U);
  evd = reinterpret_cast<void*>(64);
  EXPECT_EQ(p->ia_open_func(name, 8, &evd, &ia), 0x80050018U);
  EXPECT_EQ(runtime_counts().opened, before.opened);
}

TEST_F(IaLifecycle, AFailedOpenLeavesNothingBehind) {
  for (const Fault fault : {Fault::Open, Fault::Start}) {
    const RuntimeCounts now = runtime_counts();
    provoke(fault);
    char name[] = "ia0";
    DAT_EVD_HANDLE evd = nullptr;
    DAT_IA_HANDLE ia = nullptr;
    EXPECT_EQ(p->ia_open_func(name, 8, &evd, &ia), 0x80030003U);
    EXPECT_EQ(evd, nullptr);
    EXPECT_EQ(runtime_counts().opened - now.opened, runtime_counts().destroyed - now.destroyed);
  }
  EXPECT_NE(p.open(), DAT_HANDLE_NULL);
}

TEST_F(IaLifecycle, ANewIaDoesNotStepAsideBecauseTheLastOneDid) {
  DAT_EVD_HANDLE evd = DAT_HANDLE_NULL;
  DAT_EVENT event;
  DAT_IA_HANDLE ia = p.open(&evd);
  LockOwner& lock = last_lock();
  lock.let_step_aside(true);
  EXPECT_EQ(p->evd_dequeue_func(evd, &event), kQueueEmpty); // it has stepped aside
  lock.let_step_aside(true);
  // Of the IAs that follow, one takes the place of this one in memory.
  do {
    EXPECT_EQ(p->ia_close_func(ia, DAT_CLOSE_ABRUPT_FLAG), DAT_SUCCESS);
    evd = DAT_HANDLE_NULL;
    ia = p.open(&evd);
    ASSERT_NE(ia, DAT_HANDLE_NULL);
  } while (&last_lock() != &lock);
  EXPECT_FALSE(lock.has_stepped_aside());
  EXPECT_EQ(p->evd_dequeue_func(evd, &event), kQueueEmpty);
  EXPECT_FALSE(lock.has_stepped_aside());
  EXPECT_EQ(p->ia_close_func(ia, DAT_CLOSE_ABRUPT_FLAG), DAT_SUCCESS);
}

TEST_F(IaLifecycle, GracefulCloseIsRefusedWhileAnObjectIsLeft) {
  const DAT_IA_HANDLE ia = p.open();
  DAT_PZ_HANDLE pz = nullptr;
  ASSERT_EQ(p->pz_create_func(ia, &pz), DAT_SUCCESS);
  EXPECT_EQ(p->ia_close_func(ia, DAT_CLOSE_GRACEFUL_FLAG), 0x8007004fU);
  EXPECT_EQ(p->ia_close_func(ia, any_value<DAT_CLOSE_FLAGS>(2)), 0x80060025U);
  EXPECT_EQ(p->pz_free_func(pz), DAT_SUCCESS);
  EXPECT_EQ(p->ia_close_func(ia, DAT_CLOSE_GRACEFUL_FLAG), DAT_SUCCESS);
  EXPECT_EQ(p->ia_close_func(ia, DAT_CLOSE_GRACEFUL_FLAG), 0x8005000bU);
}

TEST_F(IaLifecycle, AnEvdOfAnotherInstanceTakesTheAsyncEventsAndIsHeld) {
  const DAT_IA_HANDLE owner = p.open();
  DAT_EVD_HANDLE evd = nullptr;
  ASSERT_EQ(p->evd_create_func(owner, 8, nullptr, DAT_EVD_ASYNC_FLAG, &evd), DAT_SUCCESS);
  DAT_EVD_HANDLE given = evd;
  const DAT_IA_HANDLE ia = p.open(&given);
  ASSERT_NE(ia, DAT_HANDLE_NULL);
  EXPECT_EQ(given, evd);
  DAT_EVD_HANDLE queried = nullptr;
  EXPECT_EQ(p->ia_query_func(ia, &queried, 0, nullptr, 0, nullptr), DAT_SUCCESS);
  EXPECT_EQ(queried, evd);
  EXPECT_EQ(p->evd_free_func(evd), 0x80070049U) << "it is in use";

  DAT_PZ_HANDLE pz = nullptr;
  DAT_SRQ_HANDLE srq = nullptr;
  DAT_SRQ_ATTR attributes{4, 1, 0};
  ASSERT_EQ(p->pz_create_func(ia, &pz), DAT_SUCCESS);
  ASSERT_EQ(p->srq_create_func(ia, pz, &attributes, &srq), DAT_SUCCESS);
  EXPECT_EQ(p->srq_set_lw_func(srq, 2), DAT_SUCCESS) << "below at once: an asynchronous event";
  DAT_EVENT event{};
  ASSERT_EQ(p->evd_dequeue_func(evd, &event), DAT_SUCCESS);
  EXPECT_EQ(event.event_number, 0x08005U);
  EXPECT_EQ(event.evd_handle, evd);
  EXPECT_EQ(event.event_data.asynch_error_event_data.dat_handle, srq);
  EXPECT_EQ(event.event_data.asynch_error_event_data.reason, 2);

  EXPECT_EQ(p->ia_close_func(ia, DAT_CLOSE_ABRUPT_FLAG), DAT_SUCCESS);
  EXPECT_EQ(p->evd_free_func(evd), DAT_SUCCESS);
  EXPECT_EQ(p->ia_close_func(owner, DAT_CLOSE_GRACEFUL_FLAG), DAT_SUCCESS);
}

// dat_ia_open: several opens of one IA, each with an EVD of its own.
TEST_F(IaLifecycle, EveryBoundEvdTakesTheAsyncEventsOfEveryInstanceOnce) {
  DAT_EVD_HANDLE evds[2] = {};
  const DAT_IA_HANDLE ias[2] = {p.open(&evds[0]), p.open(&evds[1])};
  const Provider other("ia1");
  DAT_EVD_HANDLE of_other = nullptr;
  ASSERT_NE(other.open(&of_other), DAT_HANDLE_NULL);
  DAT_PZ_HANDLE pz = nullptr;
  DAT_SRQ_HANDLE srq = nullptr;
  DAT_SRQ_ATTR attributes{4, 1, 0};
  ASSERT_EQ(p->pz_create_func(ias[0], &pz), DAT_SUCCESS);
  ASSERT_EQ(p->srq_create_func(ias[0], pz, &attributes, &srq), DAT_SUCCESS);
  EXPECT_EQ(p->srq_set_lw_func(srq, 2), DAT_SUCCESS);
  DAT_EVENT event{};
  for (const DAT_EVD_HANDLE evd : evds) {
    ASSERT_EQ(p->evd_dequeue_func(evd, &event), DAT_SUCCESS);
    EXPECT_EQ(event.event_data.asynch_error_event_data.dat_handle, srq);
    EXPECT_EQ(event.evd_handle, evd);
    EXPECT_EQ(p->evd_dequeue_func(evd, &event), 0x800d0000U);
  }
  EXPECT_EQ(p->evd_dequeue_func(of_other, &event), 0x800d0000U) << "another IA";
}

TEST_F(IaLifecycle, TheOwnerOfAGivenEvdMayCloseFirst) {
  DAT_EVD_HANDLE evd = nullptr;
  const DAT_IA_HANDLE owner = p.open(&evd);
  const DAT_IA_HANDLE ia = p.open(&evd);
  EXPECT_EQ(p->ia_close_func(owner, DAT_CLOSE_GRACEFUL_FLAG), DAT_SUCCESS);
  EXPECT_EQ(p->ia_close_func(ia, DAT_CLOSE_GRACEFUL_FLAG), DAT_SUCCESS);
}

// Rules: dat_ia_open.R20
TEST_F(IaLifecycle, AnEvdThatGetsTheHandleOfAGivenOneIsNotTakenForIt) {
  DAT_EVD_HANDLE given = nullptr;
  const DAT_IA_HANDLE owner = p.open(&given);
  const DAT_IA_HANDLE ia = p.open(&given);
  EXPECT_EQ(p->ia_close_func(owner, DAT_CLOSE_GRACEFUL_FLAG), DAT_SUCCESS);
  DAT_EVD_HANDLE evd = nullptr;
  for (int i = 0; i < 200'000; ++i) { // a slot is reused only after many others
    ASSERT_EQ(p->evd_create_func(ia, 8, nullptr, DAT_EVD_DTO_FLAG, &evd), DAT_SUCCESS);
    if (evd == given) break;
    ASSERT_EQ(p->evd_free_func(evd), DAT_SUCCESS);
  }
  ASSERT_EQ(evd, given);
  DAT_PZ_HANDLE pz = nullptr;
  DAT_SRQ_HANDLE srq = nullptr;
  DAT_SRQ_ATTR attributes{4, 1, 0};
  ASSERT_EQ(p->pz_create_func(ia, &pz), DAT_SUCCESS);
  ASSERT_EQ(p->srq_create_func(ia, pz, &attributes, &srq), DAT_SUCCESS);
  EXPECT_EQ(p->srq_set_lw_func(srq, 2), DAT_SUCCESS) << "below at once: an asynchronous event";
  DAT_EVENT event{};
  EXPECT_EQ(p->evd_dequeue_func(evd, &event), 0x800d0000U);
}

TEST_F(IaLifecycle, AsyncExistsMakesNoEvd) {
  DAT_EVD_HANDLE evd = DAT_EVD_ASYNC_EXISTS;
  const DAT_IA_HANDLE ia = p.open(&evd);
  ASSERT_NE(ia, DAT_HANDLE_NULL);
  DAT_EVD_HANDLE queried = nullptr;
  EXPECT_EQ(p->ia_query_func(ia, &queried, 0, nullptr, 0, nullptr), DAT_SUCCESS);
  EXPECT_EQ(queried, reinterpret_cast<void*>(2));
  EXPECT_EQ(p->ia_close_func(ia, DAT_CLOSE_GRACEFUL_FLAG), DAT_SUCCESS);
}

TEST_F(IaLifecycle, AnAbruptCloseEndsAWaitOnAnEvd) {
  const DAT_IA_HANDLE ia = p.open();
  DAT_EVD_HANDLE evd = nullptr;
  ASSERT_EQ(p->evd_create_func(ia, 8, nullptr, DAT_EVD_DTO_FLAG, &evd), DAT_SUCCESS);
  DAT_RETURN ended = DAT_SUCCESS;
  std::thread waiter([&] {
    DAT_EVENT event;
    DAT_COUNT more = 0;
    ended = p->evd_wait_func(evd, DAT_TIMEOUT_INFINITE, 1, &event, &more);
  });
  // A dequeue fails with DAT_INVALID_STATE_EVD_WAITER only while a thread waits. So the loop ends
  // once the other thread waits.
  DAT_EVENT event;
  while (p->evd_dequeue_func(evd, &event) != 0x8007004d) std::this_thread::yield();
  EXPECT_EQ(p->ia_close_func(ia, DAT_CLOSE_ABRUPT_FLAG), DAT_SUCCESS);
  waiter.join();
  EXPECT_EQ(ended, 0x80010000U);
}

TEST_F(IaLifecycle, CallsThatRaceWithACloseAreAnsweredNotFollowed) {
  for (int round = 0; round < 50; ++round) {
    const DAT_IA_HANDLE ia = p.open();
    DAT_EVD_HANDLE evd = nullptr;
    ASSERT_EQ(p->evd_create_func(ia, 8, nullptr, DAT_EVD_SOFTWARE_FLAG, &evd), DAT_SUCCESS);
    std::atomic<bool> running{false};
    std::thread caller([&] {
      DAT_EVENT event{};
      for (;;) {
        const DAT_RETURN answer = p->evd_dequeue_func(evd, &event);
        running = true;
        if (answer == 0x80050015) return;
        if (answer != 0x800d0000) std::terminate();
      }
    });
    while (!running) std::this_thread::yield();
    EXPECT_EQ(p->ia_close_func(ia, DAT_CLOSE_ABRUPT_FLAG), DAT_SUCCESS);
    caller.join();
  }
}

// An endpoint may give up its channel while a function of the channel is on the stack. So the
// adapter destroys the channel later, but before the DAT call returns.
TEST_F(IaLifecycle, AChannelIsDestroyedBeforeTheCallThatEndsItReturns) {
  const EveryKind objects(p);
  ASSERT_EQ(p->cr_accept_func(objects.cr, objects.ep, 0, nullptr), DAT_SUCCESS);
  EXPECT_EQ(runtime_counts().channels - before.channels, 1);
  EXPECT_EQ(p->ep_free_func(objects.ep), DAT_SUCCESS);
  EXPECT_EQ(runtime_counts().channels - before.channels, 0);
}

DAT_EVD_HANDLE agent_called_with = nullptr;
void note_agent(DAT_PVOID instance, DAT_EVD_HANDLE evd) {
  agent_called_with = evd;
  ++*static_cast<int*>(instance);
}

TEST_F(IaLifecycle, AnAgentIsCalledWithNoLockHeld) {
  const DAT_IA_HANDLE ia = p.open();
  int called = 0;
  DAT_CNO_HANDLE cno = nullptr;
  DAT_EVD_HANDLE evd = nullptr;
  ASSERT_EQ(p->cno_create_func(ia, {&called, &note_agent}, &cno), DAT_SUCCESS);
  ASSERT_EQ(p->evd_create_func(ia, 8, cno, DAT_EVD_SOFTWARE_FLAG, &evd), DAT_SUCCESS);
  DAT_EVENT event{};
  event.event_number = DAT_SOFTWARE_EVENT;
  EXPECT_EQ(p->evd_post_se_func(evd, &event), DAT_SUCCESS);
  EXPECT_EQ(called, 1);
  EXPECT_EQ(agent_called_with, evd);
  EXPECT_EQ(p->ia_close_func(ia, DAT_CLOSE_ABRUPT_FLAG), DAT_SUCCESS);
  EXPECT_EQ(called, 1) << "it was disarmed by its call";
}

TEST_F(IaLifecycle, CloseReleasesAnArmedAgentWithoutAnEvd) {
  const DAT_IA_HANDLE ia = p.open();
  int called = 0;
  DAT_CNO_HANDLE cno = nullptr;
  ASSERT_EQ(p->cno_create_func(ia, {&called, &note_agent}, &cno), DAT_SUCCESS);
  agent_called_with = cno;
  EXPECT_EQ(p->ia_close_func(ia, DAT_CLOSE_ABRUPT_FLAG), DAT_SUCCESS);
  EXPECT_EQ(called, 1);
  EXPECT_EQ(agent_called_with, nullptr);
}

} // namespace
} // namespace datum::test
