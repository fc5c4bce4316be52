// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dat_rsp_create(3DAT), dat_rsp_query(3DAT), dat_rsp_free(3DAT): the rules that need no connection.
#include "each_kind.h"
#include "fixture.h"

namespace datum::test {
namespace {

class RspTest : public Conformance {
 protected:
  void SetUp() override {
    Conformance::SetUp();
    evd = create_evd(ia, DAT_EVD_CR_FLAG);
    side = std::make_unique<Side>(ia);
    qualifier = free_qualifier();
  }
  void TearDown() override {
    rsp.free();
    side.reset();
  }

  DAT_RETURN create() { return dat_rsp_create(ia, qualifier, side->ep(), evd, rsp.out()); }

  Evd evd;
  std::unique_ptr<Side> side;
  DAT_CONN_QUAL qualifier = 0;
  Rsp rsp;
};

using DatRspCreate = RspTest;
using DatRspQuery = RspTest;
using DatRspFree = RspTest;

// Rules: dat_rsp_create.R1 dat_rsp_create.R2 dat_rsp_create.R3
TEST_F(DatRspCreate, BadHandles) {
  expect_handle_checks(ia, DAT_HANDLE_TYPE_IA, [&](DAT_HANDLE handle) {
    DAT_RSP_HANDLE created = DAT_HANDLE_NULL;
    return dat_rsp_create(handle, qualifier, side->ep(), evd, &created);
  });
}

// Rules: dat_rsp_create.R4 dat_rsp_query.R7 EPTABLE.rsp_create.U
TEST_F(DatRspCreate, TheEpIsReserved) {
  ASSERT_DAT_OK(create());
  EXPECT_EQ(ep_state(side->ep()), DAT_EP_STATE_RESERVED);
  DAT_RSP_PARAM param{};
  ASSERT_DAT_OK(dat_rsp_query(rsp, DAT_RSP_FIELD_ALL, &param));
  EXPECT_EQ(param.ia_handle, ia);
  EXPECT_EQ(param.conn_qual, qualifier);
  EXPECT_EQ(param.evd_handle, evd);
  EXPECT_EQ(param.ep_handle, side->ep());
}

TEST_F(DatRspCreate, R7QualifierZero) {
  qualifier = 0;
  EXPECT_DAT_ERROR(create(), DAT_INVALID_PARAMETER, DAT_INVALID_ARG2);
}

// Rules: dat_rsp_create.R8 CONN.21
TEST_F(DatRspCreate, TheQualifierIsTaken) {
  Psp psp = create_psp(ia, qualifier, evd);
  EXPECT_DAT_TYPE(create(), DAT_CONN_QUAL_IN_USE);
  EXPECT_EQ(ep_state(side->ep()), DAT_EP_STATE_UNCONNECTED);
  psp.free();
  Ep other = side->another_ep();
  const Rsp first = create_rsp(ia, qualifier, other, evd);
  EXPECT_DAT_TYPE(create(), DAT_CONN_QUAL_IN_USE);
  EXPECT_EQ(ep_state(side->ep()), DAT_EP_STATE_UNCONNECTED);
}

// Rules: dat_rsp_create.R9 dat_rsp_create.R10
TEST_F(DatRspCreate, NotAnEpOfThisInstance) {
  const Ia other_ia = open_ia();
  Side other(other_ia);
  for (const DAT_EP_HANDLE bad : {evd.get(), other.ep().get()}) {
    EXPECT_DAT_ERROR(dat_rsp_create(ia, qualifier, bad, evd, rsp.out()), DAT_INVALID_HANDLE,
                     DAT_INVALID_HANDLE_EP);
  }
  EXPECT_EQ(ep_state(other.ep()), DAT_EP_STATE_UNCONNECTED);
}

// Rules: dat_rsp_create.R12 dat_rsp_create.R13
TEST_F(DatRspCreate, NotACrEvd) {
  for (const DAT_EVD_HANDLE bad : {DAT_HANDLE_NULL, side->recv_evd()}) {
    EXPECT_DAT_ERROR(dat_rsp_create(ia, qualifier, side->ep(), bad, rsp.out()), DAT_INVALID_HANDLE,
                     DAT_INVALID_HANDLE_EVD_CR);
    EXPECT_EQ(ep_state(side->ep()), DAT_EP_STATE_UNCONNECTED);
  }
}

// Rules: EPTABLE.rsp_create.R
TEST_F(DatRspCreate, R14AReservedEp) {
  ASSERT_DAT_OK(create());
  Rsp second;
  EXPECT_DAT_ERROR(dat_rsp_create(ia, free_qualifier(), side->ep(), evd, second.out()),
                   DAT_INVALID_STATE, DAT_INVALID_STATE_EP_RESERVED);
}

TEST_F(DatRspCreate, R15NullPointer) {
  EXPECT_DAT_ERROR(dat_rsp_create(ia, qualifier, side->ep(), evd, nullptr), DAT_INVALID_PARAMETER,
                   DAT_INVALID_ARG5);
  EXPECT_EQ(ep_state(side->ep()), DAT_EP_STATE_UNCONNECTED);
}

// Rules: dat_rsp_query.R1 dat_rsp_query.R2 dat_rsp_query.R3
TEST_F(DatRspQuery, BadHandles) {
  expect_handle_checks(ia, DAT_HANDLE_TYPE_RSP, [](DAT_HANDLE handle) {
    DAT_RSP_PARAM param{};
    return dat_rsp_query(handle, DAT_RSP_FIELD_ALL, &param);
  });
}

// Rules: dat_rsp_query.R4 dat_rsp_query.R5 dat_rsp_query.R6
TEST_F(DatRspQuery, MaskAndStruct) {
  ASSERT_DAT_OK(create());
  expect_query_checks(0xf, [&](DAT_UINT64 mask, bool with_struct) {
    DAT_RSP_PARAM param{};
    return dat_rsp_query(rsp, any_value<DAT_RSP_PARAM_MASK>(static_cast<int>(mask)),
                         with_struct ? &param : nullptr);
  });
}

// Rules: dat_rsp_free.R1 dat_rsp_free.R2 dat_rsp_free.R3
TEST_F(DatRspFree, BadHandles) {
  expect_handle_checks(ia, DAT_HANDLE_TYPE_RSP, dat_rsp_free);
}

// Rules: dat_rsp_free.R4 EPTABLE.rsp_free.R
TEST_F(DatRspFree, Unused) {
  ASSERT_DAT_OK(create());
  EXPECT_DAT_OK(dat_rsp_free(rsp.release()));
  EXPECT_EQ(ep_state(side->ep()), DAT_EP_STATE_UNCONNECTED);
  EXPECT_DAT_OK(create()) << "EP and qualifier can be used again";
}

TEST_F(DatRspFree, R6PrepostedRecvsSurvive) {
  Buffer buffer = side->buffer(16);
  EXPECT_DAT_OK(post_recv(side->ep(), {buffer.segment()}, 1));
  ASSERT_DAT_OK(create());
  rsp.free();
  DAT_COUNT posted = 0;
  EXPECT_DAT_OK(dat_ep_recv_query(side->ep(), &posted, nullptr));
  EXPECT_EQ(posted, 1);
  EXPECT_NO_EVENT(side->recv_evd());
  side->ep().free();
}

TEST_F(DatRspFree, R9TheEvdBecomesFreeable) {
  ASSERT_DAT_OK(create());
  EXPECT_DAT_ERROR(dat_evd_free(evd), DAT_INVALID_STATE, DAT_INVALID_STATE_EVD_IN_USE);
  rsp.free();
  EXPECT_DAT_OK(dat_evd_free(evd.release()));
}

} // namespace
} // namespace datum::test
