// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dat_evd_post_se(3DAT).
#include "each_kind.h"
#include "fixture.h"
#include "threads.h"

namespace datum::test {
namespace {

using DatEvdPostSe = Conformance;

DAT_COUNT fill(DAT_EVD_HANDLE evd) {
  const DAT_COUNT length = query_evd(evd).evd_qlen;
  for (DAT_COUNT i = 0; i < length; ++i) EXPECT_DAT_OK(post_software_event(evd, nullptr)) << i;
  return length;
}

// Rules: dat_evd_post_se.R1 dat_evd_post_se.R2 dat_evd_post_se.R3
TEST_F(DatEvdPostSe, BadHandles) {
  expect_handle_checks(ia, DAT_HANDLE_TYPE_EVD,
                       [](DAT_HANDLE handle) { return post_software_event(handle, nullptr); });
}

TEST_F(DatEvdPostSe, R4OneEventWithThePointer) {
  const Evd evd = create_evd(ia, DAT_EVD_SOFTWARE_FLAG);
  int anything = 0;
  EXPECT_DAT_OK(post_software_event(evd, &anything));
  EXPECT_EQ(expect_software_event(evd), &anything);
  EXPECT_NO_EVENT(evd);
}

TEST_F(DatEvdPostSe, R5AnotherEventNumber) {
  const Evd evd = create_evd(ia, kEveryStream);
  for (const int number : {0, 0x00001, 0x04001, 0x10002}) {
    DAT_EVENT event{};
    event.event_number = any_value<DAT_EVENT_NUMBER>(number);
    EXPECT_DAT_ERROR(dat_evd_post_se(evd, &event), DAT_INVALID_PARAMETER, DAT_INVALID_ARG2)
        << number;
  }
  EXPECT_NO_EVENT(evd);
}

TEST_F(DatEvdPostSe, R6NullEvent) {
  const Evd evd = create_evd(ia, DAT_EVD_SOFTWARE_FLAG);
  EXPECT_DAT_ERROR(dat_evd_post_se(evd, nullptr), DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
}

TEST_F(DatEvdPostSe, R7NoSoftwareFlag) {
  const Evd evd = create_evd(ia, DAT_EVD_DEFAULT_FLAG);
  EXPECT_DAT_ERROR(post_software_event(evd, nullptr), DAT_INVALID_PARAMETER, DAT_INVALID_ARG1);
}

TEST_F(DatEvdPostSe, R8AFullEvd) {
  const Evd evd = create_evd(ia, DAT_EVD_SOFTWARE_FLAG, 4);
  const DAT_COUNT length = fill(evd);
  EXPECT_DAT_TYPE(post_software_event(evd, pointer_value(99)), DAT_QUEUE_FULL);
  EXPECT_EQ(drain(evd), length);
}

// Rules: dat_evd_post_se.R9 OVERFLOW.11
TEST_F(DatEvdPostSe, AFullEvdIsNoOverflow) {
  const Evd evd = create_evd(ia, DAT_EVD_SOFTWARE_FLAG, 4);
  fill(evd);
  EXPECT_DAT_TYPE(post_software_event(evd, nullptr), DAT_QUEUE_FULL);
  EXPECT_NO_EVENT(async_evd_of(ia));
  drain(evd);
  EXPECT_DAT_OK(post_software_event(evd, pointer_value(1)));
  EXPECT_EQ(expect_software_event(evd), pointer_value(1)) << "the EVD works on";
}

TEST_F(DatEvdPostSe, R11TheCnoIsTriggered) {
  const Cno cno = create_cno(ia);
  const Evd evd = create_evd(ia, DAT_EVD_SOFTWARE_FLAG, 8, cno);
  EXPECT_DAT_OK(post_software_event(evd, nullptr));
  EXPECT_TRIGGERED(cno, evd);
}

TEST_F(DatEvdPostSe, R12TheOrderIsKept) {
  const Evd evd = create_evd(ia, DAT_EVD_SOFTWARE_FLAG, 8);
  // Enough events to go more than once round a ring of any size up to 64.
  for (std::uintptr_t i = 0; i < 200; ++i) {
    EXPECT_DAT_OK(post_software_event(evd, pointer_value(2 * i)));
    EXPECT_DAT_OK(post_software_event(evd, pointer_value(2 * i + 1)));
    EXPECT_EQ(expect_software_event(evd), pointer_value(2 * i));
    EXPECT_EQ(expect_software_event(evd), pointer_value(2 * i + 1));
  }
}

TEST_F(DatEvdPostSe, R13WhileAThreadWaits) {
  const Evd evd = create_evd(ia, DAT_EVD_SOFTWARE_FLAG);
  DAT_EVENT event{};
  DAT_COUNT left = 0;
  BlockedCall waiter([&] { return dat_evd_wait(evd, kPatience, 2, &event, &left); });
  EXPECT_DAT_OK(post_software_event(evd, pointer_value(1)));
  EXPECT_DAT_OK(post_software_event(evd, pointer_value(2)));
  EXPECT_DAT_OK(waiter.join());
  EXPECT_EQ(event.event_data.software_event_data.pointer, pointer_value(1));
}

} // namespace
} // namespace datum::test
