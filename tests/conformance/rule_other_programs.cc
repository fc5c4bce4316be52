// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// Uses of the calls that exist in programs and are not in the manual (docs/habits.md).
#include <cstring>
#include <netinet/in.h>

#include "fixture.h"

namespace datum::test {
namespace {

constexpr std::size_t kLargeTransfer = 1 << 20;
constexpr DAT_VLEN kLargestSize = 0xffffffff;

using RuleOtherPrograms = Conformance;

// A Write, a Read and a Send of a megabyte.
void expect_large_transfers(ConnectedPair& pair) {
  Side& active = pair.active();
  Side& passive = pair.passive();
  Buffer from = active.buffer(kLargeTransfer);
  Buffer to = passive.buffer(kLargeTransfer);
  from.fill(3);
  ASSERT_DAT_OK(post_write(active.ep(), {from.segment()}, to.remote(), 1));
  expect_dto(active.request_evd(), active.ep(), 1);
  EXPECT_TRUE(to.holds(3, 0, kLargeTransfer));
  ASSERT_DAT_OK(post_read(active.ep(), {from.segment()}, to.remote(), 2));
  expect_dto(active.request_evd(), active.ep(), 2);
  ASSERT_DAT_OK(post_recv(passive.ep(), {to.segment()}, 3));
  ASSERT_DAT_OK(post_send(active.ep(), {from.segment()}, 4));
  expect_dto(active.request_evd(), active.ep(), 4);
  EXPECT_EQ(expect_dto(passive.recv_evd(), passive.ep(), 3), kLargeTransfer);
}

// Rules: HABIT.2
TEST_F(RuleOtherPrograms, SizesOfZeroMeanTheLargest) {
  const auto zero = [](DAT_EP_ATTR& a) {
    a.max_message_size = 0;
    a.max_rdma_size = 0;
  };
  ConnectedPair pair(with_attributes(zero, zero));
  const DAT_EP_ATTR reported = query_ep(pair.active().ep()).ep_attr;
  EXPECT_EQ(reported.max_message_size, kLargestSize);
  EXPECT_EQ(reported.max_rdma_size, kLargestSize);
  expect_large_transfers(pair);
}

// Rules: HABIT.2
TEST_F(RuleOtherPrograms, AttributesMayBeAllZeroButForTheQueues) {
  DAT_EP_ATTR zeroed;
  std::memset(&zeroed, 0, sizeof zeroed);
  zeroed.service_type = DAT_SERVICE_TYPE_RC;
  zeroed.max_recv_dtos = zeroed.max_request_dtos = 200;
  zeroed.max_recv_iov = zeroed.max_request_iov = 4;
  zeroed.max_rdma_read_in = zeroed.max_rdma_read_out = 4;
  const SideOptions options{.attributes = &zeroed, .change = {}};
  ConnectedPair pair({.active = options, .passive = options});
  expect_large_transfers(pair);
}

// Rules: HABIT.3
TEST_F(RuleOtherPrograms, AWatermarkOfNoSrqIsNotRead) {
  const auto unwritten = [](DAT_EP_ATTR& a) { a.srq_soft_hw = -0x55554444; };
  ConnectedPair pair(with_attributes(unwritten, unwritten));
  EXPECT_EQ(query_ep(pair.active().ep()).ep_attr.srq_soft_hw, -1);
  expect_large_transfers(pair);
  EXPECT_NO_EVENT(async_evd_of(pair.passive_ia()));
}

// Rules: HABIT.4
TEST_F(RuleOtherPrograms, AllLowFieldsOfAnEpMayBeAskedFor) {
  const Side side(ia);
  DAT_EP_PARAM param{};
  param.ep_state = DAT_EP_STATE_CONNECTED;
  EXPECT_DAT_OK(
      dat_ep_query(const_cast<Side&>(side).ep(), any_value<DAT_EP_PARAM_MASK>(0xffff), &param));
  EXPECT_EQ(param.ep_state, DAT_EP_STATE_UNCONNECTED);
  EXPECT_EQ(param.ia_handle, ia.get());
}

// Connects two sides by an address that the test has changed.
void connect_by(DAT_IA_HANDLE caller_ia, DAT_IA_HANDLE callee_ia, void* address) {
  Side caller(caller_ia);
  Side callee(callee_ia);
  Listener listener(callee_ia);
  ASSERT_DAT_OK(
      connect(caller.ep(), static_cast<DAT_IA_ADDRESS_PTR>(address), listener.qualifier()));
  Cr request = listener.expect_request();
  ASSERT_DAT_OK(accept(request, callee.ep()));
  expect_connection_event(caller.connect_evd(), DAT_CONNECTION_EVENT_ESTABLISHED, caller.ep());
  // The ESTABLISHED event of an accepted connection has no private data. By that, programs
  // distinguish it from the event of a connection that they asked for.
  EXPECT_EQ(
      expect_connection_event(callee.connect_evd(), DAT_CONNECTION_EVENT_ESTABLISHED, callee.ep())
          .private_data_size,
      0);
}

// Rules: HABIT.6
TEST_F(RuleOtherPrograms, APortInTheAddressMeansNothing) {
  const Ia other = open_ia();
  sockaddr_storage address{};
  std::memcpy(&address, address_of(other), sizeof(sockaddr_in6));
  reinterpret_cast<sockaddr_in*>(&address)->sin_port = 0x0900;
  connect_by(ia, other, &address);
}

// Rules: HABIT.6
TEST_F(RuleOtherPrograms, OctetsBehindAnAddressMeanNothing) {
  const Ia other = open_ia();
  DAT_SOCK_ADDR address; // 16 octets: too small for an IPv6 address
  std::memcpy(&address, address_of(other), sizeof address);
  if (address.sa_family == AF_INET) {
    std::memset(address.sa_data + 6, 0x5a, 8);
    connect_by(ia, other, &address);
  }
}

// Rules: HABIT.7
TEST_F(RuleOtherPrograms, PrivateDataAreEchoed) {
  const Ia other = open_ia();
  Side caller(ia);
  Side callee(other);
  Listener listener(other);
  ASSERT_DAT_OK(connect(caller.ep(), listener, "pattern"));
  Cr request = listener.expect_request();
  DAT_CR_PARAM param{};
  ASSERT_DAT_OK(dat_cr_query(request, any_value<DAT_CR_PARAM_MASK>(0xf), &param));
  ASSERT_EQ(param.private_data_size, 7);
  ASSERT_DAT_OK(dat_cr_accept(request.release(), callee.ep(), 7, param.private_data));
  EXPECT_EQ(reply_data(expect_connection_event(caller.connect_evd(),
                                               DAT_CONNECTION_EVENT_ESTABLISHED, caller.ep())),
            "pattern");
}

// Two programs connect to each other at the same time, each with the EP with which it wants to
// accept the other's request. One of them gives way.
// Rules: HABIT.8
TEST_F(RuleOtherPrograms, AnEpThatGaveWayAcceptsTheOtherRequest) {
  const Ia other = open_ia();
  Side yielding(ia);
  Side winning(other);
  Listener at_yielding(ia);
  Listener at_winning(other);
  ASSERT_DAT_OK(connect(yielding.ep(), at_winning, "yielding"));
  ASSERT_DAT_OK(connect(winning.ep(), at_yielding, "winning"));
  Cr request = at_yielding.expect_request();
  EXPECT_DAT_TYPE(dat_cr_accept(request, yielding.ep(), 0, nullptr), DAT_INVALID_STATE);
  at_winning.expect_request().free();
  expect_connection_event(yielding.connect_evd(), DAT_CONNECTION_EVENT_PEER_REJECTED,
                          yielding.ep());
  EXPECT_DAT_OK(dat_ep_reset(yielding.ep()));
  ASSERT_DAT_OK(accept(request, yielding.ep(), "mine"));
  expect_connection_event(yielding.connect_evd(), DAT_CONNECTION_EVENT_ESTABLISHED, yielding.ep());
  EXPECT_EQ(reply_data(expect_connection_event(winning.connect_evd(),
                                               DAT_CONNECTION_EVENT_ESTABLISHED, winning.ep())),
            "mine");
}

// Rules: HABIT.9
TEST_F(RuleOtherPrograms, TheEndOfAnMpi) {
  ConnectedPair pair;
  Side& active = pair.active();
  Side& passive = pair.passive();
  Buffer of_active = active.buffer(4096);
  Buffer of_passive = passive.buffer(4096);
  for (DAT_UINT64 i = 0; i < 4; ++i) {
    ASSERT_DAT_OK(post_recv(active.ep(), {of_active.segment()}, i));
    ASSERT_DAT_OK(post_recv(passive.ep(), {of_passive.segment()}, i));
  }
  EXPECT_DAT_OK(dat_lmr_free(of_active.lmr().release()));
  EXPECT_DAT_OK(dat_lmr_free(of_passive.lmr().release()));
  EXPECT_DAT_OK(dat_ep_disconnect(active.ep(), DAT_CLOSE_GRACEFUL_FLAG));
  EXPECT_DAT_OK(dat_ep_disconnect(passive.ep(), DAT_CLOSE_GRACEFUL_FLAG));
  for (Side* side : {&active, &passive}) {
    expect_connection_event(side->connect_evd(), DAT_CONNECTION_EVENT_DISCONNECTED, side->ep());
    EXPECT_DAT_OK(dat_ep_disconnect(side->ep(), DAT_CLOSE_GRACEFUL_FLAG));
    EXPECT_NO_EVENT(side->connect_evd());
    side->ep().free(); // before its EVDs, which hold four completions each
  }
}

// Rules: HABIT.10
TEST_F(RuleOtherPrograms, ACnoAndTheWaitsBesideIt) {
  Cno cno = create_cno(ia);
  const DAT_EVD_HANDLE async = async_evd_of(ia);
  EXPECT_DAT_OK(dat_evd_modify_cno(async, cno));
  const Evd software = create_evd(ia, DAT_EVD_SOFTWARE_FLAG, 1, cno);
  ASSERT_DAT_OK(post_software_event(software, nullptr));
  EXPECT_TRIGGERED(cno, software);
  DAT_EVENT event{};
  DAT_COUNT left = 7;
  EXPECT_DAT_OK(dat_evd_wait(software, 0, 1, &event, &left));
  EXPECT_EQ(left, 0);
  EXPECT_DAT_TYPE(dat_evd_wait(software, 0, 1, &event, &left), DAT_TIMEOUT_EXPIRED);
  EXPECT_DAT_OK(dat_evd_modify_cno(async, DAT_HANDLE_NULL));
  EXPECT_DAT_OK(dat_evd_modify_cno(software, DAT_HANDLE_NULL));
  EXPECT_UNTRIGGERED(cno);
  EXPECT_DAT_OK(dat_cno_free(cno.release()));
  EXPECT_DAT_OK(dat_evd_disable(software));
  EXPECT_DAT_OK(dat_evd_set_unwaitable(software));
}

// Rules: HABIT.11
TEST_F(RuleOtherPrograms, AProcessConnectsToItself) {
  const Pz pz = create_pz(ia);
  const Evd connections = create_evd(
      ia, any_value<DAT_EVD_FLAGS>(DAT_EVD_CONNECTION_FLAG | DAT_EVD_CR_FLAG), kQueueLength);
  const Evd completions = create_evd(ia, DAT_EVD_DTO_FLAG, kQueueLength);
  const Ep client = create_ep(ia, pz, completions, completions, connections);
  const Ep server = create_ep(ia, pz, completions, completions, connections);
  const DAT_CONN_QUAL qualifier = free_qualifier() | DAT_CONN_QUAL{3} << 35;
  const Psp psp = create_psp(ia, qualifier, connections);
  ASSERT_DAT_OK(connect(client, address_of(ia), qualifier));
  Cr request = expect_request(connections);
  ASSERT_DAT_OK(accept(request, server));
  for (const auto number : {DAT_CONNECTION_EVENT_ESTABLISHED, DAT_CONNECTION_EVENT_DISCONNECTED}) {
    const DAT_EVENT first = expect_event(connections, number);
    const DAT_EVENT second = expect_event(connections, number);
    EXPECT_NE(first.event_data.connect_event_data.ep_handle,
              second.event_data.connect_event_data.ep_handle);
    for (const DAT_EP_HANDLE ep : {client.get(), server.get()})
      EXPECT_DAT_OK(dat_ep_disconnect(ep, DAT_CLOSE_ABRUPT_FLAG));
  }
  EXPECT_NO_EVENT(connections);
}

// Rules: HABIT.12
TEST_F(RuleOtherPrograms, AnEvdGrowsWhileItIsUsed) {
  ConnectedPair pair;
  Side& active = pair.active();
  Buffer from = active.buffer(16);
  Buffer to = pair.passive().buffer(16);
  ASSERT_DAT_OK(post_write(active.ep(), {from.segment()}, to.remote(), 5));
  const DAT_COUNT before = query_evd(active.request_evd()).evd_qlen;
  EXPECT_DAT_OK(dat_evd_resize(active.request_evd(), before + 1));
  EXPECT_EQ(query_evd(active.request_evd()).evd_qlen, before + 1);
  EXPECT_DAT_OK(dat_evd_resize(active.request_evd(), ia_attributes(active.ia()).max_evd_qlen));
  expect_dto(active.request_evd(), active.ep(), 5);
}

} // namespace
} // namespace datum::test
