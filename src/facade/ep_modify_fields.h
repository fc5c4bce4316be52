// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// facade/ep_modify_fields.h: the mask and structure of dat_ep_modify as changes of an Endpoint.
#pragma once

#include "base/refusal.h"
#include "facade/answer.h"
#include "facade/ep_parts.h"
#include "facade/foreign_connect_evd.h"

namespace datum {

struct ModifiableField {
  DAT_EP_PARAM_MASK field;
  std::uint32_t change;
};

// Fields that are not listed can never be modified (dat_ep_modify).
inline constexpr ModifiableField kModifiableFields[] = {
    {DAT_EP_FIELD_PZ_HANDLE, Endpoint::kZone},
    {DAT_EP_FIELD_RECV_EVD_HANDLE, Endpoint::kRecvEvd},
    {DAT_EP_FIELD_REQUEST_EVD_HANDLE, Endpoint::kRequestEvd},
    {DAT_EP_FIELD_CONNECT_EVD_HANDLE, Endpoint::kConnectEvd},
    // The service type may only be set to its present value, in the same states as qos.
    {DAT_EP_FIELD_EP_ATTR_SERVICE_TYPE, Endpoint::kQos},
    {DAT_EP_FIELD_EP_ATTR_MAX_MESSAGE_SIZE, Endpoint::kMaxMessageSize},
    {DAT_EP_FIELD_EP_ATTR_MAX_RDMA_SIZE, Endpoint::kMaxRdmaSize},
    {DAT_EP_FIELD_EP_ATTR_QOS, Endpoint::kQos},
    {DAT_EP_FIELD_EP_ATTR_RECV_COMPLETION_FLAGS, Endpoint::kRecvFlags},
    {DAT_EP_FIELD_EP_ATTR_REQUEST_COMPLETION_FLAGS, Endpoint::kRequestFlags},
    {DAT_EP_FIELD_EP_ATTR_MAX_RECV_DTOS, Endpoint::kMaxRecvDtos},
    {DAT_EP_FIELD_EP_ATTR_MAX_REQUEST_DTOS, Endpoint::kMaxRequestDtos},
    {DAT_EP_FIELD_EP_ATTR_MAX_RECV_IOV, Endpoint::kMaxRecvIov},
    {DAT_EP_FIELD_EP_ATTR_MAX_REQUEST_IOV, Endpoint::kMaxRequestIov},
    {DAT_EP_FIELD_EP_ATTR_MAX_RDMA_READ_IN, Endpoint::kReadsIn},
    {DAT_EP_FIELD_EP_ATTR_MAX_RDMA_READ_OUT, Endpoint::kReadsOut},
    {DAT_EP_FIELD_EP_ATTR_SRQ_SOFT_HW, Endpoint::kSoftHw},
    {DAT_EP_FIELD_EP_ATTR_MAX_RDMA_READ_IOV, Endpoint::kReadIov},
    {DAT_EP_FIELD_EP_ATTR_MAX_RDMA_WRITE_IOV, Endpoint::kWriteIov},
    {DAT_EP_FIELD_EP_ATTR_NUM_TRANSPORT_ATTR, Endpoint::kSpecificAttributes},
    {DAT_EP_FIELD_EP_ATTR_TRANSPORT_SPECIFIC_ATTR, Endpoint::kSpecificAttributes},
    {DAT_EP_FIELD_EP_ATTR_NUM_PROVIDER_ATTR, Endpoint::kSpecificAttributes},
    {DAT_EP_FIELD_EP_ATTR_PROVIDER_SPECIFIC_ATTR, Endpoint::kSpecificAttributes},
};

constexpr DAT_EP_PARAM_MASK modifiable_fields() {
  DAT_EP_PARAM_MASK all = 0;
  for (const ModifiableField& entry : kModifiableFields) all |= entry.field;
  return all;
}

constexpr std::uint32_t to_changes(DAT_EP_PARAM_MASK mask) {
  std::uint32_t changes = 0;
  for (const ModifiableField& entry : kModifiableFields)
    if ((mask & entry.field) != 0) changes |= entry.change;
  return changes;
}

// False: a handle among the changed fields is bad, or names an EVD without the flag for its role.
template <class LockedEp, class Param>
bool find_changed_parts(const LockedEp& ep, std::uint32_t changes, const Param& param,
                        const ForeignConnectEvd& foreign, EndpointParts& parts) {
  EvdFinder find(ep);
  if ((changes & Endpoint::kZone) != 0) parts.zone = find.optional_zone(param.pz_handle);
  if ((changes & Endpoint::kRecvEvd) != 0)
    parts.recv_evd = find.optional(param.recv_evd_handle, kEvdDto, Detail::HandleEvdRecv);
  if ((changes & Endpoint::kRequestEvd) != 0)
    parts.request_evd = find.optional(param.request_evd_handle, kEvdDto, Detail::HandleEvdRequest);
  if ((changes & Endpoint::kConnectEvd) != 0)
    parts.connect_evd = find.optional_connect(param.connect_evd_handle, foreign.held());
  if (!find.status().ok()) name_cause("a handle in ep_param");
  return find.status().ok();
}

// Fields that are not in the mask may have any value, and the call must not fail for them.
template <class V>
bool find_changed_attributes(const Endpoint& ep, DAT_EP_PARAM_MASK mask, const DAT_EP_ATTR& given,
                             EndpointAttributes& attributes) {
  const auto asked = [mask](DAT_EP_PARAM_MASK field) { return (mask & field) != 0; };
  DAT_EP_ATTR wanted = given;
  if (!asked(DAT_EP_FIELD_EP_ATTR_SERVICE_TYPE)) wanted.service_type = DAT_SERVICE_TYPE_RC;
  if (!asked(DAT_EP_FIELD_EP_ATTR_QOS)) wanted.qos = DAT_QOS_BEST_EFFORT;
  if (!asked(DAT_EP_FIELD_EP_ATTR_MAX_REQUEST_IOV))
    wanted.max_request_iov = ep.attributes().max_request_iov;
  // An array without a count cannot be read, so it is ignored.
  if (!asked(DAT_EP_FIELD_EP_ATTR_NUM_TRANSPORT_ATTR)) wanted.ep_transport_specific_count = 0;
  if (!asked(DAT_EP_FIELD_EP_ATTR_NUM_PROVIDER_ATTR)) wanted.ep_provider_specific_count = 0;
  if (!asked(DAT_EP_FIELD_EP_ATTR_PROVIDER_SPECIFIC_ATTR)) wanted.ep_provider_specific = nullptr;
  if (!V::from_dat(wanted, Detail::Arg3, attributes).ok()) return false;
  // The kind of an endpoint is fixed when it is created.
  const bool same_service = !asked(DAT_EP_FIELD_EP_ATTR_SERVICE_TYPE) ||
                            attributes.datagrams == ep.attributes().datagrams;
  if (!same_service || wanted.qos != DAT_QOS_BEST_EFFORT)
    note_cause({same_service ? "qos" : "service_type", "changed",
                same_service ? "DAT_QOS_BEST_EFFORT" : "as the EP was created", ""});
  return same_service && wanted.qos == DAT_QOS_BEST_EFFORT;
}

} // namespace datum
