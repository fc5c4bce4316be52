// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dat_ep_query(3DAT) and dat_ep_get_status(3DAT) of endpoints with a connection.
#include "fixture.h"
#include "states.h"

namespace datum::test {
namespace {

using RuleEpQueries = Conformance;

// Rules: dat_ep_query.R10
TEST_F(RuleEpQueries, TheRemoteEndIsNamed) {
  for (const DAT_EP_STATE state :
       {DAT_EP_STATE_PASSIVE_CONNECTION_PENDING, DAT_EP_STATE_ACTIVE_CONNECTION_PENDING,
        DAT_EP_STATE_TENTATIVE_CONNECTION_PENDING, DAT_EP_STATE_CONNECTED,
        DAT_EP_STATE_DISCONNECT_PENDING, DAT_EP_STATE_COMPLETION_PENDING}) {
    const auto staged = put_ep_in_state(state);
    if (staged == nullptr) continue;
    const DAT_EP_PARAM param = query_ep(staged->ep());
    ASSERT_NE(param.remote_ia_address_ptr, nullptr) << short_name(state);
    EXPECT_EQ(param.remote_ia_address_ptr->sa_family, address_of(ia)->sa_family)
        << short_name(state);
    EXPECT_NE(param.remote_port_qual, 0U) << short_name(state);
  }
}

// Rules: dat_ep_query.R11 dat_ep_connect.R23 dat_cr_query.R8
TEST_F(RuleEpQueries, LocalAndRemotePortAgree) {
  const Ia active_ia = open_ia();
  Side active(active_ia);
  Side passive(ia);
  Listener listener(ia);
  ASSERT_DAT_OK(connect(active.ep(), listener));
  const DAT_PORT_QUAL local = query_ep(active.ep()).local_port_qual;
  EXPECT_NE(local, 0U);
  Cr cr = listener.expect_request();
  DAT_CR_PARAM param{};
  ASSERT_DAT_OK(dat_cr_query(cr, DAT_CR_FIELD_ALL, &param));
  EXPECT_EQ(param.remote_port_qual, local);
  ASSERT_DAT_OK(accept(cr, passive.ep()));
  expect_event(active.connect_evd(), DAT_CONNECTION_EVENT_ESTABLISHED);
  expect_event(passive.connect_evd(), DAT_CONNECTION_EVENT_ESTABLISHED);
  EXPECT_EQ(query_ep(active.ep()).local_port_qual, local);
  EXPECT_EQ(query_ep(passive.ep()).remote_port_qual, local);
  EXPECT_EQ(query_ep(active.ep()).remote_port_qual, query_ep(passive.ep()).local_port_qual);
}

// Rules: dat_ep_get_status.R5 dat_ep_get_status.R6
TEST_F(RuleEpQueries, IdleMeansCompletedNotReaped) {
  ConnectedPair pair;
  Side& active = pair.active();
  Side& passive = pair.passive();
  Buffer source = active.buffer(16);
  Buffer sink = passive.buffer(16);
  ASSERT_DAT_OK(post_recv(passive.ep(), {sink.segment()}, 1));
  DAT_BOOLEAN idle = DAT_TRUE;
  EXPECT_DAT_OK(dat_ep_get_status(passive.ep(), nullptr, &idle, nullptr));
  EXPECT_EQ(idle, DAT_FALSE);
  ASSERT_DAT_OK(post_send(active.ep(), {source.segment()}, 2));
  ASSERT_DAT_OK(post_send(active.ep(), {source.segment()}, 3));
  ASSERT_DAT_OK(post_recv(passive.ep(), {sink.segment()}, 4));
  // dat_evd_wait() with a threshold of 2 returns once both completions are on the EVD. It takes
  // only the first one.
  DAT_EVENT event{};
  DAT_COUNT left = 0;
  ASSERT_DAT_OK(dat_evd_wait(active.request_evd(), kPatience, 2, &event, &left));
  EXPECT_EQ(left, 1);
  EXPECT_DAT_OK(dat_ep_get_status(active.ep(), nullptr, nullptr, &idle));
  EXPECT_EQ(idle, DAT_TRUE);
  ASSERT_DAT_OK(dat_evd_wait(passive.recv_evd(), kPatience, 2, &event, &left));
  EXPECT_EQ(left, 1);
  EXPECT_DAT_OK(dat_ep_get_status(passive.ep(), nullptr, &idle, nullptr));
  EXPECT_EQ(idle, DAT_TRUE);
}

// Rules: dat_ep_get_status.R7
TEST_F(RuleEpQueries, CompletionPendingIsReported) {
  const auto staged = put_ep_in_state(DAT_EP_STATE_COMPLETION_PENDING);
  if (staged == nullptr) GTEST_SKIP() << "no way into this state on " << transport();
  EXPECT_EQ(ep_state(staged->ep()), DAT_EP_STATE_COMPLETION_PENDING);
}

// The value of a named attribute; "(none)" if there is none of this name.
std::string named(const DAT_EP_ATTR& attributes, std::string_view name) {
  for (DAT_COUNT i = 0; i != attributes.ep_provider_specific_count; ++i)
    if (attributes.ep_provider_specific[i].name == name)
      return attributes.ep_provider_specific[i].value;
  return "(none)";
}

DAT_EP_ATTR query_attributes(DAT_EP_HANDLE ep, DAT_EP_PARAM_MASK mask) {
  DAT_EP_PARAM param{};
  EXPECT_DAT_OK(dat_ep_query(ep, mask, &param));
  return param.ep_attr;
}

// Rules: dat_ep_query.R14
TEST_F(RuleEpQueries, NamedAttributesBelongToAConnection) {
  ConnectedPair pair;
  for (Side* side : {&pair.active(), &pair.passive()}) {
    const DAT_EP_ATTR connected = query_ep(side->ep()).ep_attr;
    EXPECT_EQ(connected.ep_transport_specific_count, 0);
    const std::string path = named(connected, "datum_path");
    if (transport() == "sim")
      EXPECT_EQ(path, "simulated network");
    else if (transport() == "tcp")
      EXPECT_EQ(path, "tcp");
    else
      EXPECT_TRUE(path == "shm mapped" || path == "shm cma" || path == "shm ring") << path;
    EXPECT_EQ(named(connected, "datum_path_reason") == "(none)",
              path == "simulated network" || path == "shm mapped");
  }
  const DAT_EP_ATTR counted =
      query_attributes(pair.active().ep(), DAT_EP_FIELD_EP_ATTR_NUM_PROVIDER_ATTR);
  EXPECT_GE(counted.ep_provider_specific_count, 3);
  pair.disconnect();
  const DAT_EP_ATTR after = query_ep(pair.active().ep()).ep_attr;
  EXPECT_EQ(after.ep_provider_specific_count, 0);
  EXPECT_EQ(after.ep_provider_specific, nullptr);
  Side fresh(ia);
  EXPECT_EQ(query_ep(fresh.ep()).ep_attr.ep_provider_specific_count, 0);
  Listener listener(ia);
  ASSERT_DAT_OK(connect(fresh.ep(), listener));
  const Cr request = listener.expect_request();
  EXPECT_EQ(query_ep(fresh.ep()).ep_attr.ep_provider_specific_count, 0) << "not answered yet";
}

// Rules: dat_ep_query.R15 READ.9
TEST_F(RuleEpQueries, EffectiveReadLimitsAreNamedAttributes) {
  const auto reads = [](DAT_COUNT in, DAT_COUNT out) {
    return [in, out](DAT_EP_ATTR& attributes) {
      attributes.max_rdma_read_in = in;
      attributes.max_rdma_read_out = out;
    };
  };
  ConnectedPair pair(with_attributes(reads(3, 8), reads(5, 2)));
  const DAT_EP_ATTR active = query_ep(pair.active().ep()).ep_attr;
  EXPECT_EQ(named(active, "datum_effective_rdma_read_in"), "3");
  EXPECT_EQ(named(active, "datum_effective_rdma_read_out"), "5");
  EXPECT_EQ(active.max_rdma_read_out, 8) << "as the consumer set it";
  const DAT_EP_ATTR passive = query_ep(pair.passive().ep()).ep_attr;
  EXPECT_EQ(named(passive, "datum_effective_rdma_read_in"), "5");
  EXPECT_EQ(named(passive, "datum_effective_rdma_read_out"), "2");
}

// Rules: dat_ep_query.R16 dat_ep_create.R40
TEST_F(RuleEpQueries, NamedAttributesOutliveTheirEpAndMayBePassedOn) {
  DAT_EP_ATTR kept{};
  {
    ConnectedPair pair;
    kept = query_ep(pair.active().ep()).ep_attr;
  }
  EXPECT_EQ(named(kept, "datum_effective_rdma_read_in"), "4");
  Side side(ia);
  Ep another = side.another_ep(&kept);
  EXPECT_EQ(query_ep(another).ep_attr.ep_provider_specific_count, 0) << "not connected";
  DAT_EP_PARAM param{};
  param.ep_attr = kept;
  constexpr auto kNumber = DAT_EP_FIELD_EP_ATTR_NUM_PROVIDER_ATTR;
  constexpr auto kArray = DAT_EP_FIELD_EP_ATTR_PROVIDER_SPECIFIC_ATTR;
  EXPECT_DAT_OK(dat_ep_modify(another, kNumber | kArray, &param));
  EXPECT_DAT_TYPE(dat_ep_modify(another, kNumber, &param), DAT_INVALID_PARAMETER)
      << "an array that was not handed over";
}

// Rules: EPEVENT.14
TEST_F(RuleEpQueries, TheStateChangesBeforeTheEvent) {
  ConnectedPair pair;
  EXPECT_DAT_OK(dat_ep_disconnect(pair.passive().ep(), DAT_CLOSE_ABRUPT_FLAG));
  DAT_EVENT event{};
  while (dat_evd_dequeue(pair.active().connect_evd(), &event) != DAT_SUCCESS) {
  }
  EXPECT_EQ(ep_state(pair.active().ep()), DAT_EP_STATE_DISCONNECTED);
}

// Rules: dat_ep_free.R14
TEST_F(RuleEpQueries, AnEventThatIsDequeuedBehindItsEndpointHasNoData) {
  const Ia active_ia = open_ia();
  Side active(active_ia);
  Side passive(ia);
  Listener listener(ia);
  const Cno cno = create_cno(active_ia);
  ASSERT_DAT_OK(dat_evd_modify_cno(active.connect_evd(), cno));
  ASSERT_DAT_OK(connect(active.ep(), listener));
  Cr cr = listener.expect_request();
  ASSERT_DAT_OK(accept(cr, passive.ep(), "answer"));
  EXPECT_TRIGGERED(cno, active.connect_evd());
  active.ep().free();
  const DAT_EVENT event = expect_event(active.connect_evd(), DAT_CONNECTION_EVENT_ESTABLISHED);
  EXPECT_EQ(event.event_data.connect_event_data.private_data_size, 0);
  EXPECT_EQ(event.event_data.connect_event_data.private_data, nullptr);
  ASSERT_DAT_OK(dat_evd_modify_cno(active.connect_evd(), DAT_HANDLE_NULL));
}

// Rules: dat_ep_free.R8
TEST_F(RuleEpQueries, FreeAbortsAConnect) {
  const Ia active_ia = open_ia();
  auto active = std::make_unique<Side>(active_ia);
  Listener listener(ia);
  ASSERT_DAT_OK(connect(active->ep(), listener));
  Cr cr = listener.expect_request();
  EXPECT_DAT_OK(dat_ep_free(active->ep().release()));
  EXPECT_NO_EVENT(active->connect_evd());
}

// Rules: dat_ep_free.R9 dat_ep_free.R11 dat_ep_free.R12 OBJ.5 OBJ.14
TEST_F(RuleEpQueries, FreeOfAConnectedEp) {
  ConnectedPair pair;
  Side& active = pair.active();
  Side& passive = pair.passive();
  Buffer sink = passive.buffer(16);
  sink.write(0, "untouched");
  ASSERT_DAT_OK(post_recv(passive.ep(), {sink.segment()}, 1));
  const DAT_EP_HANDLE freed = passive.ep();
  EXPECT_DAT_OK(dat_ep_free(passive.ep().release()));
  expect_connection_event(active.connect_evd(), DAT_CONNECTION_EVENT_DISCONNECTED, active.ep());
  EXPECT_NO_EVENT(passive.connect_evd());
  EXPECT_EQ(sink.text(0, 9), "untouched");
  EXPECT_DAT_TYPE(dat_ep_disconnect(freed, DAT_CLOSE_ABRUPT_FLAG), DAT_INVALID_HANDLE);
}

} // namespace
} // namespace datum::test
