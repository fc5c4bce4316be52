// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dat_cno_wait(3DAT): one latched trigger, several waiters.
#include "each_kind.h"
#include "fixture.h"
#include "threads.h"

namespace datum::test {
namespace {

class DatCnoWait : public Conformance {
 protected:
  void SetUp() override {
    Conformance::SetUp();
    cno = create_cno(ia);
    evd = create_evd(ia, DAT_EVD_SOFTWARE_FLAG, kQueueLength, cno);
  }

  void trigger(DAT_EVD_HANDLE by) { EXPECT_DAT_OK(post_software_event(by, nullptr)); }

  Cno cno;
  Evd evd;
};

// Rules: dat_cno_wait.R1 dat_cno_wait.R2 dat_cno_wait.R3
TEST_F(DatCnoWait, BadHandles) {
  expect_handle_checks(ia, DAT_HANDLE_TYPE_CNO, [](DAT_HANDLE handle) {
    DAT_EVD_HANDLE fired = DAT_HANDLE_NULL;
    return dat_cno_wait(handle, 0, &fired);
  });
}

TEST_F(DatCnoWait, R4NullPointer) {
  EXPECT_DAT_ERROR(dat_cno_wait(cno, 0, nullptr), DAT_INVALID_PARAMETER, DAT_INVALID_ARG3);
}

// Rules: dat_cno_wait.R5 dat_cno_wait.R6
TEST_F(DatCnoWait, ATimeoutIsQueueEmpty) {
  for (const DAT_TIMEOUT timeout : {0U, 1000U}) {
    DAT_EVD_HANDLE fired = evd;
    EXPECT_DAT_TYPE(dat_cno_wait(cno, timeout, &fired), DAT_QUEUE_EMPTY);
    EXPECT_EQ(fired, DAT_HANDLE_NULL);
  }
}

TEST_F(DatCnoWait, R7TheLatchIsCleared) {
  trigger(evd);
  DAT_EVD_HANDLE fired = DAT_HANDLE_NULL;
  EXPECT_DAT_OK(dat_cno_wait(cno, DAT_TIMEOUT_INFINITE, &fired));
  EXPECT_EQ(fired, evd);
  EXPECT_UNTRIGGERED(cno);
  EXPECT_EQ(drain(evd), 1) << "the event itself stays on the EVD";
}

TEST_F(DatCnoWait, R8TheSecondTriggerChangesNothing) {
  const Evd second = create_evd(ia, DAT_EVD_SOFTWARE_FLAG, 8, cno);
  trigger(evd);
  trigger(second);
  EXPECT_TRIGGERED(cno, evd);
  EXPECT_UNTRIGGERED(cno);
}

TEST_F(DatCnoWait, R9AWaiterIsReleased) {
  DAT_EVD_HANDLE fired = DAT_HANDLE_NULL;
  BlockedCall waiter([&] { return dat_cno_wait(cno, kPatience, &fired); });
  trigger(evd);
  EXPECT_DAT_OK(waiter.join());
  EXPECT_EQ(fired, evd);
}

TEST_F(DatCnoWait, R10SeveralWaiters) {
  DAT_EVD_HANDLE fired[2] = {};
  BlockedCall first([&] { return dat_cno_wait(cno, kPatience, &fired[0]); });
  BlockedCall second([&] { return dat_cno_wait(cno, kPatience, &fired[1]); });
  trigger(evd);
  while (!first.is_over() && !second.is_over()) std::this_thread::yield();
  // A CNO latches one trigger. If the first trigger released one waiter, this one releases the
  // other. If it released both, this one stays latched.
  trigger(evd);
  EXPECT_DAT_OK(first.join());
  EXPECT_DAT_OK(second.join());
  EXPECT_EQ(fired[0], evd);
  EXPECT_EQ(fired[1], evd);
}

TEST_F(DatCnoWait, R11ASignalInterrupts) {
  DAT_EVD_HANDLE fired = DAT_HANDLE_NULL;
  BlockedCall waiter([&] { return dat_cno_wait(cno, DAT_TIMEOUT_INFINITE, &fired); });
  waiter.interrupt();
  EXPECT_DAT_TYPE(waiter.join(), DAT_INTERRUPTED_CALL);
}

TEST_F(DatCnoWait, R12TheLastEvdIsFreed) {
  DAT_EVD_HANDLE fired[2] = {evd, evd};
  BlockedCall first([&] { return dat_cno_wait(cno, kPatience, &fired[0]); });
  BlockedCall second([&] { return dat_cno_wait(cno, kPatience, &fired[1]); });
  EXPECT_DAT_OK(dat_evd_free(evd.release()));
  EXPECT_DAT_OK(first.join());
  EXPECT_DAT_OK(second.join());
  EXPECT_EQ(fired[0], DAT_HANDLE_NULL);
  EXPECT_EQ(fired[1], DAT_HANDLE_NULL);
}

TEST_F(DatCnoWait, R13AnotherEvdIsFreed) {
  Evd other = create_evd(ia, DAT_EVD_SOFTWARE_FLAG, 8, cno);
  DAT_EVD_HANDLE fired = DAT_HANDLE_NULL;
  BlockedCall waiter([&] { return dat_cno_wait(cno, kPatience, &fired); });
  EXPECT_DAT_OK(dat_evd_free(other.release()));
  trigger(evd);
  EXPECT_DAT_OK(waiter.join());
  EXPECT_EQ(fired, evd) << "it was still waiting";
}

TEST_F(DatCnoWait, R14TheTriggerOfAnotherEvdStays) {
  Evd first = create_evd(ia, DAT_EVD_SOFTWARE_FLAG, 8, cno);
  const Evd silent = create_evd(ia, DAT_EVD_SOFTWARE_FLAG, 8, cno);
  trigger(first);
  trigger(evd); // the CNO is latched already and keeps the EVD of the first trigger
  first.free();
  EXPECT_TRIGGERED(cno, evd);
  EXPECT_UNTRIGGERED(cno);
  expect_software_event(evd);
  Evd last = create_evd(ia, DAT_EVD_SOFTWARE_FLAG, 8, cno);
  trigger(last);
  last.free();
  EXPECT_UNTRIGGERED(cno) << "no EVD that is left has an event";
}

TEST_F(DatCnoWait, R15AFreedEvdIsNotNamed) {
  Evd moved = create_evd(ia, DAT_EVD_SOFTWARE_FLAG, 8, cno);
  const Cno other = create_cno(ia);
  trigger(moved);
  ASSERT_DAT_OK(dat_evd_modify_cno(moved, other));
  moved.free();
  EXPECT_UNTRIGGERED(cno);
}

} // namespace
} // namespace datum::test
