// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/tcp/tcp_channel.h"

#include <cerrno>

namespace datum {
namespace {

constexpr Duration kPauseWithoutResources = 20 * kMillisecond;

ConnectFailure failure_of(int error) {
  switch (error) {
  case ENETUNREACH:
  case EHOSTUNREACH:
  case ENETDOWN:
  case EHOSTDOWN:
  case EADDRNOTAVAIL:
  case ETIMEDOUT:
  case EACCES:
  case EPERM:
  case EINVAL: return ConnectFailure::Unreachable;
  default: return ConnectFailure::NonPeerRejected;
  }
}

bool is_lack_of_resources(int error) {
  return error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM;
}

} // namespace

TcpChannel::~TcpChannel() {
  close(CloseMode::Abort);
}

iwarp::Wishes TcpChannel::wishes(std::uint8_t revision) const {
  iwarp::Wishes wishes;
  wishes.revision = revision;
  wishes.reads_in = static_cast<std::uint16_t>(options_.reads_in);
  wishes.reads_out = static_cast<std::uint16_t>(options_.reads_out);
  return wishes;
}

// --- dialling ------------------------------------------------------------------------------------

Status TcpChannel::dial(const HostAddress& host, ConnQual qualifier, PrivateData data) {
  remote_ = host;
  remote_port_ = qualifier;
  if (is_port(qualifier)) {
    ports_.assign(1, static_cast<std::uint16_t>(qualifier));
  } else {
    const Candidates ports =
        candidate_ports(qualifier, context_.options.ports.value_or(kMappedPorts));
    ports_.assign(ports.rbegin(), ports.rend());
    data_.resize(QualifierPrefix::kWireSize);
    encode_prefix(qualifier, data_.data());
  }
  data_.insert(data_.end(), data.begin(), data.end());
  port_ = ports_.back();
  ports_.pop_back();
  return attempt();
}

// Fails only for lack of resources: everything else is told later.
Status TcpChannel::attempt() {
  UniqueFd socket;
  int error = start_connect(remote_, port_, context_.scope(), socket);
  if (is_lack_of_resources(error) && context_.give_up_oldest())
    error = start_connect(remote_, port_, context_.scope(), socket);
  if (is_lack_of_resources(error)) {
    context_.warn_no_descriptors(error);
    return {Type::InsufficientResources, Detail::ResourceDevice};
  }
  if (error != 0) {
    failure_ = failure_of(error);
    attempt_soon();
    return kOk;
  }
  const SocketName own = local_name(socket.get());
  local_port_ = own.port;
  const bool same_host = remote_.is_loopback() || own.host == remote_;
  connection_ = std::make_unique<TcpConnection>(context_, std::move(socket), same_host);
  const Status status = connection_->expect_connection(*this);
  if (!status.ok()) hang_up();
  return status;
}

void TcpChannel::attempt_soon() {
  hang_up();
  context_.arm(*this, context_.now());
}

void TcpChannel::on_expired(Instant) {
  if (ports_.empty()) {
    events_.on_connect_failed(failure_, {});
    return;
  }
  port_ = ports_.back();
  if (attempts_now()) {
    ports_.pop_back();
    return;
  }
  // The consumer has its answer from the first one; this one waits, as those over shared memory do.
  hang_up();
  context_.arm(*this, context_.now() + kPauseWithoutResources);
}

// False: something lacks. Nothing may be thrown at the clock.
bool TcpChannel::attempts_now() {
  try {
    return attempt().ok();
  } catch (const std::bad_alloc&) {
    return false;
  }
}

void TcpChannel::hang_up() {
  if (connection_) TcpConnection::release(std::move(connection_));
}

void TcpChannel::on_tcp_connected(int error) {
  if (error != 0) {
    failure_ = failure_of(error);
    attempt_soon();
    return;
  }
  connection_->measure();
  connection_->session().connect(data_, wishes(revision_), events_, context_.now());
  connection_->touch();
}

// Somebody else's port, or one that does not know revision 2: the next one, or the older revision.
void TcpChannel::on_silent_refusal() {
  failure_ = ConnectFailure::NonPeerRejected;
  if (is_port(remote_port_) && revision_ == kRevision) {
    revision_ = kOldRevision;
    ports_.push_back(port_);
  }
  attempt_soon();
}

// --- a request that was accepted -----------------------------------------------------------------

void TcpChannel::accept(std::unique_ptr<TcpConnection> connection, PrivateData data) {
  connection_ = std::move(connection);
  connection_->set_owner(this);
  const SocketName peer = remote_name(connection_->socket());
  remote_ = peer.host;
  remote_port_ = peer.port;
  local_port_ = local_name(connection_->socket()).port;
  connection_->session().accept(data, wishes(kRevision), events_, context_.now());
  connection_->touch();
}

// --- requests ------------------------------------------------------------------------------------

StartResult TcpChannel::start(const WorkRequest& request) {
  const StartResult result = connection_->session().start(request);
  if (result != StartResult::Later) connection_->started();
  return result;
}

StartResult TcpChannel::start_now(const WorkRequest& request) {
  const StartResult result = connection_->session().start_now(request);
  if (result != StartResult::Later) connection_->started();
  return result;
}

void TcpChannel::on_receive_posted() {
  if (connection_) connection_->receive_posted();
}

void TcpChannel::close(CloseMode mode) {
  cancel();
  if (!connection_) return;
  connection_->session().close(mode, context_.now());
  hang_up();
}

} // namespace datum
