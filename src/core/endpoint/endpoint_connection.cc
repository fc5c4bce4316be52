// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core/endpoint/endpoint_connection.cc: connect, accept, disconnect, reset: what the consumer asks
// for.
#include <algorithm>

#include "base/refusal.h"
#include "core/adapter/interface_adapter.h"
#include "core/endpoint/endpoint.h"

namespace datum {
namespace {

// In the time that the peer has for its next Recv.
constexpr int kLooksWhileDraining = 8;

// What the EP needs for a connection.
[[gnu::cold, gnu::noinline]] Status without(std::string_view part, Status status) {
  note_cause({part, "null in the EP", "not null", ""});
  return status;
}

} // namespace

ChannelOptions Endpoint::channel_options() const {
  ChannelOptions options;
  options.zone = zone_ ? zone_->id() : 0;
  options.endpoint = number_;
  options.reads_in = attributes_.max_rdma_read_in;
  options.reads_out = attributes_.max_rdma_read_out;
  options.reads_out_chosen = attributes_.reads_out_chosen;
  return options;
}

Status Endpoint::connect(const Address& address, ConnQual qualifier, std::uint32_t timeout_us,
                         PrivateData data) {
  if (!connect_evd_)
    return without("connect_evd_handle", {Type::InvalidHandle, Detail::HandleEvdConn});
  if (datagrams_) return connect_datagrams(address, qualifier, timeout_us, data);
  if (state_ != EpState::Unconnected) return invalid_state(state_);
  if (!zone_) return without("pz_handle", {Type::InvalidState, Detail::EpNotReady});
  // The answer comes when nobody can be told that there is no memory for it.
  private_data_.reserve(kMostPrivateDataOfAnswer);
  ChannelOptions options = channel_options();
  options.deadline = deadline_after(adapter().progress(), timeout_us);
  Connector& self = *this;
  auto attempt = std::make_unique<ConnectAttempt>(
      adapter(), ConnectAttempt::Question{address, qualifier, data, options}, *this, self);
  Result<std::unique_ptr<Channel>> channel = attempt->ask();
  if (!channel) return channel.error();
  attempt_ = std::move(attempt);
  channel_ = std::move(*channel);
  on(EpEvent::Connect);
  accepter_ = false;
  remote_address_ = address;
  remote_port_ = connected_to_ = qualifier;
  local_port_ = channel_->local_port();
  if (options.deadline != kNever) adapter().timers().arm(timer_, options.deadline);
  adapter().progress().kick();
  ++tally_.connects;
  ++adapter().tally().requests_sent;
  return kOk;
}

void Endpoint::on_asked_again(std::unique_ptr<Channel> channel) {
  channel_ = std::move(channel);
  local_port_ = channel_->local_port();
}

void Endpoint::end_attempt() {
  timer_.cancel();
  attempt_.reset();
}

Status Endpoint::dup_connect(const Endpoint& original, std::uint32_t timeout_us, PrivateData data) {
  if (!connect_evd_)
    return without("connect_evd_handle", {Type::InvalidHandle, Detail::HandleEvdConn});
  if (state_ != EpState::Unconnected) return invalid_state(state_);
  if (datagrams_) return {Type::ModelNotSupported};
  // The accepting end knows no qualifier to connect to (decision 18).
  if (original.state_ != EpState::Connected || original.accepter_)
    return invalid_state(original.state_);
  return connect(original.remote_address_, original.connected_to_, timeout_us, data);
}

void Endpoint::PatienceTimer::on_expired(Instant now) {
  if (endpoint_.state_ == EpState::DisconnectPending) {
    endpoint_.look_at_drain(now);
    return;
  }
  if (!endpoint_.on(EpEvent::ConnectFailed)) return;
  endpoint_.drop_channel(CloseMode::Disconnect);
  endpoint_.enter_disconnected(EventKind::TimedOut);
}

Status Endpoint::disconnect(bool graceful) {
  const EpState before = state_;
  if (!on(graceful ? EpEvent::Drain : EpEvent::Abort)) return invalid_state(before);
  if (before == EpState::Disconnected) return kOk;
  ++tally_.disconnects;
  ++adapter().tally().ended;
  if (state_ == EpState::DisconnectPending) {
    if (requests_.empty())
      end_drained();
    else if (before != state_)
      begin_draining();
    return kOk;
  }
  drop_channel(CloseMode::Disconnect);
  enter_disconnected(EventKind::Disconnected);
  return kOk;
}

void Endpoint::finish_drain() {
  if (state_ != EpState::DisconnectPending) return;
  if (requests_.empty())
    end_drained();
  else if (requests_.retired() != drained_)
    go_on_draining();
}

void Endpoint::begin_draining() {
  go_on_draining();
  adapter().progress().kick(); // a sleeping thread does not know of this time
}

// What is next has the whole time for itself.
void Endpoint::go_on_draining() {
  drained_ = requests_.retired();
  waits_for_receive(); // asked now for what will have moved by the first look
  const Instant now = adapter().progress().now();
  drain_ends_ = now + adapter().drain_patience();
  adapter().timers().arm(timer_, now + between_drain_looks());
}

// What was posted just before the call still moves after it, and must not cost the whole time once
// more: it has the time from the look before the one that found it moved.
void Endpoint::look_at_drain(Instant now) {
  const Duration step = between_drain_looks();
  if (!waits_for_receive()) drain_ends_ = now - step + adapter().drain_patience();
  if (now >= drain_ends_)
    end_drained();
  else
    adapter().timers().arm(timer_, std::min(now + step, drain_ends_));
}

Duration Endpoint::between_drain_looks() const {
  return adapter().drain_patience() / kLooksWhileDraining;
}

bool Endpoint::waits_for_receive() {
  if (requests_.empty() || !channel_) return false;
  return channel_->waits_for_receive(takes_receive(requests_.at(requests_.retired()).opcode));
}

// Everything has ended, or nothing more does: that is flushed.
void Endpoint::end_drained() {
  on(EpEvent::Drained);
  drop_channel(CloseMode::Disconnect);
  enter_disconnected(EventKind::Disconnected);
}

Status Endpoint::reset() {
  const EpState before = state_;
  if (!on(EpEvent::Reset)) return invalid_state(before);
  if (before == EpState::Unconnected) return kOk;
  private_data_.clear();
  remote_address_ = {};
  remote_port_ = local_port_ = connected_to_ = 0;
  accepter_ = false;
  if (datagrams_) datagrams_->sweep();
  return kOk;
}

Status Endpoint::can_free() const {
  switch (state_) {
  case EpState::Reserved:
  case EpState::PassivePending:
  case EpState::TentativePending: return invalid_state(state_);
  default: return kOk;
  }
}

void Endpoint::abandon() {
  end_attempt();
  drop_channel(CloseMode::Disconnect);
}

Status Endpoint::reserve() {
  if (datagrams_) return {Type::ModelNotSupported};
  const EpState before = state_;
  return on(EpEvent::Reserve) ? kOk : invalid_state(before);
}

void Endpoint::release_reservation() {
  on(EpEvent::Release);
}

void Endpoint::requested(const Address& remote, ConnQual remote_port, ConnQual local_port) {
  on(EpEvent::Requested);
  remote_address_ = remote;
  remote_port_ = remote_port;
  local_port_ = local_port;
}

Status Endpoint::check_accept(bool own) const {
  if (datagrams_) {
    if (const Status s = check_datagrams_open(); !s.ok()) return s;
    if (!zone_ || !connect_evd_)
      return without(zone_ ? "connect_evd_handle" : "pz_handle",
                     {Type::InvalidHandle, Detail::HandleEp});
    return datagrams_->make_room();
  }
  const bool expected =
      own ? state_ == EpState::PassivePending || state_ == EpState::TentativePending
          : state_ == EpState::Unconnected;
  if (!expected) return invalid_state(state_);
  if (!zone_ || !connect_evd_)
    return without(zone_ ? "connect_evd_handle" : "pz_handle",
                   {Type::InvalidHandle, Detail::HandleEp});
  return kOk;
}

void Endpoint::accept(IncomingConnection& incoming, ConnQual local_port, PrivateData data) {
  if (datagrams_) {
    accept_datagrams(incoming, data);
    return;
  }
  const Address remote = incoming.remote_address();
  const ConnQual remote_port = incoming.remote_port();
  channel_ = incoming.accept(data, *this, channel_options());
  on(EpEvent::Accept);
  accepter_ = true;
  remote_address_ = remote;
  remote_port_ = remote_port;
  local_port_ = local_port;
  adapter().progress().kick();
}

} // namespace datum
