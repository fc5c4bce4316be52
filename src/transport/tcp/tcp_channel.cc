// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/tcp/tcp_channel.h"

namespace datum {

TcpChannel::~TcpChannel() {
  close(CloseMode::Abort);
}

iwarp::Wishes TcpChannel::wishes() const {
  iwarp::Wishes wishes;
  wishes.reads_in = static_cast<std::uint16_t>(options_.reads_in);
  wishes.reads_out = static_cast<std::uint16_t>(options_.reads_out);
  wishes.reads_out_chosen = options_.reads_out_chosen;
  return wishes;
}

// --- dialling ------------------------------------------------------------------------------------

Status TcpChannel::dial(const HostAddress& host, ConnQual qualifier, PrivateData data,
                        PreferredWay* preferred) {
  remote_ = host;
  remote_port_ = qualifier;
  TcpDialer& self = *this;
  const TcpDial::DialTarget target{host, qualifier, data, wishes(), options_.deadline, preferred};
  dial_ = std::make_unique<TcpDial>(context_, target, events_, self);
  const Status status = dial_->begin();
  local_port_ = dial_->local_port();
  return status;
}

void TcpChannel::on_reply(std::unique_ptr<TcpConnection> connection) {
  connection_ = std::move(connection);
  local_port_ = local_name(connection_->socket()).port;
  dial_.reset();
}

// --- a request that was accepted -----------------------------------------------------------------

void TcpChannel::accept(std::unique_ptr<TcpConnection> connection, const SocketName& peer,
                        PrivateData data) {
  connection_ = std::move(connection);
  remote_ = peer.host;
  remote_port_ = peer.port;
  local_port_ = local_name(connection_->socket()).port;
  connection_->session().accept(data, wishes(), events_, context_.now());
  connection_->touch();
}

// --- requests ------------------------------------------------------------------------------------

StartResult TcpChannel::start(const WorkRequest& request) {
  const StartResult result = connection_->session().start(request);
  if (result != StartResult::Later) connection_->started(request.length);
  return result;
}

StartResult TcpChannel::start_now(const WorkRequest& request) {
  const StartResult result = connection_->session().start_now(request);
  if (result != StartResult::Later) connection_->started(request.length);
  return result;
}

void TcpChannel::on_receive_posted() {
  if (connection_) connection_->receive_posted();
}

void TcpChannel::catch_up() {
  if (connection_) connection_->catch_up();
}

bool TcpChannel::waits_for_receive(bool oldest_is_message) {
  return connection_ && connection_->waits_for_receive(oldest_is_message);
}

void TcpChannel::close(CloseMode mode) {
  dial_.reset();
  if (!connection_) return;
  connection_->session().close(mode, context_.now());
  TcpConnection::release(std::move(connection_));
}

} // namespace datum
