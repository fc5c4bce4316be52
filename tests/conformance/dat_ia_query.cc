// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// dat_ia_query(3DAT): the attributes of an adapter and its provider.
#include <cstring>
#include <string>

#include "each_kind.h"
#include "fixture.h"

namespace datum::test {
namespace {

using DatIaQuery = Conformance;

constexpr DAT_IA_ATTR_MASK kBeyondIaFields = DAT_IA_FIELD_ALL + 1;
constexpr DAT_PROVIDER_ATTR_MASK kBeyondProviderFields = DAT_PROVIDER_FIELD_ALL + 1;

// Rules: dat_ia_query.R1 dat_ia_query.R2 dat_ia_query.R3
TEST_F(DatIaQuery, BadHandles) {
  expect_handle_checks(ia, DAT_HANDLE_TYPE_IA, [](DAT_HANDLE handle) {
    return dat_ia_query(handle, nullptr, 0, nullptr, 0, nullptr);
  });
}

TEST_F(DatIaQuery, R4TheAsyncEvdOfTheOpen) {
  Ia opened;
  DAT_EVD_HANDLE async_evd = DAT_HANDLE_NULL;
  ASSERT_DAT_OK(dat_ia_open(const_cast<char*>(ia_name().c_str()), 8, &async_evd, opened.out()));
  DAT_EVD_HANDLE queried = DAT_HANDLE_NULL;
  EXPECT_DAT_OK(dat_ia_query(opened, &queried, 0, nullptr, 0, nullptr));
  EXPECT_EQ(queried, async_evd);
}

// Rules: dat_ia_query.R5 dat_ia_query.R8
TEST_F(DatIaQuery, NothingAskedNothingNeeded) {
  EXPECT_DAT_OK(dat_ia_query(ia, nullptr, 0, nullptr, 0, nullptr));
}

TEST_F(DatIaQuery, R6IaMaskWithoutStruct) {
  EXPECT_DAT_ERROR(dat_ia_query(ia, nullptr, DAT_IA_FIELD_IA_MAX_EPS, nullptr, 0, nullptr),
                   DAT_INVALID_PARAMETER, DAT_INVALID_ARG4);
}

TEST_F(DatIaQuery, R7ProviderMaskWithoutStruct) {
  EXPECT_DAT_ERROR(
      dat_ia_query(ia, nullptr, 0, nullptr, DAT_PROVIDER_FIELD_IS_THREAD_SAFE, nullptr),
      DAT_INVALID_PARAMETER, DAT_INVALID_ARG6);
}

TEST_F(DatIaQuery, R9UnknownIaMaskBit) {
  DAT_IA_ATTR attributes{};
  EXPECT_DAT_ERROR(dat_ia_query(ia, nullptr, kBeyondIaFields, &attributes, 0, nullptr),
                   DAT_INVALID_PARAMETER, DAT_INVALID_ARG3);
}

TEST_F(DatIaQuery, R10UnknownProviderMaskBit) {
  DAT_PROVIDER_ATTR attributes{};
  EXPECT_DAT_ERROR(dat_ia_query(ia, nullptr, 0, nullptr, kBeyondProviderFields, &attributes),
                   DAT_INVALID_PARAMETER, DAT_INVALID_ARG5);
}

TEST_F(DatIaQuery, R11BothMasksAtOnce) {
  DAT_IA_ATTR ia_attr;
  DAT_PROVIDER_ATTR provider_attr;
  std::memset(&ia_attr, 0xa5, sizeof ia_attr);
  std::memset(&provider_attr, 0xa5, sizeof provider_attr);
  ASSERT_DAT_OK(dat_ia_query(ia, nullptr, DAT_IA_FIELD_ALL, &ia_attr, DAT_PROVIDER_FIELD_ALL,
                             &provider_attr));
  EXPECT_EQ(ia_attr.num_vendor_attr < 0, false);
  EXPECT_EQ(provider_attr.num_provider_specific_attr < 0, false);
}

TEST_F(DatIaQuery, R12AdapterName) {
  EXPECT_EQ(std::string(ia_attributes(ia).adapter_name), ia_name());
}

TEST_F(DatIaQuery, R13VendorAndProviderName) {
  const DAT_IA_ATTR ia_attr = ia_attributes(ia);
  const DAT_PROVIDER_ATTR provider_attr = provider_attributes(ia);
  EXPECT_GT(strnlen(ia_attr.vendor_name, DAT_NAME_MAX_LENGTH), 0U);
  EXPECT_LT(strnlen(ia_attr.vendor_name, DAT_NAME_MAX_LENGTH), 256U);
  EXPECT_GT(strnlen(provider_attr.provider_name, DAT_NAME_MAX_LENGTH), 0U);
  EXPECT_LT(strnlen(provider_attr.provider_name, DAT_NAME_MAX_LENGTH), 256U);
}

// Rules: dat_ia_query.R14 CONV.20
TEST_F(DatIaQuery, TheAddressIsIpv4OrIpv6) {
  const DAT_IA_ADDRESS_PTR address = ia_attributes(ia).ia_address_ptr;
  ASSERT_NE(address, nullptr);
  EXPECT_TRUE(address->sa_family == AF_INET || address->sa_family == AF_INET6)
      << address->sa_family;
}

// Rules: dat_ia_query.R15 dat_ia_query.R16
TEST_F(DatIaQuery, MaximaArePositive) {
  const DAT_IA_ATTR a = ia_attributes(ia);
  EXPECT_GT(a.max_eps, 0);
  EXPECT_GT(a.max_dto_per_ep, 0);
  EXPECT_GT(a.max_rdma_read_per_ep_in, 0);
  EXPECT_GT(a.max_rdma_read_per_ep_out, 0);
  EXPECT_GT(a.max_evds, 0);
  EXPECT_GT(a.max_evd_qlen, 0);
  EXPECT_GT(a.max_iov_segments_per_dto, 0);
  EXPECT_GT(a.max_lmrs, 0);
  EXPECT_GT(a.max_lmr_block_size, 0U);
  EXPECT_GT(a.max_lmr_virtual_address, 0U);
  EXPECT_GT(a.max_pzs, 0);
  EXPECT_GT(a.max_message_size, 0U);
  EXPECT_GT(a.max_rdma_size, 0U);
  EXPECT_GT(a.max_rmrs, 0);
  EXPECT_GT(a.max_rmr_target_address, 0U);
  EXPECT_GT(a.max_srqs, 0);
  EXPECT_GT(a.max_ep_per_srq, 0);
  EXPECT_GT(a.max_recv_per_srq, 0);
  EXPECT_GT(a.max_iov_segments_per_rdma_read, 0);
  EXPECT_GT(a.max_iov_segments_per_rdma_write, 0);
  EXPECT_GT(a.max_rdma_read_in, 0);
  EXPECT_GT(a.max_rdma_read_out, 0);
}

TEST_F(DatIaQuery, R17PerEpReadsFitTheTotals) {
  const DAT_IA_ATTR a = ia_attributes(ia);
  EXPECT_LE(a.max_rdma_read_per_ep_in, a.max_rdma_read_in);
  EXPECT_LE(a.max_rdma_read_per_ep_out, a.max_rdma_read_out);
  if (a.max_rdma_read_per_ep_in_guaranteed == DAT_TRUE) {
    EXPECT_GE(a.max_rdma_read_in / a.max_rdma_read_per_ep_in, a.max_eps);
  }
  if (a.max_rdma_read_per_ep_out_guaranteed == DAT_TRUE) {
    EXPECT_GE(a.max_rdma_read_out / a.max_rdma_read_per_ep_out, a.max_eps);
  }
}

TEST_F(DatIaQuery, R18ApiVersion) {
  const DAT_PROVIDER_ATTR a = provider_attributes(ia);
  EXPECT_EQ(a.dapl_version_major, kApiMajor);
  EXPECT_EQ(a.dapl_version_minor, kApiMinor);
}

TEST_F(DatIaQuery, R19MemoryTypes) {
  EXPECT_EQ(static_cast<int>(provider_attributes(ia).lmr_mem_types_supported), 3);
}

TEST_F(DatIaQuery, R20TheIovIsTheConsumers) {
  EXPECT_EQ(provider_attributes(ia).iov_ownership_on_return, DAT_IOV_CONSUMER);
}

TEST_F(DatIaQuery, R21BestEffortOnly) {
  EXPECT_EQ(static_cast<int>(provider_attributes(ia).dat_qos_supported), 0);
}

TEST_F(DatIaQuery, R22CompletionFlags) {
  EXPECT_EQ(static_cast<int>(provider_attributes(ia).completion_flags_supported) & 0x0f, 0x0f);
}

TEST_F(DatIaQuery, R23PrivateDataSize) {
  EXPECT_GE(provider_attributes(ia).max_private_data_size, 64);
}

TEST_F(DatIaQuery, R24NoMultipath) {
  EXPECT_EQ(provider_attributes(ia).supports_multipath, DAT_FALSE);
}

TEST_F(DatIaQuery, R25ProviderCreatesEpsIfAsked) {
  EXPECT_EQ(provider_attributes(ia).ep_creator, DAT_PSP_CREATES_EP_IFASKED);
}

TEST_F(DatIaQuery, R26ZonesAreUnique) {
  EXPECT_EQ(provider_attributes(ia).pz_support, DAT_PZ_UNIQUE);
}

TEST_F(DatIaQuery, R27AlignmentDivides256) {
  const DAT_UINT32 alignment = provider_attributes(ia).optimal_buffer_alignment;
  ASSERT_GT(alignment, 0U);
  EXPECT_EQ(256U % alignment, 0U) << alignment;
}

TEST_F(DatIaQuery, R28EveryMergeIsSupported) {
  const DAT_PROVIDER_ATTR a = provider_attributes(ia);
  for (int i = 0; i < 6; ++i) {
    for (int j = 0; j < 6; ++j) {
      EXPECT_EQ(a.evd_stream_merging_supported[i][j], DAT_TRUE) << i << " with " << j;
    }
  }
}

TEST_F(DatIaQuery, R29SharedReceiveQueues) {
  const DAT_PROVIDER_ATTR a = provider_attributes(ia);
  EXPECT_EQ(a.srq_supported, DAT_TRUE);
  EXPECT_EQ(a.srq_watermarks_supported, 7);
  EXPECT_EQ(a.srq_info_supported, 3);
  EXPECT_EQ(a.ep_recv_info_supported, 3);
  EXPECT_EQ(a.srq_ep_pz_difference_supported, DAT_TRUE);
}

TEST_F(DatIaQuery, R30NoSyncIsNeeded) {
  EXPECT_EQ(provider_attributes(ia).lmr_sync_req, DAT_FALSE);
}

TEST_F(DatIaQuery, R31PostsMayFailAtOnce) {
  EXPECT_EQ(provider_attributes(ia).dto_async_return_guaranteed, DAT_FALSE);
}

TEST_F(DatIaQuery, R32ReadsNeedNoRemoteWrite) {
  EXPECT_EQ(provider_attributes(ia).rdma_write_for_rdma_read_req, DAT_FALSE);
}

TEST_F(DatIaQuery, R33TwoOpensAgree) {
  const Ia second = open_ia();
  const DAT_IA_ATTR a = ia_attributes(ia);
  const DAT_IA_ATTR b = ia_attributes(second);
  EXPECT_STREQ(a.adapter_name, b.adapter_name);
  EXPECT_STREQ(a.vendor_name, b.vendor_name);
  EXPECT_EQ(a.max_eps, b.max_eps);
  EXPECT_EQ(a.max_dto_per_ep, b.max_dto_per_ep);
  EXPECT_EQ(a.max_evd_qlen, b.max_evd_qlen);
  EXPECT_EQ(a.max_message_size, b.max_message_size);
  EXPECT_EQ(a.max_rdma_size, b.max_rdma_size);
  EXPECT_EQ(a.ia_address_ptr->sa_family, b.ia_address_ptr->sa_family);
}

TEST_F(DatIaQuery, R34ThreadSafetyOfTheKey) {
  EXPECT_EQ(provider_attributes(ia).is_thread_safe, DAT_FALSE) << "the entry says nonthreadsafe";
}

void expect_readable(const DAT_NAMED_ATTR* attributes, DAT_COUNT count) {
  ASSERT_GE(count, 0);
  for (DAT_COUNT i = 0; i < count; ++i) {
    ASSERT_NE(attributes[i].name, nullptr);
    ASSERT_NE(attributes[i].value, nullptr);
    EXPECT_GT(std::strlen(attributes[i].name), 0U);
  }
}

TEST_F(DatIaQuery, R35NamedAttributesAreReadable) {
  const DAT_IA_ATTR a = ia_attributes(ia);
  const DAT_PROVIDER_ATTR p = provider_attributes(ia);
  expect_readable(a.transport_attr, a.num_transport_attr);
  expect_readable(a.vendor_attr, a.num_vendor_attr);
  expect_readable(p.provider_specific_attr, p.num_provider_specific_attr);
}

} // namespace
} // namespace datum::test
