// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What waits between an EP and a connect EVD of another IA.
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
  bool tell(std::uintptr_t about) {
    Event told;
    told.kind = EventKind::Disconnected;
    told.object = reinterpret_cast<Token>(about);
    return foreign->push(told);
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
  for (std::uintptr_t i = 1; i <= 8; ++i) EXPECT_TRUE(tell(i));
  EXPECT_FALSE(tell(9));
  EXPECT_EQ(next(evd), kQueueEmpty) << "nothing was delivered";
  EXPECT_EQ(IaControl::deliver(*foreign), nullptr);
  for (std::uintptr_t i = 1; i <= 8; ++i) {
    EXPECT_EQ(next(evd), DAT_SUCCESS);
    EXPECT_EQ(event.event_data.connect_event_data.ep_handle, reinterpret_cast<DAT_EP_HANDLE>(i));
  }
  EXPECT_EQ(next(evd), kQueueEmpty);
  EXPECT_EQ(next(async_evd), DAT_SUCCESS);
  EXPECT_EQ(event.event_number, DAT_ASYNC_ERROR_EVD_OVERFLOW);
  EXPECT_EQ(event.event_data.asynch_error_event_data.dat_handle, evd);
  EXPECT_TRUE(tell(10)) << "there is room again";
}

TEST_F(ForeignEvdTest, WhoeverWasLastLetsGo) {
  constexpr DAT_RETURN kInUse = 0x80070049U;
  foreign->hold();
  EXPECT_FALSE(foreign->release());
  EXPECT_TRUE(foreign->release());
  EXPECT_EQ(p->evd_free_func(evd), kInUse) << "nothing was delivered";
  EXPECT_EQ(IaControl::deliver(*foreign), nullptr);
  EXPECT_EQ(IaControl::deliver(*foreign), nullptr) << "once";
  EXPECT_EQ(p->evd_free_func(evd), DAT_SUCCESS);
  EXPECT_TRUE(foreign->gone());
  EXPECT_EQ(IaControl::deliver(*foreign), nullptr);
}

} // namespace
} // namespace datum::test
