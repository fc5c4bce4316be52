// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dat_cr_query(3DAT), dat_cr_reject(3DAT).
#include <netinet/in.h>

#include <cstring>

#include "each_kind.h"
#include "fixture.h"
#include "states.h"

namespace datum::test {
namespace {

using DatCrQuery = Conformance;
using DatCrReject = Conformance;

// Rules: dat_cr_query.R1 dat_cr_query.R2 dat_cr_query.R3
TEST_F(DatCrQuery, BadHandles) {
  expect_handle_checks(ia, DAT_HANDLE_TYPE_CR, [](DAT_HANDLE handle) {
    DAT_CR_PARAM param{};
    return dat_cr_query(handle, DAT_CR_FIELD_ALL, &param);
  });
}

// Rules: dat_cr_query.R4 dat_cr_query.R5 dat_cr_query.R6
TEST_F(DatCrQuery, MaskAndStruct) {
  PendingRequest request(ia);
  expect_query_checks(0x1f, [&](DAT_UINT64 mask, bool with_struct) {
    DAT_CR_PARAM param{};
    return dat_cr_query(request.cr(), any_value<DAT_CR_PARAM_MASK>(static_cast<int>(mask)),
                        with_struct ? &param : nullptr);
  });
}

// Compares addresses without their ports: the address of an IA has no port.
bool same_host(const sockaddr* a, const sockaddr* b) {
  if (a->sa_family != b->sa_family) return false;
  if (a->sa_family == AF_INET) {
    return reinterpret_cast<const sockaddr_in*>(a)->sin_addr.s_addr ==
           reinterpret_cast<const sockaddr_in*>(b)->sin_addr.s_addr;
  }
  return std::memcmp(&reinterpret_cast<const sockaddr_in6*>(a)->sin6_addr,
                     &reinterpret_cast<const sockaddr_in6*>(b)->sin6_addr, 16) == 0;
}

// Rules: dat_cr_query.R7 dat_cr_query.R9 CONN.19
TEST_F(DatCrQuery, WhoAsksAndWhatItSent) {
  const Ia requester_ia = open_ia();
  Side requester(requester_ia);
  Listener listener(ia);
  ASSERT_DAT_OK(connect(requester.ep(), listener, "may I come in"));
  const Cr cr = listener.expect_request();
  const DAT_CR_PARAM param = query_cr(cr);
  ASSERT_NE(param.remote_ia_address_ptr, nullptr);
  EXPECT_TRUE(same_host(param.remote_ia_address_ptr, address_of(requester_ia)));
  EXPECT_EQ(param.private_data_size, 13);
  // The private data outlives the requester's EP and stays at its address.
  requester.ep().free();
  EXPECT_NO_EVENT(listener.evd());
  EXPECT_EQ(query_cr(cr).private_data, param.private_data);
  EXPECT_EQ(request_data(cr), "may I come in");
  EXPECT_EQ(std::memcmp(param.private_data, "may I come in", 13), 0);
}

// Rules: dat_cr_query.R10 dat_cr_query.R11
TEST_F(DatCrQuery, NothingSentAndNoEp) {
  PendingRequest request(ia);
  const DAT_CR_PARAM param = query_cr(request.cr());
  EXPECT_EQ(param.private_data_size, 0);
  EXPECT_EQ(param.local_ep_handle, DAT_HANDLE_NULL);
}

// Rules: dat_cr_reject.R1 dat_cr_reject.R2 dat_cr_reject.R3
TEST_F(DatCrReject, BadHandles) {
  expect_handle_checks(ia, DAT_HANDLE_TYPE_CR,
                       [](DAT_HANDLE handle) { return dat_cr_reject(handle); });
}

// Rules: dat_cr_reject.R4 dat_cr_reject.R5 EPEVENT.5 CONN.20
TEST_F(DatCrReject, ThePeerIsRejected) {
  const Ia requester_ia = open_ia();
  Side requester(requester_ia);
  Listener listener(ia);
  ASSERT_DAT_OK(connect(requester.ep(), listener));
  Cr cr = listener.expect_request();
  const DAT_CR_HANDLE handle = cr;
  EXPECT_DAT_OK(dat_cr_reject(cr.release()));
  DAT_CR_PARAM param{};
  EXPECT_DAT_ERROR(dat_cr_query(handle, DAT_CR_FIELD_ALL, &param), DAT_INVALID_HANDLE,
                   DAT_INVALID_HANDLE_CR);
  EXPECT_DAT_ERROR(dat_cr_reject(handle), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_CR);
  const DAT_CONNECTION_EVENT_DATA data = expect_connection_event(
      requester.connect_evd(), DAT_CONNECTION_EVENT_PEER_REJECTED, requester.ep());
  EXPECT_EQ(data.private_data_size, 0);
  EXPECT_EQ(ep_state(requester.ep()), DAT_EP_STATE_DISCONNECTED);
}

// Rules: dat_cr_reject.R6 dat_cr_reject.R8 CONN.2
TEST_F(DatCrReject, TheEpOfAnRspComesBack) {
  const auto staged = put_ep_in_state(DAT_EP_STATE_PASSIVE_CONNECTION_PENDING);
  Buffer buffer = staged->side().buffer(16);
  ASSERT_DAT_OK(post_recv(staged->ep(), {buffer.segment()}, 1));
  ASSERT_DAT_OK(dat_cr_reject(staged->cr().release()));
  EXPECT_EQ(ep_state(staged->ep()), DAT_EP_STATE_UNCONNECTED);
  expect_event(staged->peer().connect_evd(), DAT_CONNECTION_EVENT_PEER_REJECTED);
  EXPECT_NO_EVENT(staged->side().connect_evd());
  EXPECT_NO_EVENT(staged->side().recv_evd());
  DAT_COUNT posted = 0;
  EXPECT_DAT_OK(dat_ep_recv_query(staged->ep(), &posted, nullptr));
  EXPECT_EQ(posted, 1);
}

// Rules: dat_cr_reject.R7 CONN.2
TEST_F(DatCrReject, TheEpOfAProviderPspIsGone) {
  const auto staged = put_ep_in_state(DAT_EP_STATE_TENTATIVE_CONNECTION_PENDING);
  ASSERT_DAT_OK(dat_cr_reject(staged->cr().release()));
  DAT_EP_PARAM param{};
  EXPECT_DAT_ERROR(dat_ep_query(staged->ep(), DAT_EP_FIELD_ALL, &param), DAT_INVALID_HANDLE,
                   DAT_INVALID_HANDLE_EP);
  EXPECT_DAT_ERROR(dat_ep_free(staged->ep()), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_EP);
  expect_event(staged->peer().connect_evd(), DAT_CONNECTION_EVENT_PEER_REJECTED);
}

TEST_F(DatCrReject, R9TheRequesterHasGone) {
  const Ia requester_ia = open_ia();
  Side requester(requester_ia);
  Listener listener(ia);
  ASSERT_DAT_OK(connect(requester.ep(), listener));
  Cr cr = listener.expect_request();
  requester.ep().free();
  EXPECT_NO_EVENT(listener.evd());
  EXPECT_DAT_OK(dat_cr_reject(cr.release()));
}

} // namespace
} // namespace datum::test
