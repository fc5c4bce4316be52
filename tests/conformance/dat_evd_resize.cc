// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dat_evd_resize(3DAT): no event is lost or overtaken.
#include "each_kind.h"
#include "fixture.h"
#include "threads.h"

namespace datum::test {
namespace {

class DatEvdResize : public Conformance {
 protected:
  void SetUp() override {
    Conformance::SetUp();
    evd = create_evd(ia, DAT_EVD_SOFTWARE_FLAG, 8);
  }

  void post(std::uintptr_t from, std::uintptr_t to) {
    for (std::uintptr_t i = from; i <= to; ++i) {
      EXPECT_DAT_OK(post_software_event(evd, pointer_value(i)));
    }
  }

  void expect_events(std::uintptr_t from, std::uintptr_t to) {
    for (std::uintptr_t i = from; i <= to; ++i) {
      EXPECT_EQ(expect_software_event(evd), pointer_value(i));
    }
  }

  Evd evd;
};

// Rules: dat_evd_resize.R1 dat_evd_resize.R2 dat_evd_resize.R3
TEST_F(DatEvdResize, BadHandles) {
  expect_handle_checks(ia, DAT_HANDLE_TYPE_EVD,
                       [](DAT_HANDLE handle) { return dat_evd_resize(handle, 16); });
}

TEST_F(DatEvdResize, R4Growing) {
  post(1, 6);
  expect_events(1, 3);
  post(7, 9); // the queue may have wrapped around
  ASSERT_DAT_OK(dat_evd_resize(evd, 100));
  EXPECT_GE(query_evd(evd).evd_qlen, 100);
  post(10, 100);
  expect_events(4, 100);
}

TEST_F(DatEvdResize, R5ShrinkingToWhatIsQueued) {
  ASSERT_DAT_OK(dat_evd_resize(evd, 64));
  post(1, 5);
  EXPECT_DAT_OK(dat_evd_resize(evd, 5));
  EXPECT_GE(query_evd(evd).evd_qlen, 5);
  expect_events(1, 5);
  post(6, 8);
  expect_events(6, 8);
}

TEST_F(DatEvdResize, R6LessThanIsQueued) {
  post(1, 5);
  const DAT_COUNT length = query_evd(evd).evd_qlen;
  EXPECT_DAT_TYPE(dat_evd_resize(evd, 4), DAT_INVALID_STATE);
  EXPECT_EQ(query_evd(evd).evd_qlen, length);
  expect_events(1, 5);
}

TEST_F(DatEvdResize, R7TheLengthMustBePositive) {
  for (const DAT_COUNT length : {0, -1}) {
    EXPECT_DAT_ERROR(dat_evd_resize(evd, length), DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
  }
}

TEST_F(DatEvdResize, R8LongerThanTheIaAllows) {
  const DAT_COUNT most = ia_attributes(ia).max_evd_qlen;
  if (most == 2147483647) GTEST_SKIP() << "no longer length exists";
  EXPECT_DAT_ERROR(dat_evd_resize(evd, most + 1), DAT_INSUFFICIENT_RESOURCES, DAT_RESOURCE_TEVD);
}

TEST_F(DatEvdResize, R9ThePresentLength) {
  post(1, 2);
  EXPECT_DAT_OK(dat_evd_resize(evd, query_evd(evd).evd_qlen));
  expect_events(1, 2);
}

TEST_F(DatEvdResize, R10WhileAThreadWaits) {
  post(1, 2);
  DAT_EVENT event{};
  DAT_COUNT left = 0;
  BlockedCall waiter([&] { return dat_evd_wait(evd, kPatience, 3, &event, &left); });
  EXPECT_DAT_OK(dat_evd_resize(evd, 200));
  EXPECT_FALSE(waiter.is_over());
  post(3, 3);
  EXPECT_DAT_OK(waiter.join());
  EXPECT_EQ(event.event_data.software_event_data.pointer, pointer_value(1));
  EXPECT_EQ(left, 2);
}

TEST_F(DatEvdResize, R11TheAsyncEvd) {
  EXPECT_DAT_OK(dat_evd_resize(async_evd_of(ia), 100));
  EXPECT_GE(query_evd(async_evd_of(ia)).evd_qlen, 100);
}

TEST_F(DatEvdResize, R12FewerPlacesThanAWaiterWantsEvents) {
  DAT_EVENT event{};
  DAT_COUNT left = 0;
  BlockedCall waiter([&] { return dat_evd_wait(evd, kPatience, 6, &event, &left); });
  const DAT_COUNT length = query_evd(evd).evd_qlen;
  EXPECT_DAT_ERROR(dat_evd_resize(evd, 5), DAT_INVALID_STATE, DAT_INVALID_STATE_EVD_WAITER);
  EXPECT_EQ(query_evd(evd).evd_qlen, length);
  EXPECT_DAT_OK(dat_evd_resize(evd, 6));
  post(1, 6);
  EXPECT_DAT_OK(waiter.join());
  EXPECT_EQ(left, 5);
}

} // namespace
} // namespace datum::test
