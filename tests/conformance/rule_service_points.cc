// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// PSPs and RSPs with requests: which qualifiers listen, which requests are refused, and what
// survives the service point.
#include "fixture.h"
#include "names.h"
#include "states.h"

namespace datum::test {
namespace {

class RuleServicePoints : public Conformance {
 protected:
  void SetUp() override {
    Conformance::SetUp();
    requester_ia = open_ia();
    requester = std::make_unique<Side>(requester_ia);
    side = std::make_unique<Side>(ia);
    evd = create_evd(ia, DAT_EVD_CR_FLAG);
  }
  void TearDown() override {
    requester.reset();
    side.reset();
  }

  void ask(DAT_CONN_QUAL qualifier) {
    EXPECT_DAT_OK(connect(requester->ep(), address_of(ia), qualifier));
  }
  void ask_again(DAT_CONN_QUAL qualifier) {
    EXPECT_DAT_OK(dat_ep_reset(requester->ep()));
    ask(qualifier);
  }
  void expect_answer(DAT_EVENT_NUMBER number) {
    expect_connection_event(requester->connect_evd(), number, requester->ep());
  }

  Ia requester_ia;
  std::unique_ptr<Side> requester;
  std::unique_ptr<Side> side;
  Evd evd;
};

// Rules: dat_psp_create.R4 dat_psp_create_any.R7 EVENT.3
TEST_F(RuleServicePoints, APspListens) {
  Psp psp;
  DAT_CONN_QUAL qualifier = 0;
  ASSERT_DAT_OK(dat_psp_create_any(ia, &qualifier, evd, DAT_PSP_CONSUMER_FLAG, psp.out()));
  ask(qualifier);
  const DAT_EVENT event = next_event(evd);
  EXPECT_EQ(static_cast<int>(event.event_number), 0x2001);
  const DAT_CR_ARRIVAL_EVENT_DATA& arrival = event.event_data.cr_arrival_event_data;
  const Cr cr(arrival.cr_handle);
  EXPECT_EQ(arrival.sp_handle.psp_handle, psp);
  EXPECT_EQ(arrival.conn_qual, qualifier);
  ASSERT_NE(arrival.local_ia_address_ptr, nullptr);
  EXPECT_EQ(arrival.local_ia_address_ptr->sa_family, address_of(ia)->sa_family);
}

// Rules: CONN.25 dat_psp_create.R6
TEST_F(RuleServicePoints, QualifiersOfMoreThan16BitsConnect) {
  for (const DAT_CONN_QUAL qualifier : {0x10001ULL, 0x7fffffff12345678ULL}) {
    const Psp psp = create_psp(ia, qualifier, evd);
    ask(qualifier);
    const DAT_EVENT event = expect_event(evd, DAT_CONNECTION_REQUEST_EVENT);
    EXPECT_EQ(event.event_data.cr_arrival_event_data.conn_qual, qualifier);
    EXPECT_DAT_OK(dat_cr_reject(event.event_data.cr_arrival_event_data.cr_handle));
    expect_answer(kPeerRejected);
    EXPECT_DAT_OK(dat_ep_reset(requester->ep()));
  }
}

// Rules: dat_psp_create.R17 dat_cr_reject.R10
TEST_F(RuleServicePoints, APspTakesManyRequests) {
  Listener listener(ia);
  ask(listener.qualifier());
  for (int i = 0; i < 10; ++i) {
    listener.expect_request().free();
    expect_answer(kPeerRejected);
    ask_again(listener.qualifier());
  }
  Cr cr = listener.expect_request();
  EXPECT_DAT_OK(accept(cr, side->ep()));
  expect_answer(kEstablished);
}

// Rules: CONN.23
TEST_F(RuleServicePoints, AProcessConnectsToItself) {
  Side other(ia);
  establish(other, *side);
}

// Rules: CONN.3 dat_psp_free.R5
TEST_F(RuleServicePoints, AFreedPspRefuses) {
  auto listener = std::make_unique<Listener>(ia);
  const DAT_CONN_QUAL qualifier = listener->qualifier();
  listener.reset();
  ask(qualifier);
  expect_answer(kRefused);
  EXPECT_EQ(ep_state(requester->ep()), DAT_EP_STATE_DISCONNECTED);
}

// Rules: dat_psp_free.R6 OBJ.15
TEST_F(RuleServicePoints, AcceptAfterThePspIsGone) {
  Cr cr;
  {
    Listener listener(ia);
    ask(listener.qualifier());
    cr = listener.expect_request();
  }
  EXPECT_DAT_OK(accept(cr, side->ep()));
  expect_answer(kEstablished);
}

// Rules: dat_psp_free.R7
TEST_F(RuleServicePoints, RejectAfterThePspIsGone) {
  Cr cr;
  {
    Listener listener(ia);
    ask(listener.qualifier());
    cr = listener.expect_request();
  }
  cr.free();
  expect_answer(kPeerRejected);
}

// Rules: dat_rsp_create.R5 dat_rsp_create.R16 DAT2.30 EPEVENT.1 dat_cr_query.R13
TEST_F(RuleServicePoints, AnRspTakesARequest) {
  const DAT_CONN_QUAL qualifier = free_qualifier();
  const Rsp rsp = create_rsp(ia, qualifier, side->ep(), evd);
  ask(qualifier);
  const DAT_EVENT event = expect_event(evd, DAT_CONNECTION_REQUEST_EVENT);
  const Cr cr(event.event_data.cr_arrival_event_data.cr_handle);
  EXPECT_EQ(event.event_data.cr_arrival_event_data.sp_handle.rsp_handle,
            kNamesSpentRsp ? rsp.get() : DAT_HANDLE_NULL);
  EXPECT_EQ(ep_state(side->ep()), DAT_EP_STATE_PASSIVE_CONNECTION_PENDING);
  EXPECT_NO_EVENT(side->connect_evd());
  DAT_CR_PARAM param{};
  EXPECT_DAT_OK(dat_cr_query(cr, DAT_CR_FIELD_ALL, &param));
  EXPECT_EQ(param.local_ep_handle, side->ep());
}

// Rules: dat_rsp_create.R6
TEST_F(RuleServicePoints, AnRspTakesOnlyOne) {
  const DAT_CONN_QUAL qualifier = free_qualifier();
  const Rsp rsp = create_rsp(ia, qualifier, side->ep(), evd);
  ask(qualifier);
  Cr cr = expect_request(evd);
  const Ia third_ia = open_ia();
  Side third(third_ia);
  ASSERT_DAT_OK(connect(third.ep(), address_of(ia), qualifier));
  expect_connection_event(third.connect_evd(), kRefused, third.ep());
  EXPECT_DAT_OK(accept(cr, DAT_HANDLE_NULL));
  expect_answer(kEstablished);
  EXPECT_DAT_OK(dat_ep_reset(third.ep()));
  ASSERT_DAT_OK(connect(third.ep(), address_of(ia), qualifier));
  expect_connection_event(third.connect_evd(), kRefused, third.ep());
}

// Rules: OVERFLOW.2
TEST_F(RuleServicePoints, ARequestWithoutRoomDoesNotSpendTheRsp) {
  const Evd small =
      create_evd(ia, any_value<DAT_EVD_FLAGS>(DAT_EVD_CR_FLAG | DAT_EVD_SOFTWARE_FLAG), 1);
  const DAT_CONN_QUAL qualifier = free_qualifier();
  const Rsp rsp = create_rsp(ia, qualifier, side->ep(), small);
  while (post_software_event(small, nullptr) == DAT_SUCCESS) {
  }
  ask(qualifier);
  expect_answer(kRefused);
  EXPECT_EQ(ep_state(side->ep()), DAT_EP_STATE_RESERVED);
  drain(small);
  ask_again(qualifier);
  Cr cr = expect_request(small);
  ASSERT_DAT_OK(accept(cr, DAT_HANDLE_NULL));
  expect_answer(kEstablished);
}

// Rules: dat_rsp_create.R11
TEST_F(RuleServicePoints, RspWithoutEp) {
  const DAT_CONN_QUAL qualifier = free_qualifier();
  const Rsp rsp = create_rsp(ia, qualifier, DAT_HANDLE_NULL, evd);
  ask(qualifier);
  Cr cr = expect_request(evd);
  const DAT_EP_HANDLE made = query_cr(cr).local_ep_handle;
  EXPECT_EQ(ep_state(made), DAT_EP_STATE_TENTATIVE_CONNECTION_PENDING);
  DAT_EP_PARAM param{};
  param.pz_handle = side->pz();
  param.connect_evd_handle = side->connect_evd();
  ASSERT_DAT_OK(
      dat_ep_modify(made, DAT_EP_FIELD_PZ_HANDLE | DAT_EP_FIELD_CONNECT_EVD_HANDLE, &param));
  ASSERT_DAT_OK(accept(cr, DAT_HANDLE_NULL));
  expect_answer(kEstablished);
  expect_connection_event(side->connect_evd(), kEstablished, made);
  EXPECT_DAT_OK(dat_ep_free(made));
}

// Rules: dat_rsp_free.R5
TEST_F(RuleServicePoints, AFreedRspRefuses) {
  const DAT_CONN_QUAL qualifier = free_qualifier();
  create_rsp(ia, qualifier, side->ep(), evd).free();
  ask(qualifier);
  expect_answer(kRefused);
}

// Rules: dat_rsp_free.R7
TEST_F(RuleServicePoints, ASpentRspIsFreedOnce) {
  const DAT_CONN_QUAL qualifier = free_qualifier();
  Rsp rsp = create_rsp(ia, qualifier, side->ep(), evd);
  ask(qualifier);
  Cr cr = expect_request(evd);
  EXPECT_DAT_OK(dat_rsp_free(rsp.release()));
  EXPECT_EQ(ep_state(side->ep()), DAT_EP_STATE_PASSIVE_CONNECTION_PENDING);
  EXPECT_DAT_OK(accept(cr, DAT_HANDLE_NULL));
  expect_answer(kEstablished);
}

// Rules: D-20
TEST_F(RuleServicePoints, ASpentRspKnowsNothingOfItsEp) {
  const DAT_CONN_QUAL qualifier = free_qualifier();
  Rsp rsp = create_rsp(ia, qualifier, side->ep(), evd);
  ask(qualifier);
  expect_request(evd).free();
  expect_answer(kPeerRejected);
  side->ep().free();
  DAT_RSP_PARAM param{};
  EXPECT_DAT_OK(dat_rsp_query(rsp, DAT_RSP_FIELD_ALL, &param));
  EXPECT_EQ(param.ep_handle, DAT_HANDLE_NULL);
  EXPECT_EQ(param.evd_handle, DAT_HANDLE_NULL);
}

// Rules: D-20
TEST_F(RuleServicePoints, FreeingASpentRspLeavesTheEpAlone) {
  const DAT_CONN_QUAL qualifier = free_qualifier();
  Rsp rsp = create_rsp(ia, qualifier, side->ep(), evd);
  ask(qualifier);
  expect_request(evd).free();
  expect_answer(kPeerRejected);
  // no service point listens at this qualifier any more
  const Rsp second = create_rsp(ia, qualifier, side->ep(), evd);
  rsp.free();
  EXPECT_EQ(ep_state(side->ep()), DAT_EP_STATE_RESERVED) << "by the other one";
}

// Rules: dat_rsp_free.R8
TEST_F(RuleServicePoints, ASpentRspDoesNotBlockTheClose) {
  Ia own_ia = open_ia();
  {
    Side own(own_ia);
    const Evd own_evd = create_evd(own_ia, DAT_EVD_CR_FLAG);
    const DAT_CONN_QUAL qualifier = free_qualifier();
    Rsp rsp = create_rsp(own_ia, qualifier, own.ep(), own_evd);
    ASSERT_DAT_OK(connect(requester->ep(), address_of(own_ia), qualifier));
    expect_request(own_evd).free();
    rsp.release(); // the RSP is spent: the program forgets its handle
  }
  EXPECT_DAT_OK(dat_ia_close(own_ia.release(), DAT_CLOSE_GRACEFUL_FLAG));
}

// Rules: EPEVENT.2 dat_cr_query.R12
TEST_F(RuleServicePoints, AProviderPspMakesAnEp) {
  Listener listener(ia, DAT_PSP_PROVIDER_FLAG);
  ask(listener.qualifier());
  const Cr cr = listener.expect_request();
  DAT_CR_PARAM param{};
  ASSERT_DAT_OK(dat_cr_query(cr, DAT_CR_FIELD_ALL, &param));
  const DAT_EP_PARAM made = query_ep(param.local_ep_handle);
  EXPECT_EQ(made.ep_state, DAT_EP_STATE_TENTATIVE_CONNECTION_PENDING);
  EXPECT_EQ(made.pz_handle, DAT_HANDLE_NULL);
  EXPECT_EQ(made.recv_evd_handle, DAT_HANDLE_NULL);
  EXPECT_EQ(made.request_evd_handle, DAT_HANDLE_NULL);
  EXPECT_EQ(made.connect_evd_handle, DAT_HANDLE_NULL);
}

} // namespace
} // namespace datum::test
