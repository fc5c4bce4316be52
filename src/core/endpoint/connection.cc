// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// core/endpoint/connection.cc: connect, accept, disconnect, reset: the consumer's calls.
#include "core/endpoint/connection.h"

#include <string_view>
#include <utility>

#include "base/assertion.h"
#include "base/refusal.h"

namespace datum {
namespace {

// The EP lacks a part that a connection needs.
[[gnu::cold, gnu::noinline]] Status without(std::string_view part, Status status) {
  note_cause({part, "null in the EP", "not null", ""});
  return status;
}

} // namespace

Connection::Connection(EndpointFrame& frame, const Neighbours& neighbours,
                       const ConnectEvd::Choice& evd, EpState initial)
    : frame_(frame), neighbours_(neighbours), reports_(frame, evd), state_(initial),
      drain_(frame.adapter(), neighbours.requests, *this) {}

Connection::~Connection() = default;

bool Connection::on(EpEvent event) {
  const std::optional<EpState> next = next_in(kEpTable, state_, event);
  if (!next) return false;
  state_ = *next;
  return true;
}

Path Connection::path() const {
  const bool connected = state_ == EpState::Connected || state_ == EpState::DisconnectPending;
  if (!connected || !channel_) return {};
  return {.name = channel_->path(), .reason = channel_->path_reason()};
}

ChannelOptions Connection::channel_options() const {
  const EndpointAttributes& attributes = frame_.attributes();
  ChannelOptions options;
  options.zone = frame_.zone() != nullptr ? frame_.zone()->id() : 0;
  options.endpoint = frame_.number();
  options.reads_in = attributes.max_rdma_read_in;
  options.reads_out = attributes.max_rdma_read_out;
  options.reads_out_chosen = attributes.reads_out_chosen;
  return options;
}

Status Connection::connect(const Address& address, ConnQual qualifier, std::uint32_t timeout_us,
                           PrivateData data) {
  AdapterContext& adapter = frame_.adapter();
  if (!reports_.evd())
    return without("connect_evd_handle", {Type::InvalidHandle, Detail::HandleEvdConn});
  if (peers_) return peers_->connect(address, qualifier, timeout_us, data);
  if (state_ != EpState::Unconnected) return invalid_state(state_);
  if (frame_.zone() == nullptr)
    return without("pz_handle", {Type::InvalidState, Detail::EpNotReady});
  reports_.make_room_for_answer();
  ChannelOptions options = channel_options();
  options.deadline = deadline_after(adapter.progress(), timeout_us);
  Connector& self = *this;
  auto attempt = std::make_unique<ConnectAttempt>(
      adapter, ConnectAttempt::ConnectTarget{address, qualifier, data, options}, neighbours_.events,
      self);
  Result<std::unique_ptr<Channel>> channel = attempt->ask();
  if (!channel) return channel.error();
  attempt_ = std::move(attempt);
  channel_ = std::move(*channel);
  const bool moved = on(EpEvent::Connect);
  DATUM_ASSERT(moved);
  role_ = ConnectReports::Role::Connecter;
  remote_address_ = address;
  remote_port_ = connected_to_ = qualifier;
  local_port_ = channel_->local_port();
  if (options.deadline != kNever) adapter.timers().arm(connect_timer_, options.deadline);
  adapter.progress().wake();
  ++frame_.tally().connects;
  ++adapter.tally().requests_sent;
  return kOk;
}

Status Connection::dup_connect(const Connection& original, std::uint32_t timeout_us,
                               PrivateData data) {
  if (!reports_.evd())
    return without("connect_evd_handle", {Type::InvalidHandle, Detail::HandleEvdConn});
  if (state_ != EpState::Unconnected) return invalid_state(state_);
  if (peers_) return {Type::ModelNotSupported};
  // The accepting side knows no qualifier to connect to (decision 18).
  if (original.state_ != EpState::Connected || original.role_ == ConnectReports::Role::Accepter)
    return invalid_state(original.state_);
  return connect(original.remote_address_, original.connected_to_, timeout_us, data);
}

Status Connection::disconnect(bool graceful) {
  const EpState before = state_;
  if (!on(graceful ? EpEvent::Drain : EpEvent::Abort)) return invalid_state(before);
  if (before == EpState::Disconnected) return kOk;
  ++frame_.tally().disconnects;
  ++frame_.adapter().tally().ended;
  if (state_ == EpState::DisconnectPending) {
    if (neighbours_.requests.empty())
      on_drained();
    else if (before != state_)
      drain_.begin(*channel_);
    return kOk;
  }
  drop_channel(CloseMode::Disconnect);
  enter_disconnected(EventKind::Disconnected);
  return kOk;
}

Status Connection::reset() {
  const EpState before = state_;
  if (!on(EpEvent::Reset)) return invalid_state(before);
  if (before == EpState::Unconnected) return kOk;
  reports_.forget_kept();
  remote_address_ = {};
  remote_port_ = local_port_ = connected_to_ = 0;
  role_ = ConnectReports::Role::Connecter;
  if (peers_) peers_->sweep();
  return kOk;
}

Status Connection::can_free() const {
  switch (state_) {
  case EpState::Reserved:
  case EpState::PassivePending:
  case EpState::TentativePending: return invalid_state(state_);
  default: return kOk;
  }
}

void Connection::abandon() {
  end_attempt();
  drain_.cancel();
  drop_channel(CloseMode::Disconnect);
}

Status Connection::reserve() {
  if (peers_) return {Type::ModelNotSupported};
  const EpState before = state_;
  return on(EpEvent::Reserve) ? kOk : invalid_state(before);
}

void Connection::release_reservation() {
  on(EpEvent::Release);
}

void Connection::requested(const Address& remote, ConnQual remote_port, ConnQual local_port) {
  on(EpEvent::Requested);
  remote_address_ = remote;
  remote_port_ = remote_port;
  local_port_ = local_port;
}

Status Connection::check_accept(bool own) const {
  const bool open = state_ == EpState::Unconnected || state_ == EpState::Datagrams;
  const bool requested = state_ == EpState::PassivePending || state_ == EpState::TentativePending;
  const bool expected = peers_ ? open : own ? requested : state_ == EpState::Unconnected;
  if (!expected) return invalid_state(state_);
  if (frame_.zone() == nullptr)
    return without("pz_handle", {Type::InvalidHandle, Detail::HandleEp});
  if (!reports_.evd())
    return without("connect_evd_handle", {Type::InvalidHandle, Detail::HandleEp});
  return peers_ ? peers_->make_room() : kOk;
}

void Connection::accept(IncomingConnection& incoming, ConnQual local_port, PrivateData data) {
  if (peers_) {
    peers_->accept(incoming, data);
    return;
  }
  const Address remote = incoming.remote_address();
  const ConnQual remote_port = incoming.remote_port();
  channel_ = incoming.accept(data, neighbours_.events, channel_options());
  const bool moved = on(EpEvent::Accept);
  DATUM_ASSERT(moved);
  role_ = ConnectReports::Role::Accepter;
  remote_address_ = remote;
  remote_port_ = remote_port;
  local_port_ = local_port;
  frame_.adapter().progress().wake();
}

} // namespace datum
