// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dat_ep_query(3DAT), dat_ep_get_status(3DAT), dat_ep_recv_query(3DAT), dat_ep_free(3DAT),
// dat_ep_reset(3DAT) of unconnected endpoints.
#include "each_kind.h"
#include "fixture.h"

namespace datum::test {
namespace {

using DatEpQuery = Conformance;
using DatEpGetStatus = Conformance;
using DatEpRecvQuery = Conformance;
using DatEpFree = Conformance;
using DatEpReset = Conformance;

// Rules: dat_ep_query.R1 dat_ep_query.R2 dat_ep_query.R3
TEST_F(DatEpQuery, BadHandles) {
  expect_handle_checks(ia, DAT_HANDLE_TYPE_EP, [](DAT_HANDLE handle) {
    DAT_EP_PARAM param{};
    return dat_ep_query(handle, DAT_EP_FIELD_ALL, &param);
  });
}

// Rules: dat_ep_query.R4 dat_ep_query.R5 dat_ep_query.R6
TEST_F(DatEpQuery, MaskAndStruct) {
  Side side(ia);
  const auto query = [&](DAT_EP_PARAM_MASK mask, bool with_struct) {
    DAT_EP_PARAM param{};
    return dat_ep_query(side.ep(), mask, with_struct ? &param : nullptr);
  };
  EXPECT_DAT_OK(query(kEpFields, true));
  EXPECT_DAT_OK(query(0, true));
  EXPECT_DAT_ERROR(query(kUnknownEpField, true), DAT_INVALID_PARAMETER, DAT_INVALID_ARG2)
      << "the hole";
  EXPECT_DAT_ERROR(query(0x80000000, true), DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
  EXPECT_DAT_ERROR(query(kEpFields, false), DAT_INVALID_PARAMETER, DAT_INVALID_ARG3);
}

TEST_F(DatEpQuery, R9TheLocalAddress) {
  Side side(ia);
  const DAT_IA_ADDRESS_PTR address = query_ep(side.ep()).local_ia_address_ptr;
  ASSERT_NE(address, nullptr);
  EXPECT_EQ(address->sa_family, address_of(ia)->sa_family);
}

// Rules: dat_ep_get_status.R1 dat_ep_get_status.R2 dat_ep_get_status.R3
TEST_F(DatEpGetStatus, BadHandles) {
  expect_handle_checks(ia, DAT_HANDLE_TYPE_EP, [](DAT_HANDLE handle) {
    return dat_ep_get_status(handle, nullptr, nullptr, nullptr);
  });
}

TEST_F(DatEpGetStatus, R4ANewEp) {
  Side side(ia);
  auto state = DAT_EP_STATE_CONNECTED;
  DAT_BOOLEAN recv_idle = DAT_FALSE;
  DAT_BOOLEAN request_idle = DAT_FALSE;
  EXPECT_DAT_OK(dat_ep_get_status(side.ep(), &state, &recv_idle, &request_idle));
  EXPECT_EQ(state, DAT_EP_STATE_UNCONNECTED);
  EXPECT_EQ(recv_idle, DAT_TRUE);
  EXPECT_EQ(request_idle, DAT_TRUE);
}

// Rules: dat_ep_post_recv.R4 EPTABLE.post_recv.U
TEST_F(DatEpGetStatus, APostedRecvIsNotIdle) {
  Side side(ia);
  Buffer buffer = side.buffer(16);
  EXPECT_DAT_OK(post_recv(side.ep(), {buffer.segment()}, 1));
  DAT_BOOLEAN recv_idle = DAT_TRUE;
  DAT_BOOLEAN request_idle = DAT_FALSE;
  EXPECT_DAT_OK(dat_ep_get_status(side.ep(), nullptr, &recv_idle, &request_idle));
  EXPECT_EQ(recv_idle, DAT_FALSE);
  EXPECT_EQ(request_idle, DAT_TRUE);
  EXPECT_NO_EVENT(side.recv_evd());
}

TEST_F(DatEpGetStatus, R8NullPointers) {
  Side side(ia);
  DAT_EP_STATE state{};
  DAT_BOOLEAN idle{};
  EXPECT_DAT_OK(dat_ep_get_status(side.ep(), nullptr, nullptr, nullptr));
  EXPECT_DAT_OK(dat_ep_get_status(side.ep(), &state, nullptr, nullptr));
  EXPECT_DAT_OK(dat_ep_get_status(side.ep(), nullptr, &idle, nullptr));
  EXPECT_DAT_OK(dat_ep_get_status(side.ep(), nullptr, nullptr, &idle));
}

// Rules: dat_ep_recv_query.R1 dat_ep_recv_query.R2 dat_ep_recv_query.R3
TEST_F(DatEpRecvQuery, BadHandles) {
  expect_handle_checks(ia, DAT_HANDLE_TYPE_EP, [](DAT_HANDLE handle) {
    DAT_COUNT count = 0;
    DAT_COUNT span = 0;
    return dat_ep_recv_query(handle, &count, &span);
  });
}

TEST_F(DatEpRecvQuery, R8ANewEp) {
  Side side(ia);
  DAT_COUNT count = -7;
  DAT_COUNT span = -7;
  EXPECT_DAT_OK(dat_ep_recv_query(side.ep(), &count, &span));
  EXPECT_EQ(count, 0);
  EXPECT_EQ(span, 0);
}

// Rules: dat_ep_recv_query.R4 dat_ep_recv_query.R7 WM.7
TEST_F(DatEpRecvQuery, PostedRecvsCount) {
  Side side(ia);
  Buffer buffer = side.buffer(16);
  for (DAT_UINT64 i = 0; i < 3; ++i) EXPECT_DAT_OK(post_recv(side.ep(), {buffer.segment()}, i));
  DAT_COUNT count = 0;
  DAT_COUNT span = 0;
  EXPECT_DAT_OK(dat_ep_recv_query(side.ep(), &count, nullptr));
  EXPECT_EQ(count, 3);
  EXPECT_DAT_OK(dat_ep_recv_query(side.ep(), nullptr, &span));
  EXPECT_GE(span, 3);
}

// Rules: dat_ep_free.R1 dat_ep_free.R2 dat_ep_free.R3
TEST_F(DatEpFree, BadHandles) {
  expect_handle_checks(ia, DAT_HANDLE_TYPE_EP, dat_ep_free);
}

// Rules: dat_ep_free.R4 EPTABLE.free.U
TEST_F(DatEpFree, Unconnected) {
  Side side(ia);
  const DAT_EP_HANDLE handle = side.ep();
  EXPECT_DAT_OK(dat_ep_free(side.ep().release()));
  DAT_EP_STATE state{};
  EXPECT_DAT_ERROR(dat_ep_get_status(handle, &state, nullptr, nullptr), DAT_INVALID_HANDLE,
                   DAT_INVALID_HANDLE_EP);
}

// Rules: dat_ep_free.R13
TEST_F(DatEpFree, TheSrqBecomesFreeable) {
  SideOptions options;
  options.srq_recvs = 4;
  Side side(ia, options);
  EXPECT_DAT_ERROR(dat_srq_free(side.srq()), DAT_INVALID_STATE, DAT_INVALID_STATE_SRQ_IN_USE);
  side.ep().free();
  EXPECT_DAT_OK(dat_srq_free(side.srq().release()));
}

// Rules: dat_ep_reset.R1 dat_ep_reset.R2 dat_ep_reset.R3
TEST_F(DatEpReset, BadHandles) {
  expect_handle_checks(ia, DAT_HANDLE_TYPE_EP, dat_ep_reset);
}

// Rules: dat_ep_reset.R5 EPTABLE.reset.U
TEST_F(DatEpReset, UnconnectedKeepsRecvs) {
  Side side(ia);
  Buffer buffer = side.buffer(16);
  EXPECT_DAT_OK(post_recv(side.ep(), {buffer.segment()}, 1));
  EXPECT_DAT_OK(dat_ep_reset(side.ep()));
  EXPECT_EQ(ep_state(side.ep()), DAT_EP_STATE_UNCONNECTED);
  DAT_BOOLEAN recv_idle = DAT_TRUE;
  EXPECT_DAT_OK(dat_ep_get_status(side.ep(), nullptr, &recv_idle, nullptr));
  EXPECT_EQ(recv_idle, DAT_FALSE);
  EXPECT_NO_EVENT(side.recv_evd());
}

} // namespace
} // namespace datum::test
