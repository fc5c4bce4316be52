// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core/endpoint/endpoint.cc: making an EP, its named attributes, and dat_ep_modify, which validates
// all changes before it applies any.
#include "core/endpoint/endpoint.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/refusal.h"
#include "core/endpoint/attribute_rules.h"

namespace datum {
namespace {

constexpr const char* kNameOfPath = "datum_path";
constexpr const char* kNameOfReason = "datum_path_reason";
constexpr const char* kNameOfReadsIn = "datum_effective_rdma_read_in";
constexpr const char* kNameOfReadsOut = "datum_effective_rdma_read_out";

bool modifiable(EpState state, std::uint32_t changes) {
  const bool early = state == EpState::Unconnected || state == EpState::Reserved ||
                     state == EpState::PassivePending || state == EpState::TentativePending;
  if ((changes & Endpoint::kSpecificAttributes) != 0 && state != EpState::Unconnected) return false;
  if ((changes & Endpoint::kZone) != 0 && state != EpState::Unconnected &&
      state != EpState::TentativePending)
    return false;
  return early || (changes & ~(Endpoint::kSpecificAttributes | Endpoint::kZone)) == 0;
}

EndpointAttributes merged(EndpointAttributes to, std::uint32_t changes,
                          const EndpointAttributes& from) {
  if ((changes & Endpoint::kMaxMessageSize) != 0) to.max_message_size = from.max_message_size;
  if ((changes & Endpoint::kMaxRdmaSize) != 0) {
    to.max_rdma_size = from.max_rdma_size;
    to.rdma_bound = from.rdma_bound;
  }
  if ((changes & Endpoint::kQos) != 0) to.qos = from.qos;
  if ((changes & Endpoint::kRecvFlags) != 0) to.recv_completion_flags = from.recv_completion_flags;
  if ((changes & Endpoint::kRequestFlags) != 0)
    to.request_completion_flags = from.request_completion_flags;
  if ((changes & Endpoint::kMaxRecvDtos) != 0) to.max_recv_dtos = from.max_recv_dtos;
  if ((changes & Endpoint::kMaxRequestDtos) != 0) to.max_request_dtos = from.max_request_dtos;
  if ((changes & Endpoint::kMaxRecvIov) != 0) to.max_recv_iov = from.max_recv_iov;
  if ((changes & Endpoint::kMaxRequestIov) != 0) to.max_request_iov = from.max_request_iov;
  if ((changes & Endpoint::kReadsIn) != 0) to.max_rdma_read_in = from.max_rdma_read_in;
  if ((changes & Endpoint::kReadsOut) != 0) {
    to.max_rdma_read_out = from.max_rdma_read_out;
    to.reads_out_chosen = true;
  }
  if ((changes & Endpoint::kSoftHw) != 0) to.srq_soft_hw = from.srq_soft_hw;
  if ((changes & Endpoint::kReadIov) != 0) to.max_rdma_read_iov = from.max_rdma_read_iov;
  if ((changes & Endpoint::kWriteIov) != 0) to.max_rdma_write_iov = from.max_rdma_write_iov;
  return to;
}

} // namespace

Endpoint::Endpoint(const EndpointServices& services, const EndpointParts& parts,
                   SharedReceiveQueue* srq, const EndpointAttributes& attributes, Origin origin)
    : EndpointFrame(services, parts.zone, attributes), requests_(*this, parts.request_evd),
      inbox_(*this, parts.recv_evd, srq),
      connection_(*this, {requests_, inbox_, *this}, parts.connect_evd,
                  origin == Origin::Provider ? EpState::TentativePending : EpState::Unconnected) {}

Endpoint::~Endpoint() {
  connection_.abandon();
}

NamedAttributes Endpoint::named_attributes() const {
  NamedAttributes named;
  Path path = this->path();
  if (path.name.empty()) return named;
  named.emplace_back(kNameOfPath, std::move(path.name));
  if (!path.reason.empty()) named.emplace_back(kNameOfReason, std::move(path.reason));
  named.emplace_back(kNameOfReadsIn, std::to_string(attributes().max_rdma_read_in));
  named.emplace_back(kNameOfReadsOut, std::to_string(requests_.reads_out()));
  return named;
}

bool Endpoint::is_named_attribute(std::string_view name) {
  constexpr std::string_view kAll[] = {kNameOfPath, kNameOfReason, kNameOfReadsIn, kNameOfReadsOut};
  return std::find(std::begin(kAll), std::end(kAll), name) != std::end(kAll);
}

Status Endpoint::modify(std::uint32_t changes, const EndpointParts& parts,
                        const EndpointAttributes& attributes) {
  const EndpointAttributes wanted = merged(this->attributes(), changes, attributes);
  EndpointParts after{zone(), recv_evd(), request_evd(), connect_evd().choice()};
  if ((changes & kZone) != 0) after.zone = parts.zone;
  if ((changes & kRecvEvd) != 0) after.recv_evd = parts.recv_evd;
  if ((changes & kRequestEvd) != 0) after.request_evd = parts.request_evd;
  if ((changes & kConnectEvd) != 0) after.connect_evd = parts.connect_evd;

  if ((datagrams() != nullptr && after.connect_evd.foreign) ||
      !check_attributes(adapter(), wanted, srq() != nullptr).ok())
    return {Type::InvalidParameter, Detail::Arg3};
  // A value that does not change was checked when it was set.
  if ((changes & (kRecvEvd | kRequestEvd | kRecvFlags | kRequestFlags)) != 0) {
    const Sharing sharing = evd_sharing(services().endpoints, after, wanted, this);
    if (const Status s = permit_leniencies(adapter(), wanted, sharing, Detail::Arg3); !s.ok())
      return s;
  }
  if (!modifiable(state(), changes)) return invalid_state(state());
  if ((changes & kRecvFlags) != 0 && inbox_.any_posted()) {
    note_cause(
        {"recv_completion_flags", "of an EP with posted Recvs", "before the first Recv", ""});
    return invalid_state(state());
  }
  const bool recv_sizes = (changes & (kMaxRecvDtos | kMaxRecvIov)) != 0 && srq() == nullptr;
  // Posted Recvs stay. So the resized queue must be able to hold them.
  if (recv_sizes && !inbox_.could_hold_posted(wanted.max_recv_dtos, wanted.max_recv_iov)) {
    note_cause("max_recv_dtos or max_recv_iov", wanted.max_recv_dtos, "what holds the posted Recvs",
               "");
    return invalid_state(state());
  }

  // Every step that may lack memory comes before the first change. Only the last of these steps,
  // resize(), is a change itself.
  connection_.reports().make_room_for(after.connect_evd);
  std::optional<ReceiveQueue> recvs;
  if (recv_sizes) recvs = inbox_.resized(wanted.max_recv_dtos, wanted.max_recv_iov);
  if ((changes & (kMaxRequestDtos | kMaxRequestIov | kReadIov | kWriteIov)) != 0)
    requests_.resize(wanted.max_request_dtos, most_segments(wanted));

  if (recvs) inbox_.take_queue(std::move(*recvs));
  connection_.reports().change(after.connect_evd);
  inbox_.change_evd(after.recv_evd, wanted.recv_completion_flags);
  requests_.change_evd(after.request_evd, wanted.request_completion_flags);
  set_attributes(wanted);
  set_zone(after.zone);
  if ((changes & kSoftHw) != 0) set_watermarks(wanted.srq_soft_hw, inbox_.hard_watermark());
  return kOk;
}

} // namespace datum
