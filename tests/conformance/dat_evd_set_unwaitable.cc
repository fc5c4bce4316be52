// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dat_evd_set_unwaitable(3DAT), dat_evd_clear_unwaitable(3DAT).
#include "each_kind.h"
#include "fixture.h"
#include "threads.h"

namespace datum::test {
namespace {

using DatEvdSetUnwaitable = Conformance;
using DatEvdClearUnwaitable = Conformance;

DAT_RETURN wait(DAT_EVD_HANDLE evd, DAT_TIMEOUT timeout) {
  DAT_EVENT event{};
  DAT_COUNT left = 0;
  return dat_evd_wait(evd, timeout, 1, &event, &left);
}

// Rules: dat_evd_set_unwaitable.R1 dat_evd_set_unwaitable.R2 dat_evd_set_unwaitable.R3
TEST_F(DatEvdSetUnwaitable, BadHandles) {
  expect_handle_checks(ia, DAT_HANDLE_TYPE_EVD, dat_evd_set_unwaitable);
}

// Rules: dat_evd_set_unwaitable.R4 dat_evd_wait.R14
TEST_F(DatEvdSetUnwaitable, WaitsFailAtOnce) {
  const Evd evd = create_evd(ia, DAT_EVD_SOFTWARE_FLAG);
  EXPECT_DAT_OK(dat_evd_set_unwaitable(evd));
  EXPECT_DAT_ERROR(wait(evd, DAT_TIMEOUT_INFINITE), DAT_INVALID_STATE,
                   DAT_INVALID_STATE_EVD_UNWAITABLE);
  EXPECT_DAT_OK(post_software_event(evd, nullptr));
  EXPECT_DAT_ERROR(wait(evd, 0), DAT_INVALID_STATE, DAT_INVALID_STATE_EVD_UNWAITABLE);
}

TEST_F(DatEvdSetUnwaitable, R5ABlockedWaiterWakes) {
  const Evd evd = create_evd(ia, DAT_EVD_SOFTWARE_FLAG);
  EXPECT_DAT_OK(post_software_event(evd, pointer_value(1)));
  BlockedCall waiter([&] {
    DAT_EVENT event{};
    DAT_COUNT left = 0;
    return dat_evd_wait(evd, DAT_TIMEOUT_INFINITE, 2, &event, &left);
  });
  EXPECT_DAT_OK(dat_evd_set_unwaitable(evd));
  EXPECT_DAT_TYPE(waiter.join(), DAT_INVALID_STATE);
  DAT_EVENT event{};
  ASSERT_DAT_OK(dat_evd_dequeue(evd, &event)) << "nothing was dequeued";
  EXPECT_EQ(event.event_data.software_event_data.pointer, pointer_value(1));
}

TEST_F(DatEvdSetUnwaitable, R6EventsKeepArriving) {
  const Evd evd = create_evd(ia, DAT_EVD_SOFTWARE_FLAG);
  EXPECT_DAT_OK(dat_evd_set_unwaitable(evd));
  EXPECT_DAT_OK(post_software_event(evd, pointer_value(1)));
  DAT_EVENT event{};
  ASSERT_DAT_OK(dat_evd_dequeue(evd, &event));
  EXPECT_EQ(event.event_data.software_event_data.pointer, pointer_value(1));
}

// Rules: dat_evd_set_unwaitable.R7 dat_evd_set_unwaitable.R9
TEST_F(DatEvdSetUnwaitable, TheCnoIsStillTriggered) {
  const Cno cno = create_cno(ia);
  const Evd evd = create_evd(ia, DAT_EVD_SOFTWARE_FLAG, 8, cno);
  EXPECT_DAT_OK(dat_evd_set_unwaitable(evd));
  EXPECT_EQ(query_evd(evd).cno_handle, cno);
  EXPECT_DAT_OK(post_software_event(evd, nullptr));
  EXPECT_TRIGGERED(cno, evd);
}

TEST_F(DatEvdSetUnwaitable, R8Twice) {
  const Evd evd = create_evd(ia, DAT_EVD_SOFTWARE_FLAG);
  EXPECT_DAT_OK(dat_evd_set_unwaitable(evd));
  EXPECT_DAT_OK(dat_evd_set_unwaitable(evd));
}

// Rules: dat_evd_clear_unwaitable.R1 dat_evd_clear_unwaitable.R2 dat_evd_clear_unwaitable.R3
TEST_F(DatEvdClearUnwaitable, BadHandles) {
  expect_handle_checks(ia, DAT_HANDLE_TYPE_EVD, dat_evd_clear_unwaitable);
}

TEST_F(DatEvdClearUnwaitable, R4WaitsArePermittedAgain) {
  const Evd evd = create_evd(ia, DAT_EVD_SOFTWARE_FLAG);
  EXPECT_DAT_OK(dat_evd_set_unwaitable(evd));
  EXPECT_DAT_OK(post_software_event(evd, pointer_value(1)));
  EXPECT_DAT_OK(dat_evd_clear_unwaitable(evd));
  EXPECT_EQ(expect_software_event(evd), pointer_value(1));
}

TEST_F(DatEvdClearUnwaitable, R5OfAWaitableEvd) {
  const Evd evd = create_evd(ia, DAT_EVD_SOFTWARE_FLAG);
  EXPECT_DAT_OK(dat_evd_clear_unwaitable(evd));
}

TEST_F(DatEvdClearUnwaitable, R6QueuedEventsDoNotTrigger) {
  const Cno cno = create_cno(ia);
  const Evd evd = create_evd(ia, DAT_EVD_SOFTWARE_FLAG, 8, cno);
  EXPECT_DAT_OK(dat_evd_set_unwaitable(evd));
  EXPECT_DAT_OK(post_software_event(evd, nullptr));
  EXPECT_TRIGGERED(cno, evd);
  EXPECT_DAT_OK(dat_evd_clear_unwaitable(evd));
  EXPECT_UNTRIGGERED(cno);
}

} // namespace
} // namespace datum::test
