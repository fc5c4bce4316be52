// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "info/attributes.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>

#include <fmt/format.h>

#include "common/address.h"
#include "common/dat_error.h"
#include "common/json.h"

namespace datum::info {
namespace {

using List = std::vector<Attribute>;

template <typename Number>
void number(List& list, const char* name, Number value) {
  list.push_back({name, fmt::format("{}", value), true});
}

void yes_no(List& list, const char* name, DAT_BOOLEAN value) {
  list.push_back({name, value == DAT_FALSE ? "no" : "yes", false});
}

void text(List& list, const char* name, std::string value) {
  list.push_back({name, std::move(value), false});
}

struct Flag {
  int bit;
  const char* name;
};

std::string flags(int value, std::span<const Flag> names) {
  std::string text;
  for (const Flag& flag : names)
    if ((value & flag.bit) != 0) text += (text.empty() ? "" : ", ") + std::string(flag.name);
  return text.empty() ? "none" : text;
}

// Named attributes that are numbers. The name decides, so that the type of a member of JSON does not
// depend on its value: an IA may be called "7". Another maker's value may still be a word.
bool is_number(std::string_view name, std::string_view value) {
  constexpr std::array<std::string_view, 3> kNumbers = {"shm.links", "DAT_IB_TRANSPORT_MTU",
                                                        "DAT_IB_PORT_NUMBER"};
  return std::find(kNumbers.begin(), kNumbers.end(), name) != kNumbers.end() &&
         tools::json_number(value) != tools::kJsonNull;
}

// The name gets the group as prefix, so that it cannot hide a field of the structure.
void named(List& list, const char* group, DAT_COUNT count, const DAT_NAMED_ATTR* attributes) {
  for (DAT_COUNT i = 0; attributes != nullptr && i < count; ++i)
    list.push_back({fmt::format("{}: {}", group, attributes[i].name), attributes[i].value,
                    is_number(attributes[i].name, attributes[i].value)});
}

#if DAT_VERSION_MAJOR == 2
std::string extension(DAT_EXTENSION value) {
  switch (value) {
  case DAT_EXTENSION_NONE: return "none";
  case DAT_EXTENSION_IB: return "InfiniBand";
  case DAT_EXTENSION_IW: return "iWARP";
  }
  return "unknown";
}

std::string rmr_scope(DAT_RMR_SCOPE value) {
  switch (value) {
  case DAT_RMR_SCOPE_EP: return "that of its bind only";
  case DAT_RMR_SCOPE_PZ: return "any of its protection zone";
  case DAT_RMR_SCOPE_ANY: return "any";
  }
  return "unknown";
}

std::string load_balancing(DAT_HA_LB value) {
  static constexpr Flag kWays[] = {{DAT_HA_LB_INTERCOMM, "among connections"},
                                   {DAT_HA_LB_INTRACOMM, "within one connection"}};
  return flags(static_cast<int>(value), kWays);
}
#endif

List adapter_list(const DAT_IA_ATTR& a) {
  List list;
  text(list, "adapter_name", a.adapter_name);
  text(list, "vendor_name", a.vendor_name);
  text(list, "hardware_version",
       fmt::format("{}.{}", a.hardware_version_major, a.hardware_version_minor));
  text(list, "firmware_version",
       fmt::format("{}.{}", a.firmware_version_major, a.firmware_version_minor));
  text(list, "ia_address",
       tools::address_text(reinterpret_cast<const sockaddr*>(a.ia_address_ptr)));
  number(list, "max_eps", a.max_eps);
  number(list, "max_dto_per_ep", a.max_dto_per_ep);
  number(list, "max_rdma_read_per_ep_in", a.max_rdma_read_per_ep_in);
  number(list, "max_rdma_read_per_ep_out", a.max_rdma_read_per_ep_out);
  yes_no(list, "max_rdma_read_per_ep_in_guaranteed", a.max_rdma_read_per_ep_in_guaranteed);
  yes_no(list, "max_rdma_read_per_ep_out_guaranteed", a.max_rdma_read_per_ep_out_guaranteed);
  number(list, "max_rdma_read_in", a.max_rdma_read_in);
  number(list, "max_rdma_read_out", a.max_rdma_read_out);
  number(list, "max_evds", a.max_evds);
  number(list, "max_evd_qlen", a.max_evd_qlen);
  number(list, "max_iov_segments_per_dto", a.max_iov_segments_per_dto);
  number(list, "max_iov_segments_per_rdma_read", a.max_iov_segments_per_rdma_read);
  number(list, "max_iov_segments_per_rdma_write", a.max_iov_segments_per_rdma_write);
  number(list, "max_message_size", a.max_message_size);
  number(list, "max_rdma_size", a.max_rdma_size);
  number(list, "max_lmrs", a.max_lmrs);
  number(list, "max_lmr_block_size", a.max_lmr_block_size);
  text(list, "max_lmr_virtual_address", fmt::format("{:#x}", a.max_lmr_virtual_address));
  number(list, "max_rmrs", a.max_rmrs);
  text(list, "max_rmr_target_address", fmt::format("{:#x}", a.max_rmr_target_address));
  number(list, "max_pzs", a.max_pzs);
  number(list, "max_srqs", a.max_srqs);
  number(list, "max_ep_per_srq", a.max_ep_per_srq);
  number(list, "max_recv_per_srq", a.max_recv_per_srq);
#if DAT_VERSION_MAJOR == 2
  yes_no(list, "zb_supported", a.zb_supported);
  text(list, "extension_supported", extension(a.extension_supported));
  number(list, "extension_version", a.extension_version);
#endif
  named(list, "transport", a.num_transport_attr, a.transport_attr);
  named(list, "vendor", a.num_vendor_attr, a.vendor_attr);
  return list;
}

std::string ownership(DAT_IOV_OWNERSHIP value) {
  switch (value) {
  case DAT_IOV_CONSUMER: return "the consumer's on return";
  case DAT_IOV_PROVIDER_NOMOD: return "the provider's until completion, not changed";
  case DAT_IOV_PROVIDER_MOD: return "the provider's until completion, may be changed";
  }
  return "unknown";
}

std::string creator(DAT_EP_CREATOR_FOR_PSP value) {
  switch (value) {
  case DAT_PSP_CREATES_EP_NEVER: return "never";
  case DAT_PSP_CREATES_EP_IFASKED: return "if asked";
  case DAT_PSP_CREATES_EP_ALWAYS: return "always";
  }
  return "unknown";
}

std::string merging(const DAT_PROVIDER_ATTR& a) {
  static constexpr const char* kStreams[] = {"software",   "CR",   "DTO",
                                             "connection", "bind", "async"};
  std::string refused;
  for (std::size_t i = 0; i < 6; ++i)
    for (std::size_t j = i + 1; j < 6; ++j)
      if (a.evd_stream_merging_supported[i][j] == DAT_FALSE)
        refused +=
            fmt::format("{}{} with {}", refused.empty() ? "" : ", ", kStreams[i], kStreams[j]);
  return refused.empty() ? "all pairs" : "all pairs but " + refused;
}

// The types are numbers, not bits, but providers combine them by OR (decision 131). VIRTUAL is
// always present. Type 3, SO_VIRTUAL, includes the types before it.
std::string memory_types(unsigned value) {
  std::string text = "virtual";
  if ((value & DAT_MEM_TYPE_LMR) != 0) text += ", LMR";
  if ((value & DAT_MEM_TYPE_SHARED_VIRTUAL) != 0) text += ", shared virtual";
#if DAT_VERSION_MAJOR == 1
  if ((value & DAT_MEM_TYPE_SO_VIRTUAL) == DAT_MEM_TYPE_SO_VIRTUAL) text += ", SO virtual";
#endif
  return text;
}

List provider_list(const DAT_PROVIDER_ATTR& a) {
  static constexpr Flag kQos[] = {
      {1, "high throughput"}, {2, "low latency"}, {4, "economy"}, {8, "premium"}};
  static constexpr Flag kCompletion[] = {{1, "suppress"},
                                         {2, "solicited wait"},
                                         {4, "unsignalled"},
                                         {8, "barrier fence"},
                                         {16, "EVD threshold"}};
  static constexpr Flag kMarks[] = {{1, "SRQ low"}, {2, "EP soft high"}, {4, "EP hard high"}};
  static constexpr Flag kSrqInfo[] = {{1, "available"}, {2, "outstanding"}};
  static constexpr Flag kRecvInfo[] = {{1, "buffers"}, {2, "span"}};
  List list;
  text(list, "provider_name", a.provider_name);
  text(list, "provider_version",
       fmt::format("{}.{}", a.provider_version_major, a.provider_version_minor));
  text(list, "dapl_version", fmt::format("{}.{}", a.dapl_version_major, a.dapl_version_minor));
  text(list, "lmr_mem_types_supported",
       memory_types(static_cast<unsigned>(a.lmr_mem_types_supported)));
  text(list, "iov_ownership", ownership(a.iov_ownership_on_return));
  text(list, "dat_qos_supported",
       "best effort" +
           (a.dat_qos_supported == 0 ? std::string() : ", " + flags(a.dat_qos_supported, kQos)));
  text(list, "completion_flags_supported", flags(a.completion_flags_supported, kCompletion));
  yes_no(list, "is_thread_safe", a.is_thread_safe);
  number(list, "max_private_data_size", a.max_private_data_size);
  yes_no(list, "supports_multipath", a.supports_multipath);
  text(list, "ep_creator_for_psp", creator(a.ep_creator));
  text(list, "pz_support", a.pz_support == DAT_PZ_UNIQUE ? "unique" : "shareable");
  number(list, "optimal_buffer_alignment", a.optimal_buffer_alignment);
  text(list, "evd_stream_merging_supported", merging(a));
  yes_no(list, "srq_supported", a.srq_supported);
  text(list, "watermarks_supported", flags(a.srq_watermarks_supported, kMarks));
  yes_no(list, "srq_ep_pz_difference_supported", a.srq_ep_pz_difference_supported);
  text(list, "srq_info_supported", flags(a.srq_info_supported, kSrqInfo));
  text(list, "ep_recv_info_supported", flags(a.ep_recv_info_supported, kRecvInfo));
  yes_no(list, "lmr_sync_req", a.lmr_sync_req);
  yes_no(list, "dto_async_return_guaranteed", a.dto_async_return_guaranteed);
  yes_no(list, "rdma_write_for_rdma_read_req", a.rdma_write_for_rdma_read_req);
#if DAT_VERSION_MAJOR == 2
  yes_no(list, "rdma_read_lmr_rmr_context_exposure", a.rdma_read_lmr_rmr_context_exposure);
  text(list, "rmr_scope_supported", rmr_scope(a.rmr_scope_supported));
  yes_no(list, "is_signal_safe", a.is_signal_safe);
  yes_no(list, "ha_supported", a.ha_supported);
  text(list, "ha_loadbalancing", load_balancing(a.ha_loadbalancing));
#endif
  named(list, "provider", a.num_provider_specific_attr, a.provider_specific_attr);
  return list;
}

} // namespace

Attributes attributes_of(const Adapter& adapter) {
  DAT_IA_HANDLE ia = nullptr;
  tools::check(open_adapter(adapter, ia), "dat_ia_open", adapter.name);
  const tools::IaHandle owner(ia);
  DAT_IA_ATTR ia_attr = {};
  DAT_PROVIDER_ATTR provider_attr = {};
  tools::check(
      dat_ia_query(ia, nullptr, DAT_IA_FIELD_ALL, &ia_attr, DAT_PROVIDER_FIELD_ALL, &provider_attr),
      "dat_ia_query", adapter.name);
  return {adapter_list(ia_attr), provider_list(provider_attr)};
}

} // namespace datum::info
