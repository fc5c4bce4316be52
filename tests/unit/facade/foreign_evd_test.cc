// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Events that wait on their way from an EP to a connect EVD of another IA.
#include <gtest/gtest.h>

#include <optional>

#include "facade/locked.h"
#include "fake_libdat.h"

namespace datum::test {
namespace {

class ForeignEvdTest : public ::testing::Test {
 protected:
  void SetUp() override {
    EXPECT_EQ(p->evd_create_func(ia, 32, nullptr, DAT_EVD_CONNECTION_FLAG, &evd), DAT_SUCCESS);
    const Locked<ObjectKind::EventDispatcher> locked(evd);
    foreign.emplace(*locked, locked.control().key_for(ObjectKind::EventDispatcher));
  }
  bool tell(std::uintptr_t about, EventKind kind = EventKind::Disconnected,
            const void* data = nullptr) {
    Event told;
    told.kind = kind;
    told.object = reinterpret_cast<Token>(about);
    told.data = data;
    told.size = data != nullptr ? 1 : 0;
    return foreign->push(told, static_cast<std::uint32_t>(10 * about));
  }
  void expect_about(std::uintptr_t about, const void* data = nullptr) {
    EXPECT_EQ(next(evd), DAT_SUCCESS);
    const DAT_CONNECTION_EVENT_DATA& told = event.event_data.connect_event_data;
    EXPECT_EQ(told.ep_handle, reinterpret_cast<DAT_EP_HANDLE>(about));
    EXPECT_EQ(told.private_data, data);
  }
  void join() {
    foreign->make_room();
    foreign->join();
  }
  DAT_RETURN next(DAT_EVD_HANDLE from) { return p->evd_dequeue_func(from, &event); }

  Provider p{"ia0"};
  DAT_EVD_HANDLE async_evd = nullptr;
  DAT_IA_HANDLE ia = p.open(&async_evd);
  DAT_EVD_HANDLE evd = nullptr;
  std::optional<ForeignEvd> foreign;
  DAT_EVENT event{};
};

// Rules: FOREIGN.6
TEST_F(ForeignEvdTest, MoreThanCanWaitIsToldAsAnOverflow) {
  join();
  std::uintptr_t told = 0;
  while (told < 100 && tell(told + 1)) ++told;
  EXPECT_GE(told, 7U);
  EXPECT_LT(told, 32U) << "there is a bound, and the EVD has room for as many";
  EXPECT_EQ(next(evd), kQueueEmpty) << "nothing was delivered";
  EXPECT_EQ(IaControl::deliver(*foreign).endpoint, nullptr);
  for (std::uintptr_t i = 1; i <= told; ++i) expect_about(i);
  EXPECT_EQ(next(evd), kQueueEmpty);
  EXPECT_EQ(next(async_evd), DAT_SUCCESS);
  EXPECT_EQ(event.event_number, DAT_ASYNC_ERROR_EVD_OVERFLOW);
  EXPECT_EQ(event.event_data.asynch_error_event_data.dat_handle, evd);
  EXPECT_TRUE(tell(told + 1)) << "there is room again";
}

// Rules: FOREIGN.2
TEST_F(ForeignEvdTest, WhatSeveralTellComesInTheOrderInWhichTheyTellIt) {
  for (int i = 0; i < 3; ++i) join();
  for (const std::uintptr_t about : {3U, 1U, 2U, 1U}) EXPECT_TRUE(tell(about));
  join();
  for (std::uintptr_t i = 4; i <= 20; ++i) EXPECT_TRUE(tell(i));
  IaControl::deliver(*foreign);
  for (const std::uintptr_t about : {3U, 1U, 2U, 1U}) expect_about(about);
  for (std::uintptr_t i = 4; i <= 20; ++i) expect_about(i);
}

// Rules: FOREIGN.4
TEST_F(ForeignEvdTest, WhatIsForgottenIsNotToldAndOthersIs) {
  const char mine = 0;
  const char others = 0;
  join();
  join();
  EXPECT_TRUE(tell(1, EventKind::Established, &mine));
  IaControl::deliver(*foreign);
  EXPECT_TRUE(tell(1, EventKind::Established, &mine));
  foreign->forget_data(reinterpret_cast<Token>(1), &mine);
  EXPECT_TRUE(tell(1, EventKind::Established, &mine));
  EXPECT_TRUE(tell(2, EventKind::Established, &others));
  foreign->forget_data(reinterpret_cast<Token>(1), &mine);
  EXPECT_TRUE(tell(1, EventKind::Established, &mine)) << "of a connection after that";
  IaControl::deliver(*foreign);
  for (int i = 0; i < 3; ++i) expect_about(1);
  expect_about(2, &others);
  expect_about(1, &mine);
}

// Rules: FOREIGN.6
TEST_F(ForeignEvdTest, EachOfWhichNobodyHearsThatItIsConnectedIsNamedWithItsConnection) {
  for (int i = 0; i < 5; ++i) join();
  const DAT_COUNT room = 32;
  for (std::uintptr_t i = 1; i <= room; ++i) EXPECT_TRUE(tell(i));
  EXPECT_TRUE(tell(100, EventKind::Established));
  EXPECT_TRUE(tell(101));
  EXPECT_TRUE(tell(102, EventKind::Established));
  for (const std::uintptr_t lost : {100U, 102U}) {
    const ForeignEvd::Unreported unheard = IaControl::deliver(*foreign);
    EXPECT_EQ(unheard.endpoint, reinterpret_cast<Token>(lost));
    EXPECT_EQ(unheard.connection, 10 * lost);
  }
  EXPECT_EQ(IaControl::deliver(*foreign).endpoint, nullptr);
  for (std::uintptr_t i = 1; i <= room; ++i) expect_about(i);
  EXPECT_EQ(next(evd), kQueueEmpty);
}

TEST_F(ForeignEvdTest, WhoeverWasLastLetsGo) {
  constexpr DAT_RETURN kInUse = 0x80070049U;
  join();
  EXPECT_FALSE(foreign->release_by_maker());
  EXPECT_TRUE(foreign->leave());
  EXPECT_EQ(p->evd_free_func(evd), kInUse) << "nothing was delivered";
  EXPECT_EQ(IaControl::deliver(*foreign).endpoint, nullptr);
  EXPECT_EQ(IaControl::deliver(*foreign).endpoint, nullptr) << "once";
  EXPECT_EQ(p->evd_free_func(evd), DAT_SUCCESS);
  EXPECT_TRUE(foreign->gone());
  EXPECT_EQ(IaControl::deliver(*foreign).endpoint, nullptr);
}

} // namespace
} // namespace datum::test
