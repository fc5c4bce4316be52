// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "core/endpoint/endpoint.h"

#include "core/adapter/interface_adapter.h"

namespace datum {
namespace {

void count_sharing(EventDispatcher* evd, CompletionFlags flags, std::int32_t change) {
  if (evd == nullptr) return;
  if ((flags & kUnsignalled) != 0) evd->count_unsignalled(change);
  if ((flags & kSolicitedWait) != 0) evd->count_solicited(change);
}

} // namespace

Endpoint::Endpoint(InterfaceAdapter& adapter, const EndpointParts& parts, SharedReceiveQueue* srq,
                   const EndpointAttributes& attributes, Origin origin)
    : Object(adapter, ObjectKind::Endpoint),
      state_(origin == Origin::Provider ? EpState::TentativePending : EpState::Unconnected),
      number_(adapter.next_number()), zone_(parts.zone), recv_evd_(parts.recv_evd),
      request_evd_(parts.request_evd), connect_evd_(adapter, parts.connect_evd), srq_(srq),
      attributes_(attributes), requests_(attributes.max_request_dtos, most_segments(attributes)),
      recvs_(srq == nullptr ? attributes.max_recv_dtos : 0,
             srq == nullptr ? attributes.max_recv_iov : 0),
      open_segments_(srq == nullptr ? 0 : static_cast<std::size_t>(srq->max_recv_iov())) {
  count_sharing(recv_evd(), attributes_.recv_completion_flags, 1);
  count_sharing(request_evd(), attributes_.request_completion_flags, 1);
  if (attributes_.datagrams)
    datagrams_ = std::make_unique<Datagrams>(*this, adapter.next_datagram_number());
  if (attributes_.srq_soft_hw != kWatermarkInfinite) {
    soft_watermark_ = attributes_.srq_soft_hw;
    soft_armed_ = true;
  }
}

Endpoint::~Endpoint() {
  abandon();
  forget_private_data();
  // A message was filling it; dat_ep_free gives it back to the consumer.
  if (srq_ && message_open_) srq_->account().returned();
  count_sharing(recv_evd(), attributes_.recv_completion_flags, -1);
  count_sharing(request_evd(), attributes_.request_completion_flags, -1);
  // Binds that were never carried out give their contexts back.
  for (std::uint64_t at = requests_.retired(); at != requests_.posted(); ++at)
    if (const Stag stag = requests_.bind(at).binding.stag; stag != 0)
      this->adapter().regions().release(stag);
}

void Endpoint::set_evds_and_attributes(const EndpointParts& parts,
                                       const EndpointAttributes& attributes) {
  connect_evd_.change(parts.connect_evd);
  count_sharing(recv_evd(), attributes_.recv_completion_flags, -1);
  count_sharing(request_evd(), attributes_.request_completion_flags, -1);
  recv_evd_ = Ref(parts.recv_evd);
  request_evd_ = Ref(parts.request_evd);
  attributes_ = attributes;
  count_sharing(recv_evd(), attributes_.recv_completion_flags, 1);
  count_sharing(request_evd(), attributes_.request_completion_flags, 1);
}

bool Endpoint::on(EpEvent event) {
  const std::optional<EpState> next = next_state(state_, event);
  if (!next) return false;
  state_ = *next;
  return true;
}

std::int32_t Endpoint::recvs_held() const {
  if (srq_) return message_open_ ? 1 : 0;
  return recvs_.count();
}

void Endpoint::set_watermarks(std::int32_t soft, std::int32_t hard) {
  soft_watermark_ = soft;
  soft_armed_ = soft != kWatermarkInfinite;
  hard_watermark_ = hard;
  check_watermarks();
}

void Endpoint::check_watermarks() {
  const std::int32_t held = recvs_held();
  if (soft_armed_ && held > soft_watermark_) {
    soft_armed_ = false;
    Event event;
    event.kind = EventKind::AsyncWatermark;
    event.object = token();
    event.value = kReasonSoftHighWatermark;
    adapter().report_async(event);
  }
  const bool connected = state_ == EpState::Connected || state_ == EpState::Datagrams ||
                         state_ == EpState::DisconnectPending;
  if (connected && hard_watermark_ != kWatermarkInfinite && held > hard_watermark_)
    break_connection();
}

void Endpoint::break_connection() {
  if (!on(EpEvent::Lost)) return;
  drop_channel(CloseMode::Abort);
  enter_disconnected(EventKind::Broken);
}

void Endpoint::forget_private_data() {
  if (connect_evd_ && told_private_data_) connect_evd_.forget_data(token(), private_data_.data());
}

void Endpoint::drop_channel(CloseMode mode) {
  if (datagrams_) datagrams_->close_all(mode);
  if (!channel_) return;
  channel_->close(mode);
  adapter().retire(std::move(channel_));
}

void Endpoint::count_connection(EventKind kind) {
  AdapterTally& tally = adapter().tally();
  switch (kind) {
  case EventKind::Established: ++(accepter_ ? tally.established_passive : tally.established); break;
  case EventKind::DatagramsRejected:
  case EventKind::PeerRejected: ++tally.rejected_by_peer; break;
  case EventKind::NonPeerRejected: ++tally.refused; break;
  case EventKind::Broken: ++tally.broken; break;
  case EventKind::TimedOut: ++tally.timed_out; break;
  case EventKind::DatagramsFailed:
  case EventKind::AcceptCompletionError:
  case EventKind::Unreachable: ++tally.failed; break;
  case EventKind::DatagramsResolved:
  case EventKind::DatagramsResolvedPassive: ++tally.datagram_addresses; break;
  default: break; // Disconnected: who ended it has counted
  }
}

void Endpoint::report_connection(EventKind kind, PrivateData data) {
  count_connection(kind);
  if (!connect_evd_) return;
  Event event;
  event.kind = kind;
  event.object = token();
  event.data = data.empty() ? nullptr : data.data();
  event.size = static_cast<std::uint32_t>(data.size());
  const bool reported = connect_evd_.push(event, connection_);
  told_private_data_ = told_private_data_ || (reported && !data.empty());
  if (!reported && kind == EventKind::Established) end_unheard();
}

void Endpoint::end_unheard() {
  if (!on(EpEvent::Lost)) return;
  drop_channel(CloseMode::Disconnect);
  flush();
  leave_srq();
}

void Endpoint::establishment_lost(const ForeignEvd& evd, std::uint32_t connection) {
  if (connect_evd_.is(evd) && connection == connection_) end_unheard();
}

} // namespace datum
