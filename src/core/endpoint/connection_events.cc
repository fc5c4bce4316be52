// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core/endpoint/connection_events.cc: what happens to a connection: its answer, each way to end.
#include <algorithm>
#include <new>
#include <utility>

#include "base/assertion.h"
#include "core/endpoint/connection.h"

namespace datum {

void Connection::on_asked_again(std::unique_ptr<Channel> channel) {
  DATUM_ASSERT(state_ == EpState::ActivePending && !channel_);
  channel_ = std::move(channel);
  local_port_ = channel_->local_port();
}

void Connection::end_attempt() {
  connect_timer_.cancel();
  attempt_.reset();
}

void Connection::on_too_late() {
  if (!on(EpEvent::ConnectFailed)) return;
  drop_channel(CloseMode::Disconnect);
  enter_disconnected(EventKind::TimedOut);
}

void Connection::on_established(PrivateData data, std::int32_t peer_reads_in) {
  if (!on(EpEvent::Established)) return;
  end_attempt();
  reports_.begin_connection();
  // This side holds back Reads beyond the peer's limit. The peer never sees too many Reads, which
  // would break the connection (decision 306).
  neighbours_.requests.open(*channel_,
                            std::min(frame_.attributes().max_rdma_read_out, peer_reads_in));
  neighbours_.inbox.open();
  const PrivateData kept = reports_.keep(data);
  if (role_ == ConnectReports::Role::Connecter) {
    remote_port_ = channel_->remote_port();
    local_port_ = channel_->local_port(); // each attempt may have another local port
  }
  report(EventKind::Established, kept);
  // Recvs posted earlier may exceed the hard watermark. Then the connection that has just been
  // reported breaks.
  neighbours_.inbox.check_watermarks();
}

void Connection::on_connect_failed(ConnectFailure failure, PrivateData data) {
  AdapterContext& adapter = frame_.adapter();
  const bool active = state_ == EpState::ActivePending;
  if (active && failure == ConnectFailure::NobodyListens && attempt_->ask_later()) {
    adapter.retire(std::move(channel_));
    return;
  }
  if (!on(EpEvent::ConnectFailed)) return;
  const PrivateData kept = reports_.keep(data);
  adapter.retire(std::move(channel_));
  EventKind event = EventKind::AcceptCompletionError;
  if (active) {
    switch (failure) {
    case ConnectFailure::PeerRejected: event = EventKind::PeerRejected; break;
    case ConnectFailure::NobodyListens:
    case ConnectFailure::NonPeerRejected: event = EventKind::NonPeerRejected; break;
    case ConnectFailure::Unreachable: event = EventKind::Unreachable; break;
    }
  }
  enter_disconnected(event, kept);
}

void Connection::on_closed(CloseReason reason) {
  if (state_ == EpState::ActivePending || state_ == EpState::CompletionPending) {
    on_connect_failed(ConnectFailure::NonPeerRejected, {});
    return;
  }
  if (!on(EpEvent::Lost)) return;
  AdapterContext& adapter = frame_.adapter();
  if (reason == CloseReason::Disconnected) ++adapter.tally().ended_by_peer;
  adapter.retire(std::move(channel_));
  enter_disconnected(reason == CloseReason::Disconnected ? EventKind::Disconnected
                                                         : EventKind::Broken);
}

void Connection::break_off() {
  if (!on(EpEvent::Lost)) return;
  drop_channel(CloseMode::Abort);
  enter_disconnected(EventKind::Broken);
}

void Connection::on_requests_retired() {
  if (state_ == EpState::DisconnectPending) drain_.on_requests_retired();
}

// Requests that have not ended by now are flushed.
void Connection::on_drained() {
  const bool moved = on(EpEvent::Drained);
  DATUM_ASSERT(moved);
  drop_channel(CloseMode::Disconnect);
  enter_disconnected(EventKind::Disconnected);
}

void Connection::drop_channel(CloseMode mode) {
  if (peers_) peers_->close_all(mode);
  if (!channel_) return;
  channel_->close(mode);
  frame_.adapter().retire(std::move(channel_));
}

void Connection::enter_disconnected(EventKind last, PrivateData data) {
  flush();
  report(last, data);
  neighbours_.inbox.leave_srq();
}

void Connection::flush() {
  end_attempt();
  drain_.cancel();
  neighbours_.requests.flush();
  neighbours_.inbox.flush();
}

void Connection::report(EventKind kind, PrivateData data) {
  if (!reports_.report(kind, role_, data) && kind == EventKind::Established) end_unreported();
}

void Connection::end_unreported() {
  if (!on(EpEvent::Lost)) return;
  drop_channel(CloseMode::Disconnect);
  flush();
  neighbours_.inbox.leave_srq();
}

void Connection::establishment_lost(const ForeignEvd& evd, std::uint32_t connection) {
  if (reports_.concerns(evd, connection)) end_unreported();
}

void Connection::catch_up() {
  if (!channel_) return;
  try {
    channel_->catch_up();
  } catch (const std::bad_alloc&) {
    // Nothing is lost: the next poll does the work for which there was no memory.
  }
}

void Connection::open_for_datagrams() {
  on(EpEvent::Opened);
  neighbours_.inbox.open_for_datagrams();
}

} // namespace datum
