// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dat_evd_modify_cno(3DAT), dat_evd_enable(3DAT), dat_evd_disable(3DAT): what triggers a CNO.
#include "each_kind.h"
#include "fixture.h"
#include "threads.h"

namespace datum::test {
namespace {

using DatEvdModifyCno = Conformance;
using DatEvdEnable = Conformance;
using DatEvdDisable = Conformance;

void post(DAT_EVD_HANDLE evd) {
  EXPECT_DAT_OK(post_software_event(evd, nullptr));
}

// Rules: dat_evd_modify_cno.R1 dat_evd_modify_cno.R2 dat_evd_modify_cno.R3
TEST_F(DatEvdModifyCno, BadHandles) {
  expect_handle_checks(ia, DAT_HANDLE_TYPE_EVD, [](DAT_HANDLE handle) {
    return dat_evd_modify_cno(handle, DAT_HANDLE_NULL);
  });
}

TEST_F(DatEvdModifyCno, R4TheNewCnoIsTriggered) {
  const Cno old_cno = create_cno(ia);
  const Cno new_cno = create_cno(ia);
  const Evd evd = create_evd(ia, DAT_EVD_SOFTWARE_FLAG, 8, old_cno);
  EXPECT_DAT_OK(dat_evd_modify_cno(evd, new_cno));
  EXPECT_EQ(query_evd(evd).cno_handle, new_cno);
  post(evd);
  EXPECT_TRIGGERED(new_cno, evd);
  EXPECT_UNTRIGGERED(old_cno);
}

TEST_F(DatEvdModifyCno, R5NullRemovesIt) {
  const Cno cno = create_cno(ia);
  const Evd evd = create_evd(ia, DAT_EVD_SOFTWARE_FLAG, 8, cno);
  EXPECT_DAT_OK(dat_evd_modify_cno(evd, DAT_HANDLE_NULL));
  EXPECT_EQ(query_evd(evd).cno_handle, DAT_HANDLE_NULL);
  post(evd);
  EXPECT_UNTRIGGERED(cno);
}

TEST_F(DatEvdModifyCno, R6NotACno) {
  const Pz pz = create_pz(ia);
  const Evd evd = create_evd(ia, DAT_EVD_SOFTWARE_FLAG);
  EXPECT_DAT_ERROR(dat_evd_modify_cno(evd, pz), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_CNO);
}

TEST_F(DatEvdModifyCno, R7CnoOfAnotherInstance) {
  const Ia other = open_ia();
  const Cno cno = create_cno(other);
  const Evd evd = create_evd(ia, DAT_EVD_SOFTWARE_FLAG);
  EXPECT_DAT_ERROR(dat_evd_modify_cno(evd, cno), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_CNO);
  EXPECT_EQ(query_evd(evd).cno_handle, DAT_HANDLE_NULL);
}

TEST_F(DatEvdModifyCno, R8TheReferenceMoves) {
  Cno old_cno = create_cno(ia);
  const Cno new_cno = create_cno(ia);
  const Evd evd = create_evd(ia, DAT_EVD_SOFTWARE_FLAG, 8, old_cno);
  EXPECT_DAT_OK(dat_evd_modify_cno(evd, new_cno));
  EXPECT_DAT_OK(dat_cno_free(old_cno.release()));
  EXPECT_DAT_ERROR(dat_cno_free(new_cno), DAT_INVALID_STATE, DAT_INVALID_STATE_CNO_IN_USE);
}

TEST_F(DatEvdModifyCno, R9WaitersOfTheOldCnoStay) {
  const Cno cno = create_cno(ia);
  const Evd evd = create_evd(ia, DAT_EVD_SOFTWARE_FLAG, 8, cno);
  DAT_EVD_HANDLE fired = DAT_HANDLE_NULL;
  BlockedCall waiter([&] { return dat_cno_wait(cno, kPatience, &fired); });
  EXPECT_DAT_OK(dat_evd_modify_cno(evd, DAT_HANDLE_NULL));
  EXPECT_DAT_OK(dat_evd_modify_cno(evd, cno));
  post(evd); // a waiter that the change had released would have seen no EVD
  EXPECT_DAT_OK(waiter.join());
  EXPECT_EQ(fired, evd);
}

TEST_F(DatEvdModifyCno, R10TheAsyncEvd) {
  const Cno cno = create_cno(ia);
  const DAT_EVD_HANDLE async_evd = async_evd_of(ia);
  EXPECT_DAT_OK(dat_evd_modify_cno(async_evd, cno));
  EXPECT_EQ(query_evd(async_evd).cno_handle, cno);
  EXPECT_DAT_OK(dat_evd_modify_cno(async_evd, DAT_HANDLE_NULL));
}

TEST_F(DatEvdModifyCno, R11QueuedEventsDoNotTrigger) {
  const Cno cno = create_cno(ia);
  const Evd evd = create_evd(ia, DAT_EVD_SOFTWARE_FLAG);
  post(evd);
  EXPECT_DAT_OK(dat_evd_modify_cno(evd, cno));
  EXPECT_UNTRIGGERED(cno);
}

// Rules: dat_evd_enable.R1 dat_evd_enable.R2 dat_evd_enable.R3
TEST_F(DatEvdEnable, BadHandles) {
  expect_handle_checks(ia, DAT_HANDLE_TYPE_EVD, dat_evd_enable);
}

TEST_F(DatEvdEnable, R4TheNextEventTriggers) {
  const Cno cno = create_cno(ia);
  const Evd evd = create_evd(ia, DAT_EVD_SOFTWARE_FLAG, 8, cno);
  EXPECT_DAT_OK(dat_evd_disable(evd));
  EXPECT_DAT_OK(dat_evd_enable(evd));
  post(evd);
  EXPECT_TRIGGERED(cno, evd);
}

TEST_F(DatEvdEnable, R5Twice) {
  const Evd evd = create_evd(ia, DAT_EVD_SOFTWARE_FLAG);
  EXPECT_DAT_OK(dat_evd_enable(evd));
  EXPECT_DAT_OK(dat_evd_enable(evd));
}

TEST_F(DatEvdEnable, R6QueuedEventsDoNotTrigger) {
  const Cno cno = create_cno(ia);
  const Evd evd = create_evd(ia, DAT_EVD_SOFTWARE_FLAG, 8, cno);
  EXPECT_DAT_OK(dat_evd_disable(evd));
  post(evd);
  EXPECT_DAT_OK(dat_evd_enable(evd));
  EXPECT_UNTRIGGERED(cno);
}

TEST_F(DatEvdEnable, R7WhileAThreadWaits) {
  const Evd evd = create_evd(ia, DAT_EVD_SOFTWARE_FLAG);
  BlockedCall waiter([&] {
    DAT_EVENT event{};
    DAT_COUNT left = 0;
    return dat_evd_wait(evd, kPatience, 1, &event, &left);
  });
  EXPECT_DAT_OK(dat_evd_disable(evd));
  EXPECT_DAT_OK(dat_evd_enable(evd));
  post(evd);
  EXPECT_DAT_OK(waiter.join());
}

// Rules: dat_evd_disable.R1 dat_evd_disable.R2 dat_evd_disable.R3
TEST_F(DatEvdDisable, BadHandles) {
  expect_handle_checks(ia, DAT_HANDLE_TYPE_EVD, dat_evd_disable);
}

TEST_F(DatEvdDisable, R4DoesNotTrigger) {
  const Cno cno = create_cno(ia);
  const Evd evd = create_evd(ia, DAT_EVD_SOFTWARE_FLAG, 8, cno);
  EXPECT_DAT_OK(dat_evd_disable(evd));
  post(evd);
  EXPECT_UNTRIGGERED(cno);
}

TEST_F(DatEvdDisable, R5Twice) {
  const Evd evd = create_evd(ia, DAT_EVD_SOFTWARE_FLAG);
  EXPECT_DAT_OK(dat_evd_disable(evd));
  EXPECT_DAT_OK(dat_evd_disable(evd));
}

// Rules: dat_evd_disable.R6 dat_evd_wait.R27
TEST_F(DatEvdDisable, DirectWaitAndDequeueWork) {
  const Evd evd = create_evd(ia, DAT_EVD_SOFTWARE_FLAG);
  EXPECT_DAT_OK(dat_evd_disable(evd));
  BlockedCall waiter([&] {
    DAT_EVENT event{};
    DAT_COUNT left = 0;
    return dat_evd_wait(evd, kPatience, 1, &event, &left);
  });
  post(evd);
  EXPECT_DAT_OK(waiter.join());
  post(evd);
  DAT_EVENT event{};
  EXPECT_DAT_OK(dat_evd_dequeue(evd, &event));
}

} // namespace
} // namespace datum::test
