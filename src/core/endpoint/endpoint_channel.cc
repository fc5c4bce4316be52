// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core/endpoint/endpoint_channel.cc: what the channel reports about the connection, and the flush.
#include <algorithm>
#include <utility>

#include "core/adapter/interface_adapter.h"
#include "core/endpoint/endpoint.h"

namespace datum {

void Endpoint::on_established(PrivateData data, std::int32_t peer_reads_in) {
  if (!on(EpEvent::Established)) return;
  end_attempt();
  ++connection_;
  will_leave_srq_ = static_cast<bool>(srq_);
  // The excess of Reads is held back on our side: a shortage breaks nothing (decision 306).
  reads_out_limit_ = std::min(attributes_.max_rdma_read_out, peer_reads_in);
  placed_cursor_ = read_cursor_ = requests_.posted();
  reads_started_ = 0;
  private_data_.assign(data.begin(), data.end());
  if (!accepter_) {
    remote_port_ = channel_->remote_port();
    local_port_ = channel_->local_port(); // of several attempts the last has another one
  }
  report_connection(EventKind::Established, private_data_);
  // Recvs posted before may exceed the hard one, which breaks what has just been reported.
  check_watermarks();
}

void Endpoint::on_connect_failed(ConnectFailure failure, PrivateData data) {
  const bool active = state_ == EpState::ActivePending;
  if (active && failure == ConnectFailure::NobodyListens && attempt_->is_patient()) {
    adapter().retire(std::move(channel_));
    return;
  }
  if (!on(EpEvent::ConnectFailed)) return;
  private_data_.assign(data.begin(), data.end()); // the channel's, as yet
  adapter().retire(std::move(channel_));
  EventKind event = EventKind::AcceptCompletionError;
  if (active) {
    switch (failure) {
    case ConnectFailure::PeerRejected: event = EventKind::PeerRejected; break;
    case ConnectFailure::NobodyListens:
    case ConnectFailure::NonPeerRejected: event = EventKind::NonPeerRejected; break;
    case ConnectFailure::Unreachable: event = EventKind::Unreachable; break;
    }
  }
  enter_disconnected(event, private_data_);
}

void Endpoint::on_closed(CloseReason reason) {
  if (state_ == EpState::ActivePending || state_ == EpState::CompletionPending) {
    on_connect_failed(ConnectFailure::NonPeerRejected, {});
    return;
  }
  if (!on(EpEvent::Lost)) return;
  if (reason == CloseReason::Disconnected) ++adapter().tally().ended_by_peer;
  adapter().retire(std::move(channel_));
  enter_disconnected(reason == CloseReason::Disconnected ? EventKind::Disconnected
                                                         : EventKind::Broken);
}

void Endpoint::enter_disconnected(EventKind last, PrivateData data) {
  end_attempt();
  flush();
  report_connection(last, data);
  leave_srq();
}

void Endpoint::leave_srq() {
  if (std::exchange(will_leave_srq_, false)) adapter().report_srq_left(token());
}

void Endpoint::flush() {
  flush_requests();
  flush_receives();
}

void Endpoint::flush_requests() {
  failure_waits_ = false;
  requests_.start_all();
  bool failed = false;
  for (std::uint64_t at = requests_.retired(); at != requests_.posted(); ++at) {
    Request& request = requests_.at(at);
    // After the first that fails all fail, even what has been carried out
    // (dat_ep_disconnect(3DAT), Description).
    const bool succeeded = request.ended && request.status == DtoStatus::Success;
    if (succeeded && !failed) continue;
    failed = true;
    if (request.ended && !succeeded) continue;
    request.ended = true;
    request.status = DtoStatus::Flushed;
    if (request.opcode == Opcode::Bind) drop_bind(requests_.bind(at));
  }
  retire_requests();
}

void Endpoint::flush_receives() {
  starved_ = false;
  Starving::unlink();
  if (message_open_) fail_receive(DtoStatus::Flushed);
  while (!recvs_.empty()) {
    const Receive receive = recvs_.front();
    recvs_.pop();
    report_receive(receive, DtoStatus::Flushed, 0, false, false);
  }
}

} // namespace datum
