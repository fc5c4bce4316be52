// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dat_cr_accept(3DAT).
#include <functional>

#include "each_kind.h"
#include "fixture.h"
#include "names.h"
#include "states.h"

namespace datum::test {
namespace {

class DatCrAccept : public Conformance {
 protected:
  void SetUp() override {
    Conformance::SetUp();
    requester_ia = open_ia();
    requester = std::make_unique<Side>(requester_ia);
    side = std::make_unique<Side>(ia);
    listener = std::make_unique<Listener>(ia);
    ASSERT_DAT_OK(connect(requester->ep(), *listener));
    cr = listener->expect_request();
  }
  void TearDown() override {
    cr.free();
    requester.reset();
    side.reset();
    listener.reset();
  }

  DAT_RETURN accept_with(DAT_EP_HANDLE ep, DAT_COUNT size, void* data) {
    const DAT_RETURN status = dat_cr_accept(cr, ep, size, data);
    if (status == DAT_SUCCESS) cr.release();
    return status;
  }

  // The request has no answer yet, and no event has reached the requester.
  void expect_still_pending() {
    DAT_CR_PARAM param{};
    EXPECT_DAT_OK(dat_cr_query(cr, DAT_CR_FIELD_ALL, &param));
    EXPECT_EQ(ep_state(requester->ep()), DAT_EP_STATE_ACTIVE_CONNECTION_PENDING);
    EXPECT_NO_EVENT(requester->connect_evd());
  }

  void expect_established(DAT_EP_HANDLE ep) {
    expect_connection_event(requester->connect_evd(), kEstablished, requester->ep());
    expect_connection_event(side->connect_evd(), kEstablished, ep);
  }

  Ia requester_ia;
  std::unique_ptr<Side> requester;
  std::unique_ptr<Side> side;
  std::unique_ptr<Listener> listener;
  Cr cr;
};

// Rules: dat_cr_accept.R1 dat_cr_accept.R2 dat_cr_accept.R3
TEST_F(DatCrAccept, BadHandles) {
  expect_handle_checks(ia, DAT_HANDLE_TYPE_CR, [&](DAT_HANDLE handle) {
    return dat_cr_accept(handle, side->ep(), 0, nullptr);
  });
  EXPECT_EQ(ep_state(side->ep()), DAT_EP_STATE_UNCONNECTED);
}

TEST_F(DatCrAccept, R4TheCrIsDeadAtOnce) {
  const DAT_CR_HANDLE handle = cr;
  ASSERT_DAT_OK(accept(cr, side->ep()));
  DAT_CR_PARAM param{};
  EXPECT_DAT_ERROR(dat_cr_query(handle, DAT_CR_FIELD_ALL, &param), DAT_INVALID_HANDLE,
                   DAT_INVALID_HANDLE_CR);
  const Ep other = side->another_ep();
  EXPECT_DAT_ERROR(dat_cr_accept(handle, other, 0, nullptr), DAT_INVALID_HANDLE,
                   DAT_INVALID_HANDLE_CR);
  EXPECT_DAT_ERROR(dat_cr_reject(handle), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_CR);
  expect_established(side->ep());
}

// Rules: dat_cr_accept.R5 dat_cr_accept.R6 CONN.1 EPEVENT.3 EPEVENT.4 CONV.17
TEST_F(DatCrAccept, BothSidesAreEstablished) {
  std::string data = "welcome";
  ASSERT_DAT_OK(accept(cr, side->ep(), data));
  data = "changed";
  const DAT_CONNECTION_EVENT_DATA active =
      expect_connection_event(requester->connect_evd(), kEstablished, requester->ep());
  EXPECT_EQ(active.private_data_size, 7);
  EXPECT_EQ(reply_data(active), "welcome");
  const DAT_CONNECTION_EVENT_DATA passive =
      expect_connection_event(side->connect_evd(), kEstablished, side->ep());
  EXPECT_EQ(passive.private_data_size, 0);
  EXPECT_EQ(ep_state(requester->ep()), DAT_EP_STATE_CONNECTED);
  EXPECT_EQ(ep_state(side->ep()), DAT_EP_STATE_CONNECTED);
  EXPECT_NO_EVENT(requester->connect_evd());
  EXPECT_NO_EVENT(side->connect_evd());
}

TEST_F(DatCrAccept, R7NoEpAtAll) {
  EXPECT_DAT_ERROR(accept_with(DAT_HANDLE_NULL, 0, nullptr), DAT_INVALID_HANDLE,
                   DAT_INVALID_HANDLE_EP);
  EXPECT_DAT_ERROR(accept_with(side->pz(), 0, nullptr), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_EP);
  expect_still_pending();
}

TEST_F(DatCrAccept, R8AnEpTooMany) {
  for (const DAT_EP_STATE state :
       {DAT_EP_STATE_PASSIVE_CONNECTION_PENDING, DAT_EP_STATE_TENTATIVE_CONNECTION_PENDING}) {
    const auto staged = put_ep_in_state(state);
    const Ep other = staged->side().another_ep();
    for (const DAT_EP_HANDLE ep : {other.get(), staged->ep()}) {
      EXPECT_DAT_ERROR(dat_cr_accept(staged->cr(), ep, 0, nullptr), DAT_INVALID_HANDLE,
                       DAT_INVALID_HANDLE_EP);
    }
    EXPECT_EQ(query_cr(staged->cr()).local_ep_handle, staged->ep());
    EXPECT_EQ(ep_state(staged->ep()), state);
    EXPECT_EQ(ep_state(other), DAT_EP_STATE_UNCONNECTED);
  }
}

// Rules: dat_cr_accept.R9 dat_cr_accept.R10
TEST_F(DatCrAccept, AnEpThatIsNotReady) {
  const Ep no_pz =
      create_ep(ia, DAT_HANDLE_NULL, side->recv_evd(), side->request_evd(), side->connect_evd());
  const Ep no_evd =
      create_ep(ia, side->pz(), side->recv_evd(), side->request_evd(), DAT_HANDLE_NULL);
  for (const DAT_EP_HANDLE ep : {no_pz.get(), no_evd.get()}) {
    EXPECT_DAT_ERROR(accept_with(ep, 0, nullptr), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_EP);
    EXPECT_EQ(ep_state(ep), DAT_EP_STATE_UNCONNECTED);
  }
  expect_still_pending();
  ASSERT_DAT_OK(accept(cr, side->ep())) << "the request has not suffered";
  expect_established(side->ep());
}

TEST_F(DatCrAccept, R11WithoutDtoEvds) {
  const Ep ep = create_ep(ia, side->pz(), DAT_HANDLE_NULL, DAT_HANDLE_NULL, side->connect_evd());
  ASSERT_DAT_OK(accept(cr, ep));
  expect_established(ep);
}

TEST_F(DatCrAccept, R13AnEpOfAnotherInstance) {
  const Ia other_ia = open_ia();
  Side other(other_ia);
  EXPECT_DAT_ERROR(accept_with(other.ep(), 0, nullptr), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_EP);
  EXPECT_EQ(ep_state(other.ep()), DAT_EP_STATE_UNCONNECTED);
  expect_still_pending();
}

// Rules: dat_cr_accept.R14 dat_cr_accept.R15 dat_cr_accept.R16 CONN.16 CONV.15
TEST_F(DatCrAccept, BadPrivateData) {
  std::vector<char> data(
      static_cast<std::size_t>(provider_attributes(ia).max_private_data_size) + 1, 'x');
  const auto too_much = static_cast<DAT_COUNT>(data.size());
  EXPECT_DAT_ERROR(accept_with(side->ep(), -1, data.data()), DAT_INVALID_PARAMETER,
                   DAT_INVALID_ARG3);
  EXPECT_DAT_ERROR(accept_with(side->ep(), too_much, data.data()), DAT_INVALID_PARAMETER,
                   DAT_INVALID_ARG3);
  EXPECT_DAT_ERROR(accept_with(side->ep(), 1, nullptr), DAT_INVALID_PARAMETER, DAT_INVALID_ARG4);
  EXPECT_EQ(ep_state(side->ep()), DAT_EP_STATE_UNCONNECTED);
  expect_still_pending();
  ASSERT_DAT_OK(accept_with(side->ep(), too_much - 1, data.data())) << "the maximum";
  EXPECT_EQ(
      reply_data(expect_connection_event(requester->connect_evd(), kEstablished, requester->ep())),
      std::string(data.size() - 1, 'x'));
}

TEST_F(DatCrAccept, R17NoDataWithAnyPointer) {
  ASSERT_DAT_OK(accept_with(side->ep(), 0, pointer_value(1)));
  const DAT_CONNECTION_EVENT_DATA data =
      expect_connection_event(requester->connect_evd(), kEstablished, requester->ep());
  EXPECT_EQ(data.private_data_size, 0);
}

TEST_F(DatCrAccept, R19PrepostedRecvsTakeTheFirstMessages) {
  Buffer sink = side->buffer(32);
  ASSERT_DAT_OK(post_recv(side->ep(), {sink.segment(0, 16)}, 1));
  ASSERT_DAT_OK(post_recv(side->ep(), {sink.segment(16, 16)}, 2));
  ASSERT_DAT_OK(accept(cr, side->ep()));
  expect_established(side->ep());
  Buffer source = requester->buffer(32);
  source.write(0, "first");
  source.write(16, "second");
  ASSERT_DAT_OK(post_send(requester->ep(), {source.segment(0, 5)}, 3));
  ASSERT_DAT_OK(post_send(requester->ep(), {source.segment(16, 6)}, 4));
  EXPECT_EQ(expect_dto(side->recv_evd(), side->ep(), 1), 5U);
  EXPECT_EQ(expect_dto(side->recv_evd(), side->ep(), 2), 6U);
  EXPECT_EQ(sink.text(0, 5), "first");
  EXPECT_EQ(sink.text(16, 6), "second");
  expect_dto(requester->request_evd(), requester->ep(), 3);
  expect_dto(requester->request_evd(), requester->ep(), 4);
}

// Rules: dat_cr_accept.R20 EPEVENT.9
TEST_F(DatCrAccept, TheRequesterHasGone) {
  Buffer buffer = side->buffer(16);
  ASSERT_DAT_OK(post_recv(side->ep(), {buffer.segment()}, 1));
  requester->ep().free();
  ASSERT_DAT_OK(accept(cr, side->ep()));
  const DAT_CONNECTION_EVENT_DATA data = expect_connection_event(
      side->connect_evd(), DAT_CONNECTION_EVENT_ACCEPT_COMPLETION_ERROR, side->ep());
  EXPECT_EQ(data.private_data_size, 0);
  EXPECT_EQ(ep_state(side->ep()), DAT_EP_STATE_DISCONNECTED);
  expect_dto(side->recv_evd(), side->ep(), 1, DAT_DTO_ERR_FLUSHED);
  EXPECT_NO_EVENT(side->connect_evd());
}

DAT_RETURN give_zone(DAT_EP_HANDLE ep, Side& side) {
  DAT_EP_PARAM param{};
  param.pz_handle = side.pz();
  return dat_ep_modify(ep, DAT_EP_FIELD_PZ_HANDLE, &param);
}

DAT_RETURN give_evds(DAT_EP_HANDLE ep, Side& side) {
  DAT_EP_PARAM param{};
  param.recv_evd_handle = side.recv_evd();
  param.request_evd_handle = side.request_evd();
  param.connect_evd_handle = side.connect_evd();
  return dat_ep_modify(ep,
                       DAT_EP_FIELD_RECV_EVD_HANDLE | DAT_EP_FIELD_REQUEST_EVD_HANDLE |
                           DAT_EP_FIELD_CONNECT_EVD_HANDLE,
                       &param);
}

// Rules: dat_cr_accept.R21 CONN.15
TEST_F(DatCrAccept, TheProvidersEpNeedsPzAndEvds) {
  const auto staged = put_ep_in_state(DAT_EP_STATE_TENTATIVE_CONNECTION_PENDING);
  const auto expect_too_early = [&] {
    EXPECT_DAT_ERROR(dat_cr_accept(staged->cr(), DAT_HANDLE_NULL, 0, nullptr), DAT_INVALID_HANDLE,
                     DAT_INVALID_HANDLE_EP);
    EXPECT_EQ(ep_state(staged->ep()), DAT_EP_STATE_TENTATIVE_CONNECTION_PENDING);
    EXPECT_EQ(query_cr(staged->cr()).local_ep_handle, staged->ep());
    EXPECT_EQ(ep_state(staged->peer().ep()), DAT_EP_STATE_ACTIVE_CONNECTION_PENDING);
  };
  expect_too_early();
  ASSERT_DAT_OK(give_zone(staged->ep(), staged->side()));
  expect_too_early();
  ASSERT_DAT_OK(give_evds(staged->ep(), staged->side()));
  EXPECT_NO_EVENT(staged->peer().connect_evd());
  ASSERT_DAT_OK(accept(staged->cr(), DAT_HANDLE_NULL, "made for you"));
  EXPECT_EQ(reply_data(expect_connection_event(staged->peer().connect_evd(), kEstablished,
                                               staged->peer().ep())),
            "made for you");
  expect_connection_event(staged->side().connect_evd(), kEstablished, staged->ep());
  EXPECT_DAT_OK(dat_ep_free(staged->ep())) << "it is the consumer's now";
}

} // namespace
} // namespace datum::test
