// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What DAT 2.0 says when a connected EP takes nothing more from its SRQ, and DAT 1.2 does not.
#include "fixture.h"

namespace datum::test {
namespace {

// `taker` has an SRQ and is connected to `other`.
class RuleSrqLeft : public Conformance {
 protected:
  static SideOptions with_srq() {
    SideOptions options;
    options.srq_recvs = 4;
    return options;
  }
  void SetUp() override {
    Conformance::SetUp();
    taker_ia = open_ia();
    other_ia = open_ia();
    taker = std::make_unique<Side>(taker_ia, with_srq());
    other = std::make_unique<Side>(other_ia);
  }
  void establish_both() const {
    establish(other->ep(), other->connect_evd(), taker->ep(), taker->connect_evd(), taker_ia);
  }
  void disconnect(Side& from) const {
    ASSERT_DAT_OK(dat_ep_disconnect(from.ep(), DAT_CLOSE_ABRUPT_FLAG));
    for (Side* side : {taker.get(), other.get()})
      expect_connection_event(side->connect_evd(), DAT_CONNECTION_EVENT_DISCONNECTED, side->ep());
  }
  void expect_left() const {
    if (kReportsSrqLeft) {
      const DAT_EVENT event = expect_event(async_evd_of(taker_ia), DAT_ASYNC_ERROR_EP_BROKEN);
      EXPECT_EQ(event.event_data.asynch_error_event_data.dat_handle, taker->ep());
      EXPECT_EQ(event.event_data.asynch_error_event_data.reason, 0U); // DAT_EP_TRANSFER_TO_ERROR
    }
    expect_silence();
  }
  void expect_silence() const {
    EXPECT_NO_EVENT(async_evd_of(taker_ia));
    EXPECT_NO_EVENT(async_evd_of(other_ia)) << "it has no SRQ";
  }

  Ia taker_ia;
  Ia other_ia;
  std::unique_ptr<Side> taker;
  std::unique_ptr<Side> other;
};

// Rules: DAT2.87
TEST_F(RuleSrqLeft, AfterItsOwnDisconnect) {
  establish_both();
  expect_silence();
  ASSERT_NO_FATAL_FAILURE(disconnect(*taker));
  expect_left();
}

// Rules: DAT2.87
TEST_F(RuleSrqLeft, AfterThePeers) {
  establish_both();
  ASSERT_NO_FATAL_FAILURE(disconnect(*other));
  expect_left();
}

// Rules: DAT2.87
TEST_F(RuleSrqLeft, OnceForEachConnection) {
  for (int i = 0; i != 2; ++i) {
    establish_both();
    ASSERT_NO_FATAL_FAILURE(disconnect(*other));
    expect_left();
    for (Side* side : {taker.get(), other.get()}) ASSERT_DAT_OK(dat_ep_reset(side->ep()));
  }
}

// Rules: DAT2.87
TEST_F(RuleSrqLeft, NotOfAConnectionThatNeverWas) {
  ASSERT_DAT_OK(connect(taker->ep(), address_of(taker_ia), free_qualifier()));
  expect_connection_event(taker->connect_evd(), DAT_CONNECTION_EVENT_NON_PEER_REJECTED,
                          taker->ep());
  expect_silence();
}

// Rules: DAT2.88
TEST_F(RuleSrqLeft, ManyFindRoom) {
  constexpr int kMany = 100; // more than open_ia() asks for
  for (int i = 0; i != kMany; ++i) {
    establish_both();
    ASSERT_NO_FATAL_FAILURE(disconnect(*other));
    for (Side* side : {taker.get(), other.get()}) ASSERT_DAT_OK(dat_ep_reset(side->ep()));
  }
  EXPECT_EQ(drain(async_evd_of(taker_ia)), kReportsSrqLeft ? kMany : 0);
}

} // namespace
} // namespace datum::test
