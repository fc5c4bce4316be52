// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// facade/attributes.h: attributes of IAs, providers and EPs, and parameters of LMRs, as DAT
// structs. v1/attributes.cc and v2/attributes.cc include it, each with the structs of its version.
// Lives here: the fields that both versions have. Those files fill in the other fields.
#pragma once

#include <algorithm>
#include <iterator>
#include <limits>
#include <string_view>

#include "base/refusal.h"
#include "core/endpoint/endpoint.h"
#include "facade/address.h"
#include "facade/ia_control.h"
#include "facade/named_attributes.h"

// libdat exports this function for providers, but no public header declares it.
extern "C" DAT_RETURN dats_get_ia_handle(DAT_IA_HANDLE object, DAT_IA_HANDLE* handle);

namespace datum {
namespace attributes {

inline constexpr std::string_view kVendor = "Datum";
inline constexpr DAT_UINT32 kVersionMajor = DATUM_VERSION_MAJOR;
inline constexpr DAT_UINT32 kVersionMinor = DATUM_VERSION_MINOR;
inline constexpr DAT_UINT32 kBufferAlignment = 64;

// The name ends with a null, and the rest is zero.
inline void copy_name(std::string_view name, char (&to)[DAT_NAME_MAX_LENGTH]) {
  const std::size_t length = std::min<std::size_t>(name.size(), DAT_NAME_MAX_LENGTH - 1);
  std::fill(std::copy_n(name.data(), length, to), std::end(to), '\0');
}

static_assert(sizeof(NamedAttribute) == sizeof(DAT_NAMED_ATTR));
static_assert(offsetof(NamedAttribute, value) == offsetof(DAT_NAMED_ATTR, value));
inline DAT_NAMED_ATTR* named(std::span<const NamedAttribute> attributes) {
  // The manual forbids consumers to write through this pointer (dat_ia_query, dat_ep_query).
  return reinterpret_cast<DAT_NAMED_ATTR*>(const_cast<NamedAttribute*>(attributes.data()));
}

// A consumer may pass named attributes that it got from a query. They change nothing, and are no
// mistake.
inline bool are_reported_by_datum(DAT_COUNT count, const DAT_NAMED_ATTR* attributes) {
  if (count != 0 && (count < 0 || attributes == nullptr)) return false;
  return std::all_of(attributes, attributes + count, [](const DAT_NAMED_ATTR& attribute) {
    return attribute.name != nullptr && Endpoint::is_named_attribute(attribute.name);
  });
}

inline DAT_BOOLEAN boolean(bool value) {
  return value ? DAT_TRUE : DAT_FALSE;
}

// Some versions have fields of 32 bits for numbers that the core counts with 64.
template <class T>
void assign_capped(T& to, std::uint64_t value) {
  to = static_cast<T>(std::min<std::uint64_t>(value, std::numeric_limits<T>::max()));
}

inline DAT_IA_HANDLE consumer_ia(Token ia) {
  DAT_IA_HANDLE handle = DAT_HANDLE_NULL;
  // This call fails if the program opened the IA through the provider's function table, without
  // libdat. Then the program knows the IA by `ia`.
  return ::dats_get_ia_handle(ia, &handle) == DAT_SUCCESS ? handle : ia;
}

inline void describe(IaControl& ia, DAT_IA_ATTR& to) {
  const Limits& limits = ia.adapter().limits();
  copy_name(ia.registration().ia_name, to.adapter_name);
  copy_name(kVendor, to.vendor_name);
  to.hardware_version_major = 0;
  to.hardware_version_minor = 0;
  to.firmware_version_major = kVersionMajor;
  to.firmware_version_minor = kVersionMinor;
  to.ia_address_ptr = to_sockaddr(ia.adapter().transport().address());
  to.max_eps = limits.max_eps;
  to.max_dto_per_ep = limits.max_dto_per_ep;
  to.max_rdma_read_per_ep_in = limits.max_read_in_per_ep;
  to.max_rdma_read_per_ep_out = limits.max_read_out_per_ep;
  to.max_evds = limits.max_evds;
  to.max_evd_qlen = limits.max_evd_qlen;
  to.max_iov_segments_per_dto = limits.max_iov;
  to.max_lmrs = limits.max_lmrs;
  assign_capped(to.max_lmr_block_size, limits.max_lmr_size);
  to.max_lmr_virtual_address = ~DAT_VADDR{0};
  to.max_pzs = limits.max_pzs;
  assign_capped(to.max_message_size, limits.max_message_size);
  assign_capped(to.max_rdma_size, limits.max_rdma_size);
  to.max_rmrs = limits.max_rmrs;
  to.max_rmr_target_address = ~DAT_VADDR{0};
  to.max_srqs = limits.max_srqs;
  to.max_ep_per_srq = limits.max_ep_per_srq;
  to.max_recv_per_srq = limits.max_recv_per_srq;
  to.max_iov_segments_per_rdma_read = limits.max_iov;
  to.max_iov_segments_per_rdma_write = limits.max_iov;
  to.max_rdma_read_in = limits.max_read_in;
  to.max_rdma_read_out = limits.max_read_out;
  to.max_rdma_read_per_ep_in_guaranteed = DAT_TRUE;
  to.max_rdma_read_per_ep_out_guaranteed = DAT_TRUE;
  to.num_transport_attr = static_cast<DAT_COUNT>(ia.attributes().size());
  to.transport_attr = named(ia.attributes());
  to.num_vendor_attr = 0;
  to.vendor_attr = nullptr;
}

inline void describe(IaControl& ia, DAT_PROVIDER_ATTR& to) {
  const Registration& registration = ia.registration();
  copy_name(runtime_factory().provider_name(), to.provider_name);
  to.provider_version_major = kVersionMajor;
  to.provider_version_minor = kVersionMinor;
  // libdat finds its entry again by the version and thread safety reported here.
  to.dapl_version_major = registration.api_major;
  to.dapl_version_minor = registration.api_minor;
  to.is_thread_safe = boolean(registration.thread_safe);
  to.iov_ownership_on_return = DAT_IOV_CONSUMER;
  to.dat_qos_supported = DAT_QOS_BEST_EFFORT;
  constexpr CompletionFlags kSupported =
      kSuppress | kSolicitedWait | kUnsignalled | kBarrierFence | kEvdThreshold;
  to.completion_flags_supported = static_cast<DAT_COMPLETION_FLAGS>(kSupported);
  to.max_private_data_size = ia.adapter().limits().max_private_data;
  to.supports_multipath = DAT_FALSE;
  to.ep_creator = DAT_PSP_CREATES_EP_IFASKED;
  to.pz_support = DAT_PZ_UNIQUE;
  to.optimal_buffer_alignment = kBufferAlignment;
  for (auto& row : to.evd_stream_merging_supported)
    std::fill(std::begin(row), std::end(row), DAT_TRUE);
  to.srq_supported = DAT_TRUE;
  to.srq_watermarks_supported = 7;
  to.srq_ep_pz_difference_supported = DAT_TRUE;
  to.srq_info_supported = 3;
  to.ep_recv_info_supported = 3;
  to.lmr_sync_req = DAT_FALSE;
  to.dto_async_return_guaranteed = DAT_FALSE;
  to.rdma_write_for_rdma_read_req = DAT_FALSE;
}

// A failure names argument `position`. Values are not compared with limits here.
inline Status read(const DAT_EP_ATTR& from, Detail position, EndpointAttributes& to) {
  // Programs that leave sizes at zero mean the IA's maximum.
  constexpr std::uint64_t kMost = 0xffffffff;
  to.max_message_size = from.max_message_size == 0 ? kMost : from.max_message_size;
  to.max_rdma_size = from.max_rdma_size == 0 ? kMost : from.max_rdma_size;
  to.rdma_bound = to.max_rdma_size;
  to.qos = from.qos;
  to.recv_completion_flags = from.recv_completion_flags;
  to.request_completion_flags = from.request_completion_flags;
  to.max_recv_dtos = from.max_recv_dtos;
  to.max_request_dtos = from.max_request_dtos;
  to.max_recv_iov = from.max_recv_iov;
  to.max_request_iov = from.max_request_iov;
  to.max_rdma_read_in = from.max_rdma_read_in;
  to.max_rdma_read_out = from.max_rdma_read_out;
  to.reads_out_chosen = true;
  // Programs written for DAT 1.1 leave newer fields at zero. That means no watermark, and as many
  // segments for RDMA Reads and Writes as max_request_iov.
  to.srq_soft_hw = from.srq_soft_hw == 0 ? kWatermarkInfinite : from.srq_soft_hw;
  to.max_rdma_read_iov =
      from.max_rdma_read_iov == 0 ? from.max_request_iov : from.max_rdma_read_iov;
  to.max_rdma_write_iov =
      from.max_rdma_write_iov == 0 ? from.max_request_iov : from.max_rdma_write_iov;
  if (from.service_type != DAT_SERVICE_TYPE_RC)
    note_bits("service_type", static_cast<std::uint64_t>(from.service_type),
              "DAT_SERVICE_TYPE_RC 0x0", "dat_ep_create.R29");
  else if (from.ep_transport_specific_count != 0)
    note_cause("ep_transport_specific_count", from.ep_transport_specific_count, "0",
               "dat_ep_create.R35");
  else if (!are_reported_by_datum(from.ep_provider_specific_count, from.ep_provider_specific))
    note_cause("ep_provider_specific_count", from.ep_provider_specific_count,
               "names that dat_ep_query reports, or 0", "dat_ep_create.R35");
  else
    return kOk;
  return {Type::InvalidParameter, position};
}

inline void describe(const EndpointAttributes& from, DAT_EP_ATTR& to) {
  to.service_type = DAT_SERVICE_TYPE_RC;
  assign_capped(to.max_message_size, from.max_message_size);
  assign_capped(to.max_rdma_size, from.max_rdma_size);
  to.qos = static_cast<DAT_QOS>(from.qos);
  to.recv_completion_flags = static_cast<DAT_COMPLETION_FLAGS>(from.recv_completion_flags);
  to.request_completion_flags = static_cast<DAT_COMPLETION_FLAGS>(from.request_completion_flags);
  to.max_recv_dtos = from.max_recv_dtos;
  to.max_request_dtos = from.max_request_dtos;
  to.max_recv_iov = from.max_recv_iov;
  to.max_request_iov = from.max_request_iov;
  to.max_rdma_read_in = from.max_rdma_read_in;
  to.max_rdma_read_out = from.max_rdma_read_out;
  to.srq_soft_hw = from.srq_soft_hw;
  to.max_rdma_read_iov = from.max_rdma_read_iov;
  to.max_rdma_write_iov = from.max_rdma_write_iov;
  to.ep_transport_specific_count = 0;
  to.ep_transport_specific = nullptr;
  to.ep_provider_specific_count = 0;
  to.ep_provider_specific = nullptr;
}

// `plain`: the mem_type to report for memory that was registered by its virtual address alone
// (MemoryType::Virtual and StronglyOrdered).
inline void describe(const RegionRequest& request, DAT_MEM_TYPE plain, DAT_LMR_PARAM& to) {
  switch (request.type) {
  case MemoryType::Region:
    to.mem_type = DAT_MEM_TYPE_LMR;
    to.region_desc.for_lmr_handle = const_cast<void*>(request.described_by);
    break;
  case MemoryType::Shared:
    to.mem_type = DAT_MEM_TYPE_SHARED_VIRTUAL;
    to.region_desc.for_shared_memory.virtual_address = reinterpret_cast<void*>(request.address);
    to.region_desc.for_shared_memory.shared_memory_id =
        reinterpret_cast<DAT_LMR_COOKIE>(const_cast<char*>(request.cookie.data()));
    break;
  case MemoryType::Virtual:
  case MemoryType::StronglyOrdered:
    to.mem_type = plain;
    to.region_desc.for_va = reinterpret_cast<void*>(request.address);
    break;
  }
}

inline void describe(std::span<const NamedAttribute> from, DAT_EP_ATTR& to) {
  to.ep_provider_specific_count = static_cast<DAT_COUNT>(from.size());
  to.ep_provider_specific = from.empty() ? nullptr : named(from);
}

} // namespace attributes
} // namespace datum
