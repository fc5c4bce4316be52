// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// What happens when an EVD is full.
#include "fixture.h"

namespace datum::test {
namespace {

class RuleEvdOverflow : public Conformance {
 protected:
  void SetUp() override {
    Conformance::SetUp();
    peer_ia = open_ia();
  }

  // Posts software events until `room` places are left.
  void fill(DAT_EVD_HANDLE evd, DAT_COUNT room = 0) {
    const DAT_COUNT length = query_evd(evd).evd_qlen;
    for (DAT_COUNT i = room; i < length; ++i) EXPECT_DAT_OK(post_software_event(evd, nullptr));
  }

  Evd fillable(DAT_IA_HANDLE on, DAT_EVD_FLAGS stream) {
    return create_evd(on, any_value<DAT_EVD_FLAGS>(stream | DAT_EVD_SOFTWARE_FLAG), 4);
  }

  void expect_overflow_event(DAT_EVD_HANDLE overflowed) {
    const DAT_EVENT event = expect_event(async_evd_of(ia), DAT_ASYNC_ERROR_EVD_OVERFLOW);
    EXPECT_EQ(static_cast<int>(event.event_number), 0x8001);
    EXPECT_EQ(event.event_data.asynch_error_event_data.dat_handle, overflowed);
    EXPECT_EQ(event.event_data.asynch_error_event_data.reason, 0);
  }

  Ia peer_ia;
};

// Rules: OVERFLOW.2 CONN.4
TEST_F(RuleEvdOverflow, ARequestForAFullEvdIsRefused) {
  const Evd evd = fillable(ia, DAT_EVD_CR_FLAG);
  const DAT_CONN_QUAL qualifier = free_qualifier();
  const Psp psp = create_psp(ia, qualifier, evd);
  fill(evd);
  Side requester(peer_ia);
  ASSERT_DAT_OK(connect(requester.ep(), address_of(ia), qualifier));
  expect_connection_event(requester.connect_evd(), DAT_CONNECTION_EVENT_NON_PEER_REJECTED,
                          requester.ep());
  EXPECT_EQ(ep_state(requester.ep()), DAT_EP_STATE_DISCONNECTED);
  EXPECT_NO_EVENT(async_evd_of(ia));
  const int queued = drain(evd);
  EXPECT_EQ(queued, query_evd(evd).evd_qlen) << "only the software events";
}

// Rules: OVERFLOW.3
TEST_F(RuleEvdOverflow, TheEvdLengthIsTheBacklog) {
  const Evd evd = fillable(ia, DAT_EVD_CR_FLAG);
  const DAT_CONN_QUAL qualifier = free_qualifier();
  const Psp psp = create_psp(ia, qualifier, evd);
  fill(evd, 2);
  Side requester(peer_ia);
  const Ep second = requester.another_ep();
  const Ep third = requester.another_ep();
  ASSERT_DAT_OK(connect(requester.ep(), address_of(ia), qualifier));
  ASSERT_DAT_OK(connect(second, address_of(ia), qualifier));
  ASSERT_DAT_OK(connect(third, address_of(ia), qualifier));
  const DAT_EVENT refused = next_event(requester.connect_evd());
  EXPECT_EQ(refused.event_number, DAT_CONNECTION_EVENT_NON_PEER_REJECTED);
  for (DAT_COUNT i = 2; i < query_evd(evd).evd_qlen; ++i) expect_software_event(evd);
  const Cr one = expect_request(evd);
  const Cr two = expect_request(evd);
}

// Rules: OVERFLOW.4
TEST_F(RuleEvdOverflow, ALostConnectionEvent) {
  const Evd evd = fillable(ia, DAT_EVD_CONNECTION_FLAG);
  const Pz pz = create_pz(ia);
  Ep ep = create_ep(ia, pz, DAT_HANDLE_NULL, DAT_HANDLE_NULL, evd);
  fill(evd);
  ASSERT_DAT_OK(connect(ep, address_of(peer_ia), free_qualifier()));
  expect_overflow_event(evd);
  EXPECT_EQ(ep_state(ep), DAT_EP_STATE_DISCONNECTED);
}

// Rules: OVERFLOW.5
TEST_F(RuleEvdOverflow, ALostEstablishedEndsTheConnection) {
  const Evd evd = fillable(ia, DAT_EVD_CONNECTION_FLAG);
  const Pz pz = create_pz(ia);
  Ep ep = create_ep(ia, pz, DAT_HANDLE_NULL, DAT_HANDLE_NULL, evd);
  Side passive(peer_ia);
  Listener listener(peer_ia);
  fill(evd);
  ASSERT_DAT_OK(connect(ep, listener));
  Cr cr = listener.expect_request();
  ASSERT_DAT_OK(accept(cr, passive.ep()));
  expect_overflow_event(evd);
  EXPECT_EQ(ep_state(ep), DAT_EP_STATE_DISCONNECTED);
  EXPECT_EQ(drain(evd), query_evd(evd).evd_qlen) << "what was queued is still there";
}

// Rules: OVERFLOW.6 OVERFLOW.7 OVERFLOW.8 OVERFLOW.9 EVENT.6
TEST_F(RuleEvdOverflow, LostCompletionsBreakTheEp) {
  const Evd recv = fillable(ia, DAT_EVD_DTO_FLAG);
  Side side(ia);
  Ep ep = create_ep(ia, side.pz(), recv, side.request_evd(), side.connect_evd());
  Side sender(peer_ia);
  establish(sender.ep(), sender.connect_evd(), ep, side.connect_evd(), ia);
  Buffer sink = side.buffer(64);
  Buffer source = sender.buffer(64);
  for (DAT_UINT64 i = 0; i < 4; ++i) EXPECT_DAT_OK(post_recv(ep, {sink.segment()}, i));
  fill(recv, 1);
  for (DAT_UINT64 i = 0; i < 3; ++i) {
    EXPECT_DAT_OK(post_send(sender.ep(), {source.segment()}, i));
  }
  expect_overflow_event(recv);
  expect_connection_event(side.connect_evd(), DAT_CONNECTION_EVENT_BROKEN, ep);
  EXPECT_EQ(ep_state(ep), DAT_EP_STATE_DISCONNECTED);
  EXPECT_NO_EVENT(async_evd_of(ia)); // one event, however many completions were lost
  for (DAT_COUNT i = 1; i < query_evd(recv).evd_qlen; ++i) expect_software_event(recv);
  expect_dto(recv, ep, 0);
  ep.free();
}

// Rules: OVERFLOW.12
TEST_F(RuleEvdOverflow, EachLossOfCompletionsBreaksTheEp) {
  const Evd evd = create_evd(ia, kEveryStream, 4);
  Side side(ia);
  Ep caller = create_ep(ia, side.pz(), DAT_HANDLE_NULL, DAT_HANDLE_NULL, evd);
  fill(evd);
  ASSERT_DAT_OK(connect(caller, address_of(peer_ia), free_qualifier()));
  expect_overflow_event(evd); // the lost event is a connection event
  drain(evd);
  Ep ep = create_ep(ia, side.pz(), evd, side.request_evd(), side.connect_evd());
  Side sender(peer_ia);
  Buffer sink = side.buffer(64);
  Buffer source = sender.buffer(64);
  for (int round = 0; round < 2; ++round) {
    establish(sender.ep(), sender.connect_evd(), ep, side.connect_evd(), ia);
    ASSERT_DAT_OK(post_recv(ep, {sink.segment()}, 1));
    fill(evd);
    ASSERT_DAT_OK(post_send(sender.ep(), {source.segment()}, 1));
    expect_connection_event(side.connect_evd(), DAT_CONNECTION_EVENT_BROKEN, ep);
    EXPECT_EQ(ep_state(ep), DAT_EP_STATE_DISCONNECTED);
    expect_connection_event(sender.connect_evd(), DAT_CONNECTION_EVENT_BROKEN, sender.ep());
    drain(evd);
    ASSERT_DAT_OK(dat_ep_reset(ep));
    ASSERT_DAT_OK(dat_ep_reset(sender.ep()));
  }
  EXPECT_NO_EVENT(async_evd_of(ia)); // one event for the EVD, however many events it lost
  caller.free();
  ep.free();
}

// Rules: OVERFLOW.10
TEST_F(RuleEvdOverflow, AFullAsyncEvdDoesNoHarm) {
  const DAT_EVD_HANDLE async_evd = async_evd_of(ia);
  const DAT_COUNT length = query_evd(async_evd).evd_qlen;
  const Pz pz = create_pz(ia);
  const DAT_CONN_QUAL nobody = free_qualifier();
  std::vector<Evd> evds;
  std::vector<Ep> eps;
  for (DAT_COUNT i = 0; i < length + 1; ++i) {
    evds.push_back(fillable(ia, DAT_EVD_CONNECTION_FLAG));
    fill(evds.back());
    eps.push_back(create_ep(ia, pz, DAT_HANDLE_NULL, DAT_HANDLE_NULL, evds.back()));
    ASSERT_DAT_OK(connect(eps.back(), address_of(peer_ia), nobody));
  }
  for (DAT_COUNT i = 0; i < length; ++i) expect_event(async_evd, DAT_ASYNC_ERROR_EVD_OVERFLOW);
  Side side(ia);
  Side peer(peer_ia);
  establish(side, peer);
  while (!eps.empty()) eps.pop_back();
}

} // namespace
} // namespace datum::test
