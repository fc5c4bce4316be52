// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dat_ep_reset(3DAT) after a connection.
#include "fixture.h"
#include "states.h"

namespace datum::test {
namespace {

// The tests of dat_ep_query.cc are in the same suite, so they need the same fixture.
using DatEpReset = Conformance;

TEST_F(DatEpReset, R7ItConnectsAgain) {
  ConnectedPair pair;
  pair.disconnect();
  ASSERT_DAT_OK(dat_ep_reset(pair.active().ep()));
  Side other(pair.passive_ia());
  EXPECT_EQ(establish(pair.active(), other, "second", "time").reply_data, "time");
}

TEST_F(DatEpReset, R8ItIsAcceptedOnAgain) {
  ConnectedPair pair;
  pair.disconnect();
  ASSERT_DAT_OK(dat_ep_reset(pair.active().ep()));
  ASSERT_DAT_OK(dat_ep_reset(pair.passive().ep()));
  // The EP that was active is the passive one now.
  EXPECT_EQ(establish(pair.passive(), pair.active(), "second").request_data, "second");
  Buffer source = pair.active().buffer(16);
  Buffer sink = pair.passive().buffer(16);
  ASSERT_DAT_OK(post_recv(pair.passive().ep(), {sink.segment()}, 1));
  ASSERT_DAT_OK(post_send(pair.active().ep(), {source.segment()}, 2));
  expect_dto(pair.passive().recv_evd(), pair.passive().ep(), 1);
  expect_dto(pair.active().request_evd(), pair.active().ep(), 2);
}

TEST_F(DatEpReset, R9ItIsReservedAgain) {
  ConnectedPair pair;
  pair.disconnect();
  ASSERT_DAT_OK(dat_ep_reset(pair.active().ep()));
  ASSERT_DAT_OK(dat_ep_reset(pair.passive().ep()));
  const Evd evd = create_evd(pair.passive_ia(), DAT_EVD_CR_FLAG);
  const DAT_CONN_QUAL qualifier = free_qualifier();
  const Rsp rsp = create_rsp(pair.passive_ia(), qualifier, pair.passive().ep(), evd);
  ASSERT_DAT_OK(connect(pair.active().ep(), address_of(pair.passive_ia()), qualifier));
  Cr cr = expect_request(evd);
  ASSERT_DAT_OK(accept(cr, DAT_HANDLE_NULL));
  for (Side* side : {&pair.active(), &pair.passive()}) {
    expect_connection_event(side->connect_evd(), DAT_CONNECTION_EVENT_ESTABLISHED, side->ep());
  }
}

// Rules: dat_ep_reset.R10 SRQ.8
TEST_F(DatEpReset, WhatItIsMadeOfStays) {
  DAT_EP_ATTR attributes = default_attributes(ia);
  attributes.max_message_size = 4000;
  attributes.max_request_dtos = 7;
  attributes.max_rdma_read_in = 2;
  attributes.request_completion_flags = DAT_COMPLETION_UNSIGNALLED_FLAG;
  PairOptions options;
  options.active.attributes = &attributes;
  options.active.srq_recvs = 8;
  ConnectedPair pair(options);
  const DAT_EP_PARAM before = query_ep(pair.active().ep());
  pair.disconnect();
  ASSERT_DAT_OK(dat_ep_reset(pair.active().ep()));
  const DAT_EP_PARAM after = query_ep(pair.active().ep());
  EXPECT_EQ(after.ep_state, DAT_EP_STATE_UNCONNECTED);
  EXPECT_EQ(after.pz_handle, pair.active().pz());
  EXPECT_EQ(after.recv_evd_handle, pair.active().recv_evd());
  EXPECT_EQ(after.request_evd_handle, pair.active().request_evd());
  EXPECT_EQ(after.connect_evd_handle, pair.active().connect_evd());
  EXPECT_EQ(after.srq_handle, pair.active().srq());
  EXPECT_EQ(after.ep_attr.max_message_size, 4000U);
  EXPECT_EQ(after.ep_attr.max_request_dtos, before.ep_attr.max_request_dtos);
  EXPECT_EQ(after.ep_attr.max_rdma_read_in, 2);
  EXPECT_EQ(after.ep_attr.request_completion_flags, DAT_COMPLETION_UNSIGNALLED_FLAG);
}

// Rules: dat_ep_reset.R11
TEST_F(DatEpReset, QueuedEventsStayAndNoneIsAdded) {
  ConnectedPair pair;
  Side& active = pair.active();
  Side& passive = pair.passive();
  Buffer source = active.buffer(16);
  ASSERT_DAT_OK(post_recv(active.ep(), {source.segment()}, 1));
  ASSERT_DAT_OK(post_send(active.ep(), {source.segment()}, 2)); // the peer posts no Recv
  ASSERT_DAT_OK(dat_ep_disconnect(active.ep(), DAT_CLOSE_ABRUPT_FLAG));
  ASSERT_DAT_OK(dat_ep_reset(active.ep()));
  expect_connection_event(active.connect_evd(), DAT_CONNECTION_EVENT_DISCONNECTED, active.ep());
  expect_dto(active.recv_evd(), active.ep(), 1, DAT_DTO_ERR_FLUSHED);
  expect_dto(active.request_evd(), active.ep(), 2, DAT_DTO_ERR_FLUSHED);
  // The remains of this connection do not disturb the next one.
  expect_connection_event(passive.connect_evd(), DAT_CONNECTION_EVENT_DISCONNECTED, passive.ep());
  ASSERT_DAT_OK(dat_ep_reset(passive.ep()));
  establish(active, passive);
  EXPECT_NO_EVENT(active.connect_evd());
  EXPECT_NO_EVENT(active.recv_evd());
  EXPECT_NO_EVENT(active.request_evd());
  EXPECT_NO_EVENT(passive.connect_evd());
}

} // namespace
} // namespace datum::test
