// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core/endpoint/endpoint_modify.cc: dat_ep_modify: validate everything, then apply everything.
#include <optional>
#include <utility>

#include "base/refusal.h"
#include "core/adapter/interface_adapter.h"
#include "core/endpoint/endpoint.h"
#include "core/events/evd_sharing.h"

namespace datum {
namespace {

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

Status Endpoint::modify(std::uint32_t changes, const EndpointParts& parts,
                        const EndpointAttributes& attributes) {
  const EndpointAttributes wanted = merged(attributes_, changes, attributes);
  EndpointParts after{zone(), recv_evd(), request_evd(), connect_evd_.choice()};
  if ((changes & kZone) != 0) after.zone = parts.zone;
  if ((changes & kRecvEvd) != 0) after.recv_evd = parts.recv_evd;
  if ((changes & kRequestEvd) != 0) after.request_evd = parts.request_evd;
  if ((changes & kConnectEvd) != 0) after.connect_evd = parts.connect_evd;

  if ((datagrams_ && after.connect_evd.foreign) ||
      !adapter().check_attributes(wanted, srq() != nullptr).ok())
    return {Type::InvalidParameter, Detail::Arg3};
  // What is as it was has been decided when it became so.
  if ((changes & (kRecvEvd | kRequestEvd | kRecvFlags | kRequestFlags)) != 0) {
    const Sharing sharing = evd_sharing(adapter(), after, wanted, this);
    if (const Status s = adapter().permit_leniencies(wanted, sharing, Detail::Arg3); !s.ok())
      return s;
  }
  if (!modifiable(state_, changes)) return invalid_state(state_);
  if ((changes & kRecvFlags) != 0 && any_recv_posted_) {
    note_cause(
        {"recv_completion_flags", "of an EP with posted Recvs", "before the first Recv", ""});
    return invalid_state(state_);
  }
  const bool recv_sizes = (changes & (kMaxRecvDtos | kMaxRecvIov)) != 0 && !srq_;
  // Posted Recvs stay; a smaller queue, or fewer segments, must still hold them.
  if (recv_sizes && (wanted.max_recv_dtos < recvs_.count() ||
                     (wanted.max_recv_iov < recvs_.iov() && !recvs_.empty()))) {
    note_cause("max_recv_dtos or max_recv_iov", wanted.max_recv_dtos, "what holds the posted Recvs",
               "");
    return invalid_state(state_);
  }

  // All that may lack memory, before anything is changed. The last one changes something itself.
  connect_evd_.make_room_for(after.connect_evd);
  std::optional<ReceiveQueue> recvs;
  if (recv_sizes) recvs = recvs_.resized(wanted.max_recv_dtos, wanted.max_recv_iov);
  if ((changes & (kMaxRequestDtos | kMaxRequestIov | kReadIov | kWriteIov)) != 0)
    requests_.resize(wanted.max_request_dtos, most_segments(wanted));

  if (recvs) recvs_ = std::move(*recvs);
  // The one that it leaves may still hold an event of it, and is not known any more when it goes.
  if (after.connect_evd.token() != connect_evd_.token()) forget_private_data();
  set_evds_and_attributes(after, wanted);
  zone_ = Ref(after.zone);
  if ((changes & kSoftHw) != 0) set_watermarks(wanted.srq_soft_hw, hard_watermark_);
  return kOk;
}

} // namespace datum
