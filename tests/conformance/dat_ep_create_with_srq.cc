// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dat_ep_create_with_srq(3DAT): handles and attributes.
#include <functional>

#include "each_kind.h"
#include "fixture.h"

namespace datum::test {
namespace {

class DatEpCreateWithSrq : public Conformance {
 protected:
  void SetUp() override {
    Conformance::SetUp();
    pz = create_pz(ia);
    recv = create_evd(ia, DAT_EVD_DTO_FLAG);
    request = create_evd(ia, DAT_EVD_DTO_FLAG);
    connect = create_evd(ia, DAT_EVD_CONNECTION_FLAG);
    srq = create_srq(ia, pz);
    attributes = default_attributes(ia);
  }

  DAT_RETURN create() { return create_on(srq); }
  DAT_RETURN create_on(DAT_SRQ_HANDLE on) {
    return dat_ep_create_with_srq(ia, pz, recv, request, connect, on, &attributes, ep.out());
  }
  DAT_RETURN create_from(DAT_PZ_HANDLE zone, DAT_EVD_HANDLE r, DAT_EVD_HANDLE q, DAT_EVD_HANDLE c) {
    return dat_ep_create_with_srq(ia, zone, r, q, c, srq, &attributes, ep.out());
  }
  void expect_bad_attribute(const std::function<void(DAT_EP_ATTR&)>& change) {
    const DAT_EP_ATTR good = attributes;
    change(attributes);
    EXPECT_DAT_ERROR(create(), DAT_INVALID_PARAMETER, DAT_INVALID_ARG7);
    attributes = good;
  }

  Pz pz;
  Evd recv;
  Evd request;
  Evd connect;
  Srq srq;
  Ep ep;
  DAT_EP_ATTR attributes{};
};

// Rules: dat_ep_create_with_srq.R1 dat_ep_create_with_srq.R2 dat_ep_create_with_srq.R3
TEST_F(DatEpCreateWithSrq, BadHandles) {
  expect_handle_checks(ia, DAT_HANDLE_TYPE_IA, [&](DAT_HANDLE handle) {
    return dat_ep_create_with_srq(handle, pz, recv, request, connect, srq, &attributes, ep.out());
  });
}

TEST_F(DatEpCreateWithSrq, R4TheEpShowsItsSrq) {
  ASSERT_DAT_OK(create());
  const DAT_EP_PARAM param = query_ep(ep);
  EXPECT_EQ(param.srq_handle, srq);
  EXPECT_EQ(param.ep_state, DAT_EP_STATE_UNCONNECTED);
  EXPECT_EQ(param.pz_handle, pz);
  EXPECT_EQ(param.recv_evd_handle, recv);
  EXPECT_EQ(param.request_evd_handle, request);
  EXPECT_EQ(param.connect_evd_handle, connect);
}

TEST_F(DatEpCreateWithSrq, R6BadSrqs) {
  expect_handle_checks(ia, DAT_HANDLE_TYPE_SRQ,
                       [&](DAT_HANDLE handle) { return create_on(handle); });
}

TEST_F(DatEpCreateWithSrq, R7AnSrqOfAnotherInstance) {
  const Ia other = open_ia();
  const Pz other_pz = create_pz(other);
  const Srq other_srq = create_srq(other, other_pz);
  EXPECT_DAT_ERROR(create_on(other_srq), DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_SRQ);
}

// Rules: dat_ep_create_with_srq.R9 dat_ep_create_with_srq.R11
TEST_F(DatEpCreateWithSrq, TheAttributesComeBack) {
  attributes.max_message_size = 12345;
  attributes.max_rdma_size = 54321;
  attributes.recv_completion_flags = DAT_COMPLETION_SOLICITED_WAIT_FLAG;
  attributes.request_completion_flags = DAT_COMPLETION_UNSIGNALLED_FLAG;
  attributes.max_recv_dtos = 3;
  attributes.max_request_dtos = 5;
  attributes.max_request_iov = 2;
  attributes.max_rdma_read_in = 1;
  attributes.max_rdma_read_out = 2;
  attributes.srq_soft_hw = 9;
  attributes.max_rdma_read_iov = 3;
  attributes.max_rdma_write_iov = 1;
  ASSERT_DAT_OK(create());
  const DAT_EP_ATTR a = query_ep(ep).ep_attr;
  EXPECT_EQ(a.service_type, DAT_SERVICE_TYPE_RC);
  EXPECT_EQ(a.qos, DAT_QOS_BEST_EFFORT);
  EXPECT_EQ(a.max_message_size, 12345U);
  EXPECT_EQ(a.max_rdma_size, 54321U);
  EXPECT_EQ(a.recv_completion_flags, DAT_COMPLETION_SOLICITED_WAIT_FLAG);
  EXPECT_EQ(a.request_completion_flags, DAT_COMPLETION_UNSIGNALLED_FLAG);
  EXPECT_EQ(a.max_recv_dtos, 3);
  EXPECT_GE(a.max_request_dtos, 5);
  EXPECT_GE(a.max_request_iov, 2);
  EXPECT_EQ(a.max_rdma_read_in, 1);
  EXPECT_EQ(a.max_rdma_read_out, 2);
  EXPECT_EQ(a.srq_soft_hw, 9);
  EXPECT_EQ(a.max_rdma_read_iov, 3);
  EXPECT_EQ(a.max_rdma_write_iov, 1);
}

TEST_F(DatEpCreateWithSrq, R10RecvSegmentsAreIgnored) {
  const DAT_IA_ATTR limits = ia_attributes(ia);
  for (const DAT_COUNT any : {-1, 0, limits.max_iov_segments_per_dto + 1}) {
    attributes.max_recv_iov = any;
    EXPECT_DAT_OK(create()) << any;
    DAT_EP_PARAM param{};
    param.ep_attr.max_request_dtos = 7;
    EXPECT_DAT_OK(dat_ep_modify(ep, DAT_EP_FIELD_EP_ATTR_MAX_REQUEST_DTOS, &param)) << any;
    ep.free();
  }
}

TEST_F(DatEpCreateWithSrq, R12TheEpHoldsTheSrq) {
  ASSERT_DAT_OK(create());
  EXPECT_DAT_ERROR(dat_srq_free(srq), DAT_INVALID_STATE, DAT_INVALID_STATE_SRQ_IN_USE);
  ep.free();
  EXPECT_DAT_OK(dat_srq_free(srq.release()));
}

TEST_F(DatEpCreateWithSrq, R14NullPointer) {
  EXPECT_DAT_ERROR(
      dat_ep_create_with_srq(ia, pz, recv, request, connect, srq, &attributes, nullptr),
      DAT_INVALID_PARAMETER, DAT_INVALID_ARG8);
}

// Rules: dat_ep_create_with_srq.R15
TEST_F(DatEpCreateWithSrq, PzAndEvdsAreChecked) {
  EXPECT_DAT_ERROR(create_from(recv, recv, request, connect), DAT_INVALID_HANDLE,
                   DAT_INVALID_HANDLE_PZ);
  for (const DAT_EVD_HANDLE bad : {pz.get(), connect.get()}) {
    EXPECT_DAT_ERROR(create_from(pz, bad, request, connect), DAT_INVALID_HANDLE,
                     DAT_INVALID_HANDLE_EVD_RECV);
    EXPECT_DAT_ERROR(create_from(pz, recv, bad, connect), DAT_INVALID_HANDLE,
                     DAT_INVALID_HANDLE_EVD_REQUEST);
  }
  EXPECT_DAT_ERROR(create_from(pz, recv, request, recv), DAT_INVALID_HANDLE,
                   DAT_INVALID_HANDLE_EVD_CONN);
  EXPECT_DAT_OK(create_from(DAT_HANDLE_NULL, DAT_HANDLE_NULL, DAT_HANDLE_NULL, DAT_HANDLE_NULL));
}

// Rules: dat_ep_create_with_srq.R15
TEST_F(DatEpCreateWithSrq, AttributesAreChecked) {
  const DAT_IA_ATTR limits = ia_attributes(ia);
  expect_bad_attribute([](DAT_EP_ATTR& a) { a.max_request_dtos = -1; });
  expect_bad_attribute([&](DAT_EP_ATTR& a) { a.max_request_dtos = limits.max_dto_per_ep + 1; });
  expect_bad_attribute(
      [&](DAT_EP_ATTR& a) { a.max_request_iov = limits.max_iov_segments_per_dto + 1; });
  if (limits.max_message_size != ~SegmentLength{0})
    expect_bad_attribute([&](DAT_EP_ATTR& a) { a.max_message_size = limits.max_message_size + 1; });
  if (limits.max_rdma_size != ~SegmentLength{0})
    expect_bad_attribute([&](DAT_EP_ATTR& a) { a.max_rdma_size = limits.max_rdma_size + 1; });
  expect_bad_attribute(
      [](DAT_EP_ATTR& a) { a.recv_completion_flags = DAT_COMPLETION_SUPPRESS_FLAG; });
  expect_bad_attribute([](DAT_EP_ATTR& a) { a.srq_soft_hw = -2; });
  attributes.qos = DAT_QOS_PREMIUM;
  EXPECT_DAT_TYPE(create(), DAT_MODEL_NOT_SUPPORTED);
}

} // namespace
} // namespace datum::test
