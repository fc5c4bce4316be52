// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dat_ep_create(3DAT): handles, default and explicit attributes.
#include <functional>

#include "each_kind.h"
#include "fixture.h"

namespace datum::test {
namespace {

class DatEpCreate : public Conformance {
 protected:
  void SetUp() override {
    Conformance::SetUp();
    pz = create_pz(ia);
    recv = create_evd(ia, DAT_EVD_DTO_FLAG);
    request = create_evd(ia, DAT_EVD_DTO_FLAG);
    connect = create_evd(ia, DAT_EVD_CONNECTION_FLAG);
  }

  DAT_RETURN create(const DAT_EP_ATTR* attributes) {
    return dat_ep_create(ia, pz, recv, request, connect, attributes, ep.out());
  }

  // Creates an EP with the default attributes after `change`.
  DAT_RETURN create_with(const std::function<void(DAT_EP_ATTR&)>& change) {
    DAT_EP_ATTR attributes = default_attributes(ia);
    change(attributes);
    return create(&attributes);
  }

  void expect_bad_attribute(const char* what, const std::function<void(DAT_EP_ATTR&)>& change) {
    EXPECT_DAT_ERROR(create_with(change), DAT_INVALID_PARAMETER, DAT_INVALID_ARG6) << what;
  }

  Pz pz;
  Evd recv;
  Evd request;
  Evd connect;
  Ep ep;
};

// Rules: dat_ep_create.R1 dat_ep_create.R2 dat_ep_create.R3
TEST_F(DatEpCreate, BadHandles) {
  expect_handle_checks(ia, DAT_HANDLE_TYPE_IA, [](DAT_HANDLE handle) {
    DAT_EP_HANDLE created = DAT_HANDLE_NULL;
    return dat_ep_create(handle, DAT_HANDLE_NULL, DAT_HANDLE_NULL, DAT_HANDLE_NULL, DAT_HANDLE_NULL,
                         nullptr, &created);
  });
}

// Rules: dat_ep_create.R4 dat_ep_query.R7 dat_ep_query.R12
TEST_F(DatEpCreate, ANewEp) {
  ASSERT_DAT_OK(create(nullptr));
  const DAT_EP_PARAM param = query_ep(ep);
  EXPECT_EQ(param.ia_handle, ia);
  EXPECT_EQ(param.ep_state, DAT_EP_STATE_UNCONNECTED);
  EXPECT_EQ(param.pz_handle, pz);
  EXPECT_EQ(param.recv_evd_handle, recv);
  EXPECT_EQ(param.request_evd_handle, request);
  EXPECT_EQ(param.connect_evd_handle, connect);
  EXPECT_EQ(param.srq_handle, DAT_HANDLE_NULL);
}

// Rules: dat_ep_create.R5 dat_ep_create.R6
TEST_F(DatEpCreate, WithoutPzAndEvds) {
  const Ep bare = create_ep(ia, DAT_HANDLE_NULL, DAT_HANDLE_NULL, DAT_HANDLE_NULL, DAT_HANDLE_NULL);
  const DAT_EP_PARAM param = query_ep(bare);
  EXPECT_EQ(param.pz_handle, DAT_HANDLE_NULL);
  EXPECT_EQ(param.recv_evd_handle, DAT_HANDLE_NULL);
  EXPECT_EQ(param.request_evd_handle, DAT_HANDLE_NULL);
  EXPECT_EQ(param.connect_evd_handle, DAT_HANDLE_NULL);
}

TEST_F(DatEpCreate, R7NotAPz) {
  EXPECT_DAT_ERROR(dat_ep_create(ia, recv, recv, request, connect, nullptr, ep.out()),
                   DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_PZ);
}

// Rules: dat_ep_create.R8 dat_ep_create.R14
TEST_F(DatEpCreate, ObjectsOfAnotherInstance) {
  const Ia other = open_ia();
  const Pz other_pz = create_pz(other);
  const Evd other_evd = create_evd(other, kEveryStream);
  EXPECT_DAT_ERROR(dat_ep_create(ia, other_pz, recv, request, connect, nullptr, ep.out()),
                   DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_PZ);
  EXPECT_DAT_ERROR(dat_ep_create(ia, pz, other_evd, request, connect, nullptr, ep.out()),
                   DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_EVD_RECV);
  EXPECT_DAT_ERROR(dat_ep_create(ia, pz, recv, other_evd, connect, nullptr, ep.out()),
                   DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_EVD_REQUEST);
}

// Rules: dat_ep_create.R9 dat_ep_create.R10
TEST_F(DatEpCreate, NotARecvEvd) {
  for (const DAT_EVD_HANDLE bad : {pz.get(), connect.get()}) {
    EXPECT_DAT_ERROR(dat_ep_create(ia, pz, bad, request, connect, nullptr, ep.out()),
                     DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_EVD_RECV);
  }
}

TEST_F(DatEpCreate, R11NotARequestEvd) {
  for (const DAT_EVD_HANDLE bad : {pz.get(), connect.get()}) {
    EXPECT_DAT_ERROR(dat_ep_create(ia, pz, recv, bad, connect, nullptr, ep.out()),
                     DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_EVD_REQUEST);
  }
}

TEST_F(DatEpCreate, R12NotAConnectEvd) {
  for (const DAT_EVD_HANDLE bad : {pz.get(), recv.get()}) {
    EXPECT_DAT_ERROR(dat_ep_create(ia, pz, recv, request, bad, nullptr, ep.out()),
                     DAT_INVALID_HANDLE, DAT_INVALID_HANDLE_EVD_CONN);
  }
}

TEST_F(DatEpCreate, R13OneEvdForAll) {
  const Evd all = create_evd(ia, kEveryStream);
  const Ep shared = create_ep(ia, pz, all, all, all);
  EXPECT_EQ(query_ep(shared).connect_evd_handle, all);
}

TEST_F(DatEpCreate, R15Defaults) {
  ASSERT_DAT_OK(create(nullptr));
  const DAT_EP_ATTR a = query_ep(ep).ep_attr;
  EXPECT_EQ(a.service_type, DAT_SERVICE_TYPE_RC);
  EXPECT_EQ(a.qos, DAT_QOS_BEST_EFFORT);
  EXPECT_EQ(a.recv_completion_flags, DAT_COMPLETION_EVD_THRESHOLD_FLAG);
  EXPECT_EQ(a.request_completion_flags, DAT_COMPLETION_EVD_THRESHOLD_FLAG);
  EXPECT_EQ(a.max_recv_dtos, 16);
  EXPECT_EQ(a.max_request_dtos, 16);
  EXPECT_EQ(a.max_recv_iov, 4);
  EXPECT_EQ(a.max_request_iov, 4);
  EXPECT_EQ(a.max_rdma_read_in, 4);
  EXPECT_EQ(a.max_rdma_read_out, 4);
  EXPECT_EQ(a.srq_soft_hw, -1);
}

// Rules: dat_ep_create.R16 dat_ep_create.R17
TEST_F(DatEpCreate, DefaultSizes) {
  ASSERT_DAT_OK(create(nullptr));
  const DAT_EP_ATTR a = query_ep(ep).ep_attr;
  const DAT_IA_ATTR limits = ia_attributes(ia);
  EXPECT_EQ(a.max_message_size, limits.max_message_size);
  EXPECT_EQ(a.max_rdma_size, limits.max_rdma_size);
  EXPECT_EQ(a.max_rdma_read_iov, 4);
  EXPECT_EQ(a.max_rdma_write_iov, 4);
}

// Rules: dat_ep_create.R18 dat_ep_query.R13
TEST_F(DatEpCreate, GivenAttributesComeBack) {
  DAT_EP_ATTR given{};
  given.service_type = DAT_SERVICE_TYPE_RC;
  given.max_message_size = 5000;
  given.max_rdma_size = 6000;
  given.qos = DAT_QOS_BEST_EFFORT;
  given.recv_completion_flags = DAT_COMPLETION_SOLICITED_WAIT_FLAG;
  given.request_completion_flags = DAT_COMPLETION_UNSIGNALLED_FLAG;
  given.max_recv_dtos = 7;
  given.max_request_dtos = 9;
  given.max_recv_iov = 2;
  given.max_request_iov = 3;
  given.max_rdma_read_in = 1;
  given.max_rdma_read_out = 2;
  given.srq_soft_hw = 5;
  given.max_rdma_read_iov = 1;
  given.max_rdma_write_iov = 2;
  ASSERT_DAT_OK(create(&given));
  const DAT_EP_ATTR a = query_ep(ep).ep_attr;
  EXPECT_EQ(a.max_message_size, 5000U);
  EXPECT_EQ(a.max_rdma_size, 6000U);
  EXPECT_EQ(a.recv_completion_flags, DAT_COMPLETION_SOLICITED_WAIT_FLAG);
  EXPECT_EQ(a.request_completion_flags, DAT_COMPLETION_UNSIGNALLED_FLAG);
  EXPECT_EQ(a.max_recv_dtos, 7);
  EXPECT_EQ(a.max_request_dtos, 9);
  EXPECT_EQ(a.max_recv_iov, 2);
  EXPECT_EQ(a.max_request_iov, 3);
  EXPECT_EQ(a.max_rdma_read_in, 1);
  EXPECT_EQ(a.max_rdma_read_out, 2);
  EXPECT_EQ(a.srq_soft_hw, 5);
  EXPECT_EQ(a.max_rdma_read_iov, 1);
  EXPECT_EQ(a.max_rdma_write_iov, 2);
}

// Rules: dat_ep_create.R19 dat_ep_create.R20 dat_ep_create.R21 dat_ep_create.R22
// Rules: dat_ep_create.R23 dat_ep_create.R24 dat_ep_create.R25 dat_ep_create.R26
// Rules: dat_ep_create.R27
TEST_F(DatEpCreate, AboveTheLimitsOfTheIa) {
  const DAT_IA_ATTR limits = ia_attributes(ia);
  if (limits.max_message_size != ~SegmentLength{0}) {
    expect_bad_attribute("max_message_size",
                         [&](DAT_EP_ATTR& a) { a.max_message_size = limits.max_message_size + 1; });
  }
  if (limits.max_rdma_size != ~SegmentLength{0}) {
    expect_bad_attribute("max_rdma_size",
                         [&](DAT_EP_ATTR& a) { a.max_rdma_size = limits.max_rdma_size + 1; });
  }
  const struct {
    const char* name;
    DAT_COUNT DAT_EP_ATTR::*member;
    DAT_COUNT limit;
  } counts[] = {
      {"max_recv_dtos", &DAT_EP_ATTR::max_recv_dtos, limits.max_dto_per_ep},
      {"max_request_dtos", &DAT_EP_ATTR::max_request_dtos, limits.max_dto_per_ep},
      {"max_recv_iov", &DAT_EP_ATTR::max_recv_iov, limits.max_iov_segments_per_dto},
      {"max_request_iov", &DAT_EP_ATTR::max_request_iov, limits.max_iov_segments_per_dto},
      {"max_rdma_read_in", &DAT_EP_ATTR::max_rdma_read_in, limits.max_rdma_read_per_ep_in},
      {"max_rdma_read_out", &DAT_EP_ATTR::max_rdma_read_out, limits.max_rdma_read_per_ep_out},
      {"max_rdma_read_iov", &DAT_EP_ATTR::max_rdma_read_iov, limits.max_iov_segments_per_rdma_read},
      {"max_rdma_write_iov", &DAT_EP_ATTR::max_rdma_write_iov,
       limits.max_iov_segments_per_rdma_write},
  };
  for (const auto& count : counts) {
    expect_bad_attribute(count.name, [&](DAT_EP_ATTR& a) { a.*count.member = count.limit + 1; });
  }
}

TEST_F(DatEpCreate, R28NegativeCounts) {
  const struct {
    const char* name;
    DAT_COUNT DAT_EP_ATTR::*member;
  } counts[] = {
      {"max_recv_dtos", &DAT_EP_ATTR::max_recv_dtos},
      {"max_request_dtos", &DAT_EP_ATTR::max_request_dtos},
      {"max_recv_iov", &DAT_EP_ATTR::max_recv_iov},
      {"max_request_iov", &DAT_EP_ATTR::max_request_iov},
      {"max_rdma_read_in", &DAT_EP_ATTR::max_rdma_read_in},
      {"max_rdma_read_out", &DAT_EP_ATTR::max_rdma_read_out},
      {"max_rdma_read_iov", &DAT_EP_ATTR::max_rdma_read_iov},
      {"max_rdma_write_iov", &DAT_EP_ATTR::max_rdma_write_iov},
      {"ep_transport_specific_count", &DAT_EP_ATTR::ep_transport_specific_count},
      {"ep_provider_specific_count", &DAT_EP_ATTR::ep_provider_specific_count},
  };
  for (const auto& count : counts) {
    expect_bad_attribute(count.name, [&](DAT_EP_ATTR& a) { a.*count.member = -1; });
  }
}

TEST_F(DatEpCreate, R29AnotherServiceType) {
  expect_bad_attribute("service_type", [](DAT_EP_ATTR& a) {
    a.service_type = any_value<DAT_SERVICE_TYPE>(kUnknownService);
  });
}

TEST_F(DatEpCreate, R30BetterThanBestEffort) {
  for (const DAT_QOS qos :
       {DAT_QOS_HIGH_THROUGHPUT, DAT_QOS_LOW_LATENCY, DAT_QOS_ECONOMY, DAT_QOS_PREMIUM}) {
    EXPECT_DAT_TYPE(create_with([&](DAT_EP_ATTR& a) { a.qos = qos; }), DAT_MODEL_NOT_SUPPORTED)
        << qos;
  }
}

TEST_F(DatEpCreate, R31BadRecvFlags) {
  for (const int flags : {0x01, 0x08, 0x06, 0x20}) {
    expect_bad_attribute("recv_completion_flags", [&](DAT_EP_ATTR& a) {
      a.recv_completion_flags = any_value<DAT_COMPLETION_FLAGS>(flags);
    });
  }
}

TEST_F(DatEpCreate, R32BadRequestFlags) {
  // rule_leniencies.cc tests SUPPRESS alone.
  for (const int flags : {0x02, 0x03, 0x05, 0x08, 0x11, 0x20}) {
    expect_bad_attribute("request_completion_flags", [&](DAT_EP_ATTR& a) {
      a.request_completion_flags = any_value<DAT_COMPLETION_FLAGS>(flags);
    });
  }
}

TEST_F(DatEpCreate, R33GoodRecvFlags) {
  for (const int flags : {0x00, 0x02, 0x04, 0x10}) {
    const auto given = any_value<DAT_COMPLETION_FLAGS>(flags);
    ASSERT_DAT_OK(create_with([&](DAT_EP_ATTR& a) { a.recv_completion_flags = given; })) << flags;
    EXPECT_EQ(query_ep(ep).ep_attr.recv_completion_flags, given);
    ep.free();
  }
}

TEST_F(DatEpCreate, R34GoodRequestFlags) {
  for (const int flags : {0x00, 0x04, 0x10}) {
    const auto given = any_value<DAT_COMPLETION_FLAGS>(flags);
    ASSERT_DAT_OK(create_with([&](DAT_EP_ATTR& a) { a.request_completion_flags = given; }))
        << flags;
    EXPECT_EQ(query_ep(ep).ep_attr.request_completion_flags, given);
    ep.free();
  }
}

TEST_F(DatEpCreate, R35UnknownNamedAttributes) {
  DAT_NAMED_ATTR unknown{"no such attribute", "1"};
  expect_bad_attribute("ep_provider_specific", [&](DAT_EP_ATTR& a) {
    a.ep_provider_specific_count = 1;
    a.ep_provider_specific = &unknown;
  });
  expect_bad_attribute("ep_transport_specific", [&](DAT_EP_ATTR& a) {
    a.ep_transport_specific_count = 1;
    a.ep_transport_specific = &unknown;
  });
}

TEST_F(DatEpCreate, R36NullPointer) {
  EXPECT_DAT_ERROR(dat_ep_create(ia, pz, recv, request, connect, nullptr, nullptr),
                   DAT_INVALID_PARAMETER, DAT_INVALID_ARG7);
}

TEST_F(DatEpCreate, R37RdmaSegmentsOfZero) {
  ASSERT_DAT_OK(create_with([](DAT_EP_ATTR& a) {
    a.max_request_iov = 3;
    a.max_rdma_read_iov = 0;
    a.max_rdma_write_iov = 0;
  }));
  const DAT_EP_ATTR a = query_ep(ep).ep_attr;
  EXPECT_EQ(a.max_rdma_read_iov, 3);
  EXPECT_EQ(a.max_rdma_write_iov, 3);
}

} // namespace
} // namespace datum::test
