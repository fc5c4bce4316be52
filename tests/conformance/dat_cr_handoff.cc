// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dat_cr_handoff(3DAT): a request goes to another service point.
#include "each_kind.h"
#include "fixture.h"
#include "names.h"
#include "states.h"

namespace datum::test {
namespace {

class DatCrHandoff : public Conformance {
 protected:
  void SetUp() override {
    Conformance::SetUp();
    requester_ia = open_ia();
    requester = std::make_unique<Side>(requester_ia);
    side = std::make_unique<Side>(ia);
    first = std::make_unique<Listener>(ia);
    target = std::make_unique<Listener>(ia);
    ASSERT_DAT_OK(connect(requester->ep(), *first, "whom it may concern"));
    cr = first->expect_request();
  }
  void TearDown() override {
    cr.free();
    requester.reset();
    side.reset();
    target.reset();
    first.reset();
  }

  DAT_RETURN hand_off(DAT_CONN_QUAL qualifier) {
    const DAT_RETURN status = dat_cr_handoff(cr, qualifier);
    if (status == DAT_SUCCESS) cr.release();
    return status;
  }

  void expect_requester_undisturbed() {
    EXPECT_EQ(ep_state(requester->ep()), DAT_EP_STATE_ACTIVE_CONNECTION_PENDING);
    EXPECT_NO_EVENT(requester->connect_evd());
  }

  Ia requester_ia;
  std::unique_ptr<Side> requester;
  std::unique_ptr<Side> side;
  std::unique_ptr<Listener> first;
  std::unique_ptr<Listener> target;
  Cr cr;
};

// Rules: dat_cr_handoff.R1 dat_cr_handoff.R2 dat_cr_handoff.R3
TEST_F(DatCrHandoff, BadHandles) {
  expect_handle_checks(ia, DAT_HANDLE_TYPE_CR, [&](DAT_HANDLE handle) {
    return dat_cr_handoff(handle, target->qualifier());
  });
  EXPECT_NO_EVENT(target->evd());
}

// Rules: dat_cr_handoff.R4 CONN.14
TEST_F(DatCrHandoff, TheTargetGetsTheRequestAsItWas) {
  const DAT_CR_PARAM before = query_cr(cr);
  const sockaddr address = *before.remote_ia_address_ptr;
  ASSERT_DAT_OK(hand_off(target->qualifier()));
  const DAT_EVENT event = expect_event(target->evd(), DAT_CONNECTION_REQUEST_EVENT);
  const DAT_CR_ARRIVAL_EVENT_DATA& arrival = event.event_data.cr_arrival_event_data;
  const Cr moved(arrival.cr_handle);
  EXPECT_EQ(arrival.sp_handle.psp_handle, target->psp());
  EXPECT_EQ(arrival.conn_qual, target->qualifier());
  const DAT_CR_PARAM after = query_cr(moved);
  EXPECT_EQ(request_data(moved), "whom it may concern");
  EXPECT_EQ(after.remote_ia_address_ptr->sa_family, address.sa_family);
  EXPECT_EQ(std::string(after.remote_ia_address_ptr->sa_data, sizeof address.sa_data),
            std::string(address.sa_data, sizeof address.sa_data));
  EXPECT_EQ(after.remote_port_qual, before.remote_port_qual);
  EXPECT_NO_EVENT(first->evd());
}

TEST_F(DatCrHandoff, R5TheOldCrIsDead) {
  const DAT_CR_HANDLE handle = cr;
  ASSERT_DAT_OK(hand_off(target->qualifier()));
  EXPECT_DAT_ERROR(dat_cr_reject(handle), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_CR);
  EXPECT_DAT_ERROR(dat_cr_handoff(handle, target->qualifier()), DAT_INVALID_HANDLE,
                   DAT_INVALID_HANDLE_CR);
  target->expect_request();
}

// Rules: dat_cr_handoff.R6 CONN.14
TEST_F(DatCrHandoff, TheRequesterNoticesNothing) {
  ASSERT_DAT_OK(hand_off(target->qualifier()));
  expect_requester_undisturbed();
  Cr moved = target->expect_request();
  ASSERT_DAT_OK(accept(moved, side->ep(), "by the other one"));
  EXPECT_EQ(
      reply_data(expect_connection_event(requester->connect_evd(), kEstablished, requester->ep())),
      "by the other one");
  expect_connection_event(side->connect_evd(), kEstablished, side->ep());
}

// Rules: dat_cr_handoff.R6 CONN.14
TEST_F(DatCrHandoff, TheTargetMayReject) {
  ASSERT_DAT_OK(hand_off(target->qualifier()));
  target->expect_request().free();
  expect_connection_event(requester->connect_evd(), DAT_CONNECTION_EVENT_PEER_REJECTED,
                          requester->ep());
}

// Rules: dat_cr_handoff.R7
TEST_F(DatCrHandoff, NobodyListensThere) {
  const DAT_CONN_QUAL nobody = free_qualifier();
  for (const DAT_CONN_QUAL qualifier : {nobody, DAT_CONN_QUAL{0}, ~DAT_CONN_QUAL{0}}) {
    EXPECT_DAT_ERROR(hand_off(qualifier), DAT_INVALID_PARAMETER, DAT_INVALID_ARG2) << qualifier;
  }
  expect_requester_undisturbed();
  ASSERT_DAT_OK(accept(cr, side->ep())) << "the request has not suffered";
  expect_connection_event(requester->connect_evd(), kEstablished, requester->ep());
}

// Rules: dat_cr_handoff.R7
TEST_F(DatCrHandoff, AnRspThatIsSpentListensNoMore) {
  const Evd evd = create_evd(ia, DAT_EVD_CR_FLAG);
  const DAT_CONN_QUAL qualifier = free_qualifier();
  const Rsp rsp = create_rsp(ia, qualifier, side->ep(), evd);
  const Ia other_ia = open_ia();
  Side other(other_ia);
  ASSERT_DAT_OK(connect(other.ep(), address_of(ia), qualifier));
  const Cr taken = expect_request(evd);
  EXPECT_DAT_ERROR(hand_off(qualifier), DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
}

// Rules: dat_cr_handoff.R7
TEST_F(DatCrHandoff, TheEpStaysWithARequestThatCannotGo) {
  for (const DAT_EP_STATE state :
       {DAT_EP_STATE_PASSIVE_CONNECTION_PENDING, DAT_EP_STATE_TENTATIVE_CONNECTION_PENDING}) {
    const auto staged = put_ep_in_state(state);
    EXPECT_DAT_ERROR(dat_cr_handoff(staged->cr(), free_qualifier()), DAT_INVALID_PARAMETER,
                     DAT_INVALID_ARG2);
    EXPECT_EQ(ep_state(staged->ep()), state);
    EXPECT_EQ(query_cr(staged->cr()).local_ep_handle, staged->ep());
  }
}

TEST_F(DatCrHandoff, R8TheTargetsEvdIsFull) {
  const Evd evd =
      create_evd(ia, any_value<DAT_EVD_FLAGS>(DAT_EVD_CR_FLAG | DAT_EVD_SOFTWARE_FLAG), 1);
  const DAT_CONN_QUAL qualifier = free_qualifier();
  const Psp psp = create_psp(ia, qualifier, evd);
  int queued = 0;
  while (post_software_event(evd, nullptr) == DAT_SUCCESS) ++queued;
  ASSERT_DAT_OK(hand_off(qualifier));
  expect_connection_event(requester->connect_evd(), DAT_CONNECTION_EVENT_NON_PEER_REJECTED,
                          requester->ep());
  EXPECT_EQ(ep_state(requester->ep()), DAT_EP_STATE_DISCONNECTED);
  for (; queued != 0; --queued) expect_software_event(evd);
  EXPECT_NO_EVENT(evd);
}

// Rules: dat_cr_handoff.R9
TEST_F(DatCrHandoff, ToAnRsp) {
  const Evd evd = create_evd(ia, DAT_EVD_CR_FLAG);
  const DAT_CONN_QUAL qualifier = free_qualifier();
  const Rsp rsp = create_rsp(ia, qualifier, side->ep(), evd);
  ASSERT_DAT_OK(hand_off(qualifier));
  EXPECT_EQ(ep_state(side->ep()), DAT_EP_STATE_PASSIVE_CONNECTION_PENDING);
  const DAT_EVENT event = expect_event(evd, DAT_CONNECTION_REQUEST_EVENT);
  const DAT_CR_ARRIVAL_EVENT_DATA& arrival = event.event_data.cr_arrival_event_data;
  Cr moved(arrival.cr_handle);
  EXPECT_EQ(arrival.sp_handle.rsp_handle, kNamesSpentRsp ? rsp.get() : DAT_HANDLE_NULL);
  EXPECT_EQ(arrival.conn_qual, qualifier);
  EXPECT_EQ(query_cr(moved).local_ep_handle, side->ep());
  EXPECT_EQ(request_data(moved), "whom it may concern");
  ASSERT_DAT_OK(accept(moved, DAT_HANDLE_NULL));
  expect_connection_event(requester->connect_evd(), kEstablished, requester->ep());
  expect_connection_event(side->connect_evd(), kEstablished, side->ep());
}

} // namespace
} // namespace datum::test
