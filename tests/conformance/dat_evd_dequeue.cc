// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dat_evd_dequeue(3DAT).
#include <algorithm>
#include <thread>

#include "each_kind.h"
#include "fixture.h"
#include "threads.h"

namespace datum::test {
namespace {

using DatEvdDequeue = Conformance;

// Rules: dat_evd_dequeue.R1 dat_evd_dequeue.R2 dat_evd_dequeue.R3
TEST_F(DatEvdDequeue, BadHandles) {
  expect_handle_checks(ia, DAT_HANDLE_TYPE_EVD, [](DAT_HANDLE handle) {
    DAT_EVENT event{};
    return dat_evd_dequeue(handle, &event);
  });
}

TEST_F(DatEvdDequeue, R4NullEvent) {
  const Evd evd = create_evd(ia, DAT_EVD_SOFTWARE_FLAG);
  EXPECT_DAT_ERROR(dat_evd_dequeue(evd, nullptr), DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
}

TEST_F(DatEvdDequeue, R5Empty) {
  const Evd evd = create_evd(ia, DAT_EVD_SOFTWARE_FLAG);
  DAT_EVENT event{};
  EXPECT_DAT_TYPE(dat_evd_dequeue(evd, &event), DAT_QUEUE_EMPTY);
}

// Rules: dat_evd_dequeue.R6 dat_evd_dequeue.R10
TEST_F(DatEvdDequeue, TheFirstIsTaken) {
  const Evd evd = create_evd(ia, DAT_EVD_SOFTWARE_FLAG);
  for (std::uintptr_t i = 1; i <= 3; ++i) {
    EXPECT_DAT_OK(post_software_event(evd, pointer_value(i)));
  }
  for (std::uintptr_t i = 1; i <= 3; ++i) {
    DAT_EVENT event{};
    ASSERT_DAT_OK(dat_evd_dequeue(evd, &event));
    EXPECT_EQ(event.event_number, DAT_SOFTWARE_EVENT);
    EXPECT_EQ(event.evd_handle, evd);
    EXPECT_EQ(event.event_data.software_event_data.pointer, pointer_value(i));
  }
  DAT_EVENT event{};
  EXPECT_DAT_TYPE(dat_evd_dequeue(evd, &event), DAT_QUEUE_EMPTY);
}

TEST_F(DatEvdDequeue, R7AThreadWaits) {
  const Evd evd = create_evd(ia, DAT_EVD_SOFTWARE_FLAG);
  BlockedCall waiter([&] {
    DAT_EVENT event{};
    DAT_COUNT left = 0;
    return dat_evd_wait(evd, kPatience, 1, &event, &left);
  });
  DAT_EVENT event{};
  EXPECT_DAT_ERROR(dat_evd_dequeue(evd, &event), DAT_INVALID_STATE, DAT_INVALID_STATE_EVD_WAITER);
  EXPECT_DAT_OK(post_software_event(evd, nullptr));
  EXPECT_DAT_OK(waiter.join());
}

TEST_F(DatEvdDequeue, R8DisabledAndUnwaitable) {
  const Evd evd = create_evd(ia, DAT_EVD_SOFTWARE_FLAG);
  EXPECT_DAT_OK(post_software_event(evd, nullptr));
  EXPECT_DAT_OK(dat_evd_disable(evd));
  EXPECT_DAT_OK(dat_evd_set_unwaitable(evd));
  DAT_EVENT event{};
  EXPECT_DAT_OK(dat_evd_dequeue(evd, &event));
}

// Rules: dat_evd_dequeue.R9 THREAD.2
TEST_F(DatEvdDequeue, ConcurrentCallersShareTheEvents) {
  constexpr std::uintptr_t kEvents = 20'000;
  constexpr int kThreads = 4;
  const Evd evd = create_evd(ia, DAT_EVD_SOFTWARE_FLAG, static_cast<DAT_COUNT>(kEvents));
  for (std::uintptr_t i = 0; i < kEvents; ++i) {
    ASSERT_DAT_OK(post_software_event(evd, pointer_value(i)));
  }
  std::vector<std::uintptr_t> seen[kThreads];
  std::vector<std::thread> threads;
  for (auto& mine : seen) {
    threads.emplace_back([&] {
      DAT_EVENT event{};
      while (dat_evd_dequeue(evd, &event) == DAT_SUCCESS) {
        mine.push_back(
            reinterpret_cast<std::uintptr_t>(event.event_data.software_event_data.pointer));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::vector<std::uintptr_t> all;
  for (const auto& mine : seen) {
    EXPECT_TRUE(std::is_sorted(mine.begin(), mine.end())) << "one caller sees posting order";
    all.insert(all.end(), mine.begin(), mine.end());
  }
  std::sort(all.begin(), all.end());
  ASSERT_EQ(all.size(), kEvents);
  for (std::uintptr_t i = 0; i < kEvents; ++i) ASSERT_EQ(all[i], i);
}

} // namespace
} // namespace datum::test
