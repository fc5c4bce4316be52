// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dat_evd_free(3DAT): refuses an EVD that an EP, a PSP, an RSP or the IA uses or that a thread
// waits on.
#include "each_kind.h"
#include "fixture.h"
#include "threads.h"

namespace datum::test {
namespace {

using DatEvdFree = Conformance;

void expect_in_use(DAT_EVD_HANDLE evd) {
  EXPECT_DAT_ERROR(dat_evd_free(evd), DAT_INVALID_STATE, DAT_INVALID_STATE_EVD_IN_USE);
}

// Rules: dat_evd_free.R1 dat_evd_free.R2 dat_evd_free.R3
TEST_F(DatEvdFree, BadHandles) {
  expect_handle_checks(ia, DAT_HANDLE_TYPE_EVD, dat_evd_free);
}

TEST_F(DatEvdFree, R4UnusedWithEvents) {
  Evd evd = create_evd(ia, DAT_EVD_SOFTWARE_FLAG);
  EXPECT_DAT_OK(post_software_event(evd, nullptr));
  EXPECT_DAT_OK(dat_evd_free(evd.release()));
}

// Rules: dat_evd_free.R5 dat_evd_free.R6 dat_evd_free.R7 OBJ.4
TEST_F(DatEvdFree, AnEpUsesIt) {
  const Side side(ia);
  expect_in_use(side.recv_evd());
  expect_in_use(side.request_evd());
  expect_in_use(side.connect_evd());
}

// Rules: dat_evd_free.R8 OBJ.9
TEST_F(DatEvdFree, APspUsesIt) {
  const Listener listener(ia);
  expect_in_use(listener.evd());
}

// Rules: dat_evd_free.R9 OBJ.10
TEST_F(DatEvdFree, AnRspUsesIt) {
  Side side(ia);
  const Evd evd = create_evd(ia, DAT_EVD_CR_FLAG);
  const Rsp rsp = create_rsp(ia, free_qualifier(), side.ep(), evd);
  expect_in_use(evd);
}

TEST_F(DatEvdFree, R10TheAsyncEvd) {
  expect_in_use(async_evd_of(ia));
}

TEST_F(DatEvdFree, R11AThreadWaits) {
  const Evd evd = create_evd(ia, DAT_EVD_SOFTWARE_FLAG);
  BlockedCall waiter([&] {
    DAT_EVENT event{};
    DAT_COUNT left = 0;
    return dat_evd_wait(evd, kPatience, 1, &event, &left);
  });
  EXPECT_DAT_ERROR(dat_evd_free(evd), DAT_INVALID_STATE, DAT_INVALID_STATE_EVD_WAITER);
  EXPECT_DAT_OK(post_software_event(evd, nullptr)) << "the refused dat_evd_free broke the EVD";
  EXPECT_DAT_OK(waiter.join());
}

TEST_F(DatEvdFree, R12AnUnansweredRequestDoesNotHoldIt) {
  const Ia requester_ia = open_ia();
  Side requester(requester_ia);
  Cr cr;
  Evd evd = create_evd(ia, DAT_EVD_CR_FLAG);
  {
    Psp psp;
    DAT_CONN_QUAL qualifier = 0;
    ASSERT_DAT_OK(dat_psp_create_any(ia, &qualifier, evd, DAT_PSP_CONSUMER_FLAG, psp.out()));
    ASSERT_DAT_OK(connect(requester.ep(), address_of(ia), qualifier));
    cr = expect_request(evd);
  }
  EXPECT_DAT_OK(dat_evd_free(evd.release()));
}

TEST_F(DatEvdFree, R13AfterItsUsersAreGone) {
  Evd evd = create_evd(ia, kEveryStream);
  Ep ep = create_ep(ia, DAT_HANDLE_NULL, evd, evd, evd);
  Psp psp = create_psp(ia, free_qualifier(), evd);
  Rsp rsp = create_rsp(ia, free_qualifier(), ep, evd);
  psp.free();
  expect_in_use(evd);
  rsp.free();
  expect_in_use(evd);
  ep.free();
  EXPECT_DAT_OK(dat_evd_free(evd.release()));
}

} // namespace
} // namespace datum::test
