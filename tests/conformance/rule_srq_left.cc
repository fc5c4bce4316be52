// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The event by which DAT 2.0 reports that a connected EP takes no more Recvs from its SRQ. DAT 1.2
// has no such event.
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
  Evd full_evd() const {
    Evd evd = create_evd(
        taker_ia, any_value<DAT_EVD_FLAGS>(DAT_EVD_CONNECTION_FLAG | DAT_EVD_SOFTWARE_FLAG), 1);
    const DAT_COUNT room = query_evd(evd).evd_qlen;
    for (DAT_COUNT i = 0; i < room; ++i) EXPECT_DAT_OK(post_software_event(evd, nullptr));
    return evd;
  }
  void set_connect_evd(DAT_EVD_HANDLE evd) const {
    // dat_ep_reset() is allowed in no other state.
    if (ep_state(taker->ep()) == DAT_EP_STATE_DISCONNECTED) {
      ASSERT_DAT_OK(dat_ep_reset(taker->ep()));
    }
    DAT_EP_PARAM param{};
    param.connect_evd_handle = evd;
    ASSERT_DAT_OK(dat_ep_modify(taker->ep(), DAT_EP_FIELD_CONNECT_EVD_HANDLE, &param));
  }
  void expect_overflow_of(DAT_EVD_HANDLE evd) const {
    const DAT_EVENT lost = expect_event(async_evd_of(taker_ia), DAT_ASYNC_ERROR_EVD_OVERFLOW);
    EXPECT_EQ(lost.event_data.asynch_error_event_data.dat_handle, evd);
    // Other openers of the same IA get the error, too.
    expect_event(async_evd_of(other_ia), DAT_ASYNC_ERROR_EVD_OVERFLOW);
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

// Rules: DAT2.87
TEST_F(RuleSrqLeft, NotOfAnAttemptThatWasGivenUp) {
  Listener listener(other_ia);
  ASSERT_DAT_OK(connect(taker->ep(), listener));
  const Cr cr = listener.expect_request();
  ASSERT_DAT_OK(dat_ep_disconnect(taker->ep(), DAT_CLOSE_ABRUPT_FLAG));
  expect_connection_event(taker->connect_evd(), DAT_CONNECTION_EVENT_DISCONNECTED, taker->ep());
  expect_silence();
}

// Rules: DAT2.87 OVERFLOW.5
TEST_F(RuleSrqLeft, OfAConnectionOfWhichItsConsumerNeverHeard) {
  const Evd full = full_evd();
  set_connect_evd(full);
  Listener listener(taker_ia);
  ASSERT_DAT_OK(connect(other->ep(), listener));
  Cr cr = listener.expect_request();
  ASSERT_DAT_OK(accept(cr, taker->ep()));
  expect_overflow_of(full);
  expect_left();
  drain(other->connect_evd());
  set_connect_evd(taker->connect_evd());
}

// Rules: DAT2.87
TEST_F(RuleSrqLeft, IsToldToTheAsyncEvdThatTheIaWasGivenAlone) {
  DAT_EVD_HANDLE given = async_evd_of(other_ia);
  Ia sharing;
  ASSERT_DAT_OK(dat_ia_open(const_cast<char*>(ia_name().c_str()), 8, &given, sharing.out()));
  Side with(sharing, with_srq());
  establish(other->ep(), other->connect_evd(), with.ep(), with.connect_evd(), sharing);
  ASSERT_DAT_OK(dat_ep_disconnect(with.ep(), DAT_CLOSE_ABRUPT_FLAG));
  expect_connection_event(with.connect_evd(), DAT_CONNECTION_EVENT_DISCONNECTED, with.ep());
  if (kReportsSrqLeft) {
    const DAT_EVENT event = expect_event(given, DAT_ASYNC_ERROR_EP_BROKEN);
    EXPECT_EQ(event.event_data.asynch_error_event_data.dat_handle, with.ep());
  }
  expect_silence();
  drain(other->connect_evd());
}

// Rules: DAT2.88
TEST_F(RuleSrqLeft, TakesNoPlaceOfAnError) {
  const DAT_EVD_HANDLE async = async_evd_of(taker_ia);
  ASSERT_DAT_OK(dat_evd_resize(async, 4)); // fewer events than open_ia() asks for
  for (int i = 0; i != 4; ++i) {
    establish_both();
    ASSERT_NO_FATAL_FAILURE(disconnect(*other));
    for (Side* side : {taker.get(), other.get()}) ASSERT_DAT_OK(dat_ep_reset(side->ep()));
  }
  const Evd full = full_evd();
  set_connect_evd(full);
  ASSERT_DAT_OK(connect(taker->ep(), address_of(taker_ia), free_qualifier()));
  if (kReportsSrqLeft) expect_event(async, DAT_ASYNC_ERROR_EP_BROKEN);
  expect_overflow_of(full);
  expect_silence();
  set_connect_evd(taker->connect_evd());
}

// Rules: DAT2.88
TEST_F(RuleSrqLeft, ManyFindRoom) {
  constexpr int kMany = 100; // more events than open_ia() asks for
  for (int i = 0; i != kMany; ++i) {
    establish_both();
    ASSERT_NO_FATAL_FAILURE(disconnect(*other));
    for (Side* side : {taker.get(), other.get()}) ASSERT_DAT_OK(dat_ep_reset(side->ep()));
  }
  EXPECT_EQ(drain(async_evd_of(taker_ia)), kReportsSrqLeft ? kMany : 0);
}

} // namespace
} // namespace datum::test
