// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dat_evd_wait(3DAT), with software events. rule_notification.cc tests completions.
#include <chrono>

#include "each_kind.h"
#include "fixture.h"
#include "threads.h"

namespace datum::test {
namespace {

class DatEvdWait : public Conformance {
 protected:
  void SetUp() override {
    Conformance::SetUp();
    evd = create_evd(ia, DAT_EVD_SOFTWARE_FLAG);
  }

  void post(std::uintptr_t number = 0) {
    EXPECT_DAT_OK(post_software_event(evd, pointer_value(number)));
  }

  DAT_RETURN wait(DAT_TIMEOUT timeout, DAT_COUNT threshold = 1) {
    return dat_evd_wait(evd, timeout, threshold, &event, &left);
  }

  void* taken() const { return event.event_data.software_event_data.pointer; }

  Evd evd;
  DAT_EVENT event{};
  DAT_COUNT left = -1;
};

// Rules: dat_evd_wait.R1 dat_evd_wait.R2 dat_evd_wait.R3
TEST_F(DatEvdWait, BadHandles) {
  expect_handle_checks(ia, DAT_HANDLE_TYPE_EVD, [&](DAT_HANDLE handle) {
    return dat_evd_wait(handle, 0, 1, &event, &left);
  });
}

TEST_F(DatEvdWait, R4NullEvent) {
  post();
  EXPECT_DAT_ERROR(dat_evd_wait(evd, 0, 1, nullptr, &left), DAT_INVALID_PARAMETER,
                   DAT_INVALID_ARG4);
}

// Rules: dat_evd_wait.R5 CONV.2
TEST_F(DatEvdWait, NullNmore) {
  post(1);
  EXPECT_DAT_ERROR(dat_evd_wait(evd, 0, 1, &event, nullptr), DAT_INVALID_PARAMETER,
                   DAT_INVALID_ARG5);
  EXPECT_EQ(expect_software_event(evd), pointer_value(1)) << "the failed call took nothing";
}

// Rules: dat_evd_wait.R6 dat_evd_wait.R7 dat_evd_wait.R8
TEST_F(DatEvdWait, ThresholdOutOfRange) {
  const DAT_COUNT length = query_evd(evd).evd_qlen;
  for (const DAT_COUNT threshold : {0, -1, length + 1}) {
    EXPECT_DAT_ERROR(wait(0, threshold), DAT_INVALID_PARAMETER, DAT_INVALID_ARG3) << threshold;
  }
}

TEST_F(DatEvdWait, R9ThresholdOfTheWholeQueue) {
  const DAT_COUNT length = query_evd(evd).evd_qlen;
  EXPECT_DAT_TYPE(wait(0, length), DAT_TIMEOUT_EXPIRED);
  for (DAT_COUNT i = 0; i < length; ++i) post();
  EXPECT_DAT_OK(wait(0, length));
  EXPECT_EQ(left, length - 1);
}

// Rules: dat_evd_wait.R10 dat_evd_wait.R11
TEST_F(DatEvdWait, ThresholdUnderControlledReceives) {
  for (const DAT_COMPLETION_FLAGS flags :
       {DAT_COMPLETION_UNSIGNALLED_FLAG, DAT_COMPLETION_SOLICITED_WAIT_FLAG}) {
    DAT_EP_ATTR attributes = default_attributes(ia);
    attributes.recv_completion_flags = flags;
    const Evd recv = create_evd(ia, DAT_EVD_DTO_FLAG);
    const Ep ep =
        create_ep(ia, DAT_HANDLE_NULL, recv, DAT_HANDLE_NULL, DAT_HANDLE_NULL, &attributes);
    EXPECT_DAT_TYPE(dat_evd_wait(recv, 0, 2, &event, &left), DAT_INVALID_STATE) << flags;
    EXPECT_DAT_TYPE(dat_evd_wait(recv, 0, 1, &event, &left), DAT_TIMEOUT_EXPIRED) << flags;
  }
}

TEST_F(DatEvdWait, R12ThresholdUnderControlledRequests) {
  DAT_EP_ATTR attributes = default_attributes(ia);
  attributes.request_completion_flags = DAT_COMPLETION_UNSIGNALLED_FLAG;
  const Evd request = create_evd(ia, DAT_EVD_DTO_FLAG);
  const Ep ep =
      create_ep(ia, DAT_HANDLE_NULL, DAT_HANDLE_NULL, request, DAT_HANDLE_NULL, &attributes);
  EXPECT_DAT_TYPE(dat_evd_wait(request, 0, 2, &event, &left), DAT_INVALID_STATE);
}

TEST_F(DatEvdWait, R13ASecondWaiter) {
  DAT_EVENT first_event{};
  DAT_COUNT first_left = 0;
  BlockedCall first([&] { return dat_evd_wait(evd, kPatience, 1, &first_event, &first_left); });
  EXPECT_DAT_ERROR(wait(DAT_TIMEOUT_INFINITE), DAT_INVALID_STATE, DAT_INVALID_STATE_EVD_WAITER);
  post();
  EXPECT_DAT_OK(first.join());
}

// Rules: dat_evd_wait.R15 dat_evd_wait.R17 dat_evd_wait.R25 dat_evd_wait.R29 EVENT.7
TEST_F(DatEvdWait, QueuedEventsComeInOrder) {
  for (std::uintptr_t i = 1; i <= 3; ++i) post(i);
  for (std::uintptr_t i = 1; i <= 3; ++i) {
    ASSERT_DAT_OK(wait(DAT_TIMEOUT_INFINITE));
    EXPECT_EQ(static_cast<int>(event.event_number), 0x10001);
    EXPECT_EQ(event.evd_handle, evd);
    EXPECT_EQ(taken(), pointer_value(i));
    EXPECT_EQ(left, static_cast<DAT_COUNT>(3 - i));
  }
}

TEST_F(DatEvdWait, R16TheThresholdIsReached) {
  BlockedCall waiter([&] { return wait(kPatience, 3); });
  post(1);
  post(2);
  EXPECT_FALSE(waiter.is_over());
  post(3);
  EXPECT_DAT_OK(waiter.join());
  EXPECT_EQ(taken(), pointer_value(1));
  EXPECT_EQ(left, 2);
}

// Rules: dat_evd_wait.R18 dat_evd_wait.R19
TEST_F(DatEvdWait, TimeoutTakesNothing) {
  post(1);
  post(2);
  EXPECT_DAT_TYPE(wait(1000, 3), DAT_TIMEOUT_EXPIRED);
  EXPECT_EQ(left, 2);
  EXPECT_EQ(expect_software_event(evd), pointer_value(1));
}

// Rules: dat_evd_wait.R20 PATH.11
TEST_F(DatEvdWait, TimeoutZeroPolls) {
  EXPECT_DAT_TYPE(wait(0), DAT_TIMEOUT_EXPIRED);
  EXPECT_EQ(left, 0);
  post(1);
  EXPECT_DAT_OK(wait(0));
  EXPECT_EQ(taken(), pointer_value(1));
}

// Rules: CONV.13
TEST_F(DatEvdWait, TimeoutsAreMicroseconds) {
  const auto start = std::chrono::steady_clock::now();
  EXPECT_DAT_TYPE(wait(1000), DAT_TIMEOUT_EXPIRED);
  const auto spent = std::chrono::steady_clock::now() - start;
  EXPECT_GE(spent, std::chrono::microseconds(1000));
  // If the unit were milliseconds, the wait would take one second. No stall of the machine comes
  // near that.
  EXPECT_LT(spent, std::chrono::milliseconds(900));
}

TEST_F(DatEvdWait, R21ASignalInterrupts) {
  post();
  BlockedCall waiter([&] { return wait(DAT_TIMEOUT_INFINITE, 2); });
  waiter.interrupt();
  EXPECT_DAT_TYPE(waiter.join(), DAT_INTERRUPTED_CALL);
  EXPECT_EQ(left, 1);
}

TEST_F(DatEvdWait, R23OwnershipEndsWithEveryExit) {
  post();
  EXPECT_DAT_OK(wait(0));
  EXPECT_DAT_TYPE(wait(0), DAT_TIMEOUT_EXPIRED);
  {
    BlockedCall waiter([&] { return wait(DAT_TIMEOUT_INFINITE); });
    waiter.interrupt();
    EXPECT_DAT_TYPE(waiter.join(), DAT_INTERRUPTED_CALL);
  }
  EXPECT_DAT_TYPE(wait(0), DAT_TIMEOUT_EXPIRED);
  {
    BlockedCall waiter([&] { return wait(DAT_TIMEOUT_INFINITE); });
    EXPECT_DAT_OK(dat_evd_set_unwaitable(evd));
    EXPECT_DAT_TYPE(waiter.join(), DAT_INVALID_STATE);
  }
  EXPECT_DAT_OK(dat_evd_clear_unwaitable(evd));
  EXPECT_DAT_TYPE(wait(0), DAT_TIMEOUT_EXPIRED);
  EXPECT_DAT_TYPE(dat_evd_dequeue(evd, &event), DAT_QUEUE_EMPTY);
}

TEST_F(DatEvdWait, R24WakeUpsDoNotProlongTheWait) {
  constexpr DAT_TIMEOUT kTimeout = 200'000;
  const auto start = std::chrono::steady_clock::now();
  BlockedCall waiter([&] { return wait(kTimeout, 64); });
  // Events below the threshold come during the whole wait. A timer that starts anew with each event
  // would not run out before the events end.
  for (int i = 0; i < 60 && !waiter.is_over(); ++i) {
    post();
    const auto next = start + std::chrono::milliseconds(10) * (i + 1);
    while (!waiter.is_over() && std::chrono::steady_clock::now() < next) std::this_thread::yield();
  }
  EXPECT_TRUE(waiter.is_over()) << "600 ms after a wait of 200 ms began";
  EXPECT_DAT_TYPE(waiter.join(), DAT_TIMEOUT_EXPIRED);
}

TEST_F(DatEvdWait, R26AnInfiniteWaitEnds) {
  BlockedCall waiter([&] { return wait(DAT_TIMEOUT_INFINITE); });
  post(1);
  EXPECT_DAT_OK(waiter.join());
  EXPECT_EQ(taken(), pointer_value(1));
}

// Rules: dat_evd_wait.R30 dat_evd_post_se.R10
TEST_F(DatEvdWait, TheWaiterGetsItNotTheCno) {
  const Cno cno = create_cno(ia);
  const Evd with_cno = create_evd(ia, DAT_EVD_SOFTWARE_FLAG, 8, cno);
  BlockedCall waiter([&] { return dat_evd_wait(with_cno, kPatience, 1, &event, &left); });
  EXPECT_DAT_OK(post_software_event(with_cno, nullptr));
  EXPECT_DAT_OK(waiter.join());
  EXPECT_UNTRIGGERED(cno);
}

// Rules: PROGRESS.7
TEST_F(DatEvdWait, NoWakeUpIsLost) {
  constexpr int kRounds = 5000;
  const Evd answers = create_evd(ia, DAT_EVD_SOFTWARE_FLAG);
  std::thread echo([&] {
    for (int i = 0; i < kRounds; ++i) {
      expect_software_event(evd);
      EXPECT_DAT_OK(post_software_event(answers, nullptr));
    }
  });
  for (int i = 0; i < kRounds; ++i) {
    post();
    expect_software_event(answers);
  }
  echo.join();
}

// Rules: THREAD.10
TEST_F(DatEvdWait, TwoThreadsOnTwoEvds) {
  const Evd other = create_evd(ia, DAT_EVD_SOFTWARE_FLAG);
  DAT_EVENT other_event{};
  DAT_COUNT other_left = 0;
  BlockedCall first([&] { return wait(kPatience); });
  BlockedCall second([&] { return dat_evd_wait(other, kPatience, 1, &other_event, &other_left); });
  EXPECT_DAT_OK(post_software_event(other, pointer_value(2)));
  EXPECT_DAT_OK(second.join());
  EXPECT_FALSE(first.is_over());
  post(1);
  EXPECT_DAT_OK(first.join());
  EXPECT_EQ(taken(), pointer_value(1));
  EXPECT_EQ(other_event.event_data.software_event_data.pointer, pointer_value(2));
}

} // namespace
} // namespace datum::test
