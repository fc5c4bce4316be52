// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dat_ep_modify(3DAT) of an unconnected endpoint.
#include "each_kind.h"
#include "fixture.h"

namespace datum::test {
namespace {

class DatEpModify : public Conformance {
 protected:
  void SetUp() override {
    Conformance::SetUp();
    side = std::make_unique<Side>(ia);
    param = query_ep(side->ep());
  }
  void TearDown() override { side.reset(); }

  DAT_RETURN modify(DAT_EP_PARAM_MASK mask) { return dat_ep_modify(side->ep(), mask, &param); }
  DAT_EP_PARAM now() { return query_ep(side->ep()); }

  std::unique_ptr<Side> side;
  DAT_EP_PARAM param{}; // holds the EP's present values
};

// Rules: dat_ep_modify.R1 dat_ep_modify.R2 dat_ep_modify.R3
TEST_F(DatEpModify, BadHandles) {
  expect_handle_checks(ia, DAT_HANDLE_TYPE_EP, [&](DAT_HANDLE handle) {
    return dat_ep_modify(handle, DAT_EP_FIELD_EP_ATTR_MAX_RECV_DTOS, &param);
  });
}

TEST_F(DatEpModify, R4NullParam) {
  EXPECT_DAT_ERROR(dat_ep_modify(side->ep(), DAT_EP_FIELD_PZ_HANDLE, nullptr),
                   DAT_INVALID_PARAMETER, DAT_INVALID_ARG3);
}

TEST_F(DatEpModify, R5UnknownMaskBits) {
  for (const DAT_EP_PARAM_MASK mask : {kUnusedEpField, 0x80000000UL, 0x100000000UL}) {
    EXPECT_DAT_ERROR(modify(mask), DAT_INVALID_PARAMETER, DAT_INVALID_ARG2) << mask;
  }
}

TEST_F(DatEpModify, R6NoField) {
  param.ep_attr.max_recv_dtos = 3;
  EXPECT_DAT_OK(modify(0));
  EXPECT_EQ(now().ep_attr.max_recv_dtos, 16);
}

// Rules: dat_ep_modify.R7 dat_ep_modify.R8 dat_ep_modify.R9 dat_ep_modify.R10 dat_ep_modify.R11
// Rules: EPTABLE.modify_other.U
TEST_F(DatEpModify, FieldsThatNobodyMayChange) {
  for (const DAT_EP_PARAM_MASK mask :
       {DAT_EP_FIELD_IA_HANDLE, DAT_EP_FIELD_EP_STATE, DAT_EP_FIELD_LOCAL_IA_ADDRESS_PTR,
        DAT_EP_FIELD_LOCAL_PORT_QUAL, DAT_EP_FIELD_REMOTE_IA_ADDRESS_PTR,
        DAT_EP_FIELD_REMOTE_PORT_QUAL, DAT_EP_FIELD_SRQ_HANDLE}) {
    EXPECT_DAT_TYPE(modify(mask), DAT_INVALID_PARAMETER) << std::hex << mask;
  }
}

// Rules: dat_ep_modify.R12 dat_ep_modify.R26 OBJ.13 EPTABLE.modify_pz.U
TEST_F(DatEpModify, ThePzChanges) {
  Pz next = create_pz(ia);
  param.pz_handle = next;
  EXPECT_DAT_OK(modify(DAT_EP_FIELD_PZ_HANDLE));
  EXPECT_EQ(now().pz_handle, next);
  EXPECT_DAT_OK(dat_pz_free(side->pz().release())) << "the old one is free";
  EXPECT_DAT_ERROR(dat_pz_free(next), DAT_INVALID_STATE, DAT_INVALID_STATE_PZ_IN_USE);
  side->ep().free();
}

// Rules: dat_ep_modify.R13 EPTABLE.modify_evd.U
TEST_F(DatEpModify, TheEvdsChange) {
  Evd recv = create_evd(ia, DAT_EVD_DTO_FLAG);
  Evd request = create_evd(ia, kRequestStreams);
  Evd connect = create_evd(ia, DAT_EVD_CONNECTION_FLAG);
  param.recv_evd_handle = recv;
  param.request_evd_handle = request;
  param.connect_evd_handle = connect;
  EXPECT_DAT_OK(modify(DAT_EP_FIELD_RECV_EVD_HANDLE | DAT_EP_FIELD_REQUEST_EVD_HANDLE |
                       DAT_EP_FIELD_CONNECT_EVD_HANDLE));
  EXPECT_EQ(now().recv_evd_handle, recv);
  EXPECT_EQ(now().request_evd_handle, request);
  EXPECT_EQ(now().connect_evd_handle, connect);
  EXPECT_DAT_ERROR(dat_evd_free(recv), DAT_INVALID_STATE, DAT_INVALID_STATE_EVD_IN_USE);
  side->ep().free();
}

TEST_F(DatEpModify, R14EvdsMayBeNull) {
  param.recv_evd_handle = DAT_HANDLE_NULL;
  param.request_evd_handle = DAT_HANDLE_NULL;
  param.connect_evd_handle = DAT_HANDLE_NULL;
  EXPECT_DAT_OK(modify(DAT_EP_FIELD_RECV_EVD_HANDLE | DAT_EP_FIELD_REQUEST_EVD_HANDLE |
                       DAT_EP_FIELD_CONNECT_EVD_HANDLE));
  EXPECT_EQ(now().recv_evd_handle, DAT_HANDLE_NULL);
  EXPECT_EQ(now().request_evd_handle, DAT_HANDLE_NULL);
  EXPECT_EQ(now().connect_evd_handle, DAT_HANDLE_NULL);
}

TEST_F(DatEpModify, R15BadHandlesInside) {
  const Cno cno = create_cno(ia);
  param.pz_handle = cno;
  EXPECT_DAT_TYPE(modify(DAT_EP_FIELD_PZ_HANDLE), DAT_INVALID_PARAMETER);
  param.recv_evd_handle = cno;
  EXPECT_DAT_TYPE(modify(DAT_EP_FIELD_RECV_EVD_HANDLE), DAT_INVALID_PARAMETER);
  param.request_evd_handle = cno;
  EXPECT_DAT_TYPE(modify(DAT_EP_FIELD_REQUEST_EVD_HANDLE), DAT_INVALID_PARAMETER);
  param.connect_evd_handle = cno;
  EXPECT_DAT_TYPE(modify(DAT_EP_FIELD_CONNECT_EVD_HANDLE), DAT_INVALID_PARAMETER);
}

TEST_F(DatEpModify, R16EvdsWithoutTheFlag) {
  param.recv_evd_handle = side->connect_evd();
  EXPECT_DAT_TYPE(modify(DAT_EP_FIELD_RECV_EVD_HANDLE), DAT_INVALID_PARAMETER);
  param.request_evd_handle = side->connect_evd();
  EXPECT_DAT_TYPE(modify(DAT_EP_FIELD_REQUEST_EVD_HANDLE), DAT_INVALID_PARAMETER);
  param.connect_evd_handle = side->recv_evd();
  EXPECT_DAT_TYPE(modify(DAT_EP_FIELD_CONNECT_EVD_HANDLE), DAT_INVALID_PARAMETER);
}

TEST_F(DatEpModify, R17CountsChange) {
  const struct {
    DAT_EP_PARAM_MASK mask;
    DAT_COUNT DAT_EP_ATTR::*member;
    DAT_COUNT value;
  } counts[] = {
      {DAT_EP_FIELD_EP_ATTR_MAX_RECV_DTOS, &DAT_EP_ATTR::max_recv_dtos, 11},
      {DAT_EP_FIELD_EP_ATTR_MAX_REQUEST_DTOS, &DAT_EP_ATTR::max_request_dtos, 12},
      {DAT_EP_FIELD_EP_ATTR_MAX_RECV_IOV, &DAT_EP_ATTR::max_recv_iov, 2},
      {DAT_EP_FIELD_EP_ATTR_MAX_REQUEST_IOV, &DAT_EP_ATTR::max_request_iov, 3},
      {DAT_EP_FIELD_EP_ATTR_MAX_RDMA_READ_IN, &DAT_EP_ATTR::max_rdma_read_in, 1},
      {DAT_EP_FIELD_EP_ATTR_MAX_RDMA_READ_OUT, &DAT_EP_ATTR::max_rdma_read_out, 2},
      {DAT_EP_FIELD_EP_ATTR_SRQ_SOFT_HW, &DAT_EP_ATTR::srq_soft_hw, 9},
      {DAT_EP_FIELD_EP_ATTR_MAX_RDMA_READ_IOV, &DAT_EP_ATTR::max_rdma_read_iov, 1},
      {DAT_EP_FIELD_EP_ATTR_MAX_RDMA_WRITE_IOV, &DAT_EP_ATTR::max_rdma_write_iov, 2},
  };
  for (const auto& count : counts) {
    param.ep_attr.*count.member = count.value;
    EXPECT_DAT_OK(modify(count.mask)) << std::hex << count.mask;
    EXPECT_EQ(now().ep_attr.*count.member, count.value) << std::hex << count.mask;
  }
}

// Rules: dat_ep_modify.R17
TEST_F(DatEpModify, SizesAndFlagsChange) {
  param.ep_attr.max_message_size = 1000;
  param.ep_attr.max_rdma_size = 2000;
  param.ep_attr.recv_completion_flags = DAT_COMPLETION_SOLICITED_WAIT_FLAG;
  param.ep_attr.request_completion_flags = DAT_COMPLETION_UNSIGNALLED_FLAG;
  EXPECT_DAT_OK(modify(DAT_EP_FIELD_EP_ATTR_SERVICE_TYPE | DAT_EP_FIELD_EP_ATTR_MAX_MESSAGE_SIZE |
                       DAT_EP_FIELD_EP_ATTR_MAX_RDMA_SIZE | DAT_EP_FIELD_EP_ATTR_QOS |
                       DAT_EP_FIELD_EP_ATTR_RECV_COMPLETION_FLAGS |
                       DAT_EP_FIELD_EP_ATTR_REQUEST_COMPLETION_FLAGS));
  const DAT_EP_ATTR a = now().ep_attr;
  EXPECT_EQ(a.max_message_size, 1000U);
  EXPECT_EQ(a.max_rdma_size, 2000U);
  EXPECT_EQ(a.recv_completion_flags, DAT_COMPLETION_SOLICITED_WAIT_FLAG);
  EXPECT_EQ(a.request_completion_flags, DAT_COMPLETION_UNSIGNALLED_FLAG);
}

TEST_F(DatEpModify, R18AboveTheLimitsOfTheIa) {
  const DAT_IA_ATTR limits = ia_attributes(ia);
  param.ep_attr.max_recv_dtos = limits.max_dto_per_ep + 1;
  EXPECT_DAT_TYPE(modify(DAT_EP_FIELD_EP_ATTR_MAX_RECV_DTOS), DAT_INVALID_PARAMETER);
  param.ep_attr.max_request_iov = limits.max_iov_segments_per_dto + 1;
  EXPECT_DAT_TYPE(modify(DAT_EP_FIELD_EP_ATTR_MAX_REQUEST_IOV), DAT_INVALID_PARAMETER);
  param.ep_attr.max_rdma_read_in = limits.max_rdma_read_per_ep_in + 1;
  EXPECT_DAT_TYPE(modify(DAT_EP_FIELD_EP_ATTR_MAX_RDMA_READ_IN), DAT_INVALID_PARAMETER);
  param.ep_attr.max_rdma_write_iov = -1;
  EXPECT_DAT_TYPE(modify(DAT_EP_FIELD_EP_ATTR_MAX_RDMA_WRITE_IOV), DAT_INVALID_PARAMETER);
}

TEST_F(DatEpModify, R19AllOrNothing) {
  const Pz next = create_pz(ia);
  param.pz_handle = next;
  param.recv_evd_handle = DAT_HANDLE_NULL;
  param.ep_attr.max_recv_dtos = 5;
  param.ep_attr.max_request_dtos = -5;
  EXPECT_DAT_TYPE(modify(DAT_EP_FIELD_PZ_HANDLE | DAT_EP_FIELD_RECV_EVD_HANDLE |
                         DAT_EP_FIELD_EP_ATTR_MAX_RECV_DTOS |
                         DAT_EP_FIELD_EP_ATTR_MAX_REQUEST_DTOS),
                  DAT_INVALID_PARAMETER);
  EXPECT_EQ(now().pz_handle, side->pz());
  EXPECT_EQ(now().recv_evd_handle, side->recv_evd());
  EXPECT_EQ(now().ep_attr.max_recv_dtos, 16);
  EXPECT_EQ(now().ep_attr.max_request_dtos, 16);
}

// Rules: dat_ep_modify.R20 dat_ep_modify.R21
TEST_F(DatEpModify, WithRecvsPosted) {
  Buffer buffer = side->buffer(16);
  for (DAT_UINT64 i = 0; i < 3; ++i) EXPECT_DAT_OK(post_recv(side->ep(), {buffer.segment()}, i));
  param.ep_attr.recv_completion_flags = DAT_COMPLETION_SOLICITED_WAIT_FLAG;
  EXPECT_DAT_TYPE(modify(DAT_EP_FIELD_EP_ATTR_RECV_COMPLETION_FLAGS), DAT_INVALID_STATE);
  param.ep_attr.max_recv_dtos = 2;
  EXPECT_DAT_TYPE(modify(DAT_EP_FIELD_EP_ATTR_MAX_RECV_DTOS), DAT_INVALID_STATE);
  param.ep_attr.max_recv_dtos = 3;
  EXPECT_DAT_OK(modify(DAT_EP_FIELD_EP_ATTR_MAX_RECV_DTOS));
  EXPECT_DAT_TYPE(post_recv(side->ep(), {buffer.segment()}, 4), DAT_INSUFFICIENT_RESOURCES);
}

TEST_F(DatEpModify, R24UnknownNamedAttributes) {
  DAT_NAMED_ATTR unknown{"no such attribute", "1"};
  param.ep_attr.ep_provider_specific_count = 1;
  param.ep_attr.ep_provider_specific = &unknown;
  EXPECT_DAT_TYPE(
      modify(DAT_EP_FIELD_EP_ATTR_NUM_PROVIDER_ATTR | DAT_EP_FIELD_EP_ATTR_PROVIDER_SPECIFIC_ATTR),
      DAT_INVALID_PARAMETER);
}

// Rules: EPTABLE.modify_specific.U
TEST_F(DatEpModify, NoNamedAttributesAtAll) {
  param.ep_attr.ep_provider_specific_count = 0;
  param.ep_attr.ep_provider_specific = nullptr;
  param.ep_attr.ep_transport_specific_count = 0;
  param.ep_attr.ep_transport_specific = nullptr;
  EXPECT_DAT_OK(modify(
      DAT_EP_FIELD_EP_ATTR_NUM_PROVIDER_ATTR | DAT_EP_FIELD_EP_ATTR_PROVIDER_SPECIFIC_ATTR |
      DAT_EP_FIELD_EP_ATTR_NUM_TRANSPORT_ATTR | DAT_EP_FIELD_EP_ATTR_TRANSPORT_SPECIFIC_ATTR));
}

TEST_F(DatEpModify, R27BetterThanBestEffort) {
  param.ep_attr.qos = DAT_QOS_PREMIUM;
  EXPECT_DAT_ERROR(modify(DAT_EP_FIELD_EP_ATTR_QOS), DAT_INVALID_PARAMETER, DAT_INVALID_ARG3);
  EXPECT_EQ(now().ep_attr.qos, DAT_QOS_BEST_EFFORT);
}

} // namespace
} // namespace datum::test
