// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/shm/shm_port.h"

#include <cerrno>
#include <cstring>
#include <new>
#include <optional>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "base/assertion.h"
#include "base/cancellation.h"
#include "base/cores.h"
#include "base/log.h"
#include "base/refused_calls.h"
#include "base/socket_call.h"
#include "transport/host/host_address.h"
#include "transport/shm/shm_context.h"

namespace datum {
namespace {

constexpr std::byte kDoorbell{1};
constexpr int kDoorbellsAtOnce = 16; // a peer that rings without end gets only its turn
// The interval at which the peer's process is checked if no descriptor reports its death. A check
// takes a few microseconds.
constexpr Duration kDeathLook = 500 * kMillisecond;

bool shares_core_with(pid_t pid) {
  const std::optional<int> core = only_core();
  return core && runs_only_on(*core, pid);
}

bool lacks_memory(int error) {
  return error == ENOMEM || error == ENOBUFS;
}

int send_doorbell(int socket) {
  const auto sent = send_octets(socket, {&kDoorbell, 1}, MSG_DONTWAIT | MSG_NOSIGNAL);
  return sent >= 0 ? 0 : errno;
}

std::string name_of(const Address& address) noexcept {
  try {
    const auto host = read_address(address);
    return host ? to_text(*host) : "?";
  } catch (const std::bad_alloc&) {
    return {};
  }
}

} // namespace

ShmPort::ShmPort(ShmContext& context, LinkParts parts)
    : context_(context), parts_(std::move(parts)),
      process_(parts_.pidfd ? 0 : parts_.peer.process.pid),
      shares_core_(shares_core_with(parts_.peer.process.pid)) {}

ShmPort::~ShmPort() {
  unwatch();
}

Status ShmPort::watch() {
  DATUM_ASSERT(!watching_socket_ && !watching_process_);
  FdHandler& self = *this;
  const Status status = context_.reactor.add(parts_.socket.get(), EPOLLIN | EPOLLRDHUP, self);
  if (!status.ok()) return status;
  watching_socket_ = true;
  if (!parts_.pidfd) {
    context_.arm(death_timer_, kDeathLook);
    return kOk;
  }
  const Status second = context_.reactor.add(parts_.pidfd.get(), EPOLLIN, death_watch_);
  watching_process_ = second.ok();
  return second;
}

void ShmPort::unwatch() {
  FdHandler& self = *this;
  if (watching_socket_) context_.reactor.remove(parts_.socket.get(), self);
  if (watching_process_) context_.reactor.remove(parts_.pidfd.get(), death_watch_);
  watching_socket_ = watching_process_ = false;
  death_timer_.cancel();
}

void ShmPort::look_for_death() {
  if (process_.has_ended()) return context_.links.lose(*this);
  context_.arm(death_timer_, kDeathLook);
}

void ShmPort::ring_doorbell() {
  if (condemned_) return;
  const NotCancellable here;
  // If the socket is full, enough doorbells are pending. If it is closed, on_ready() learns of it
  // by a hangup.
  const int error = send_doorbell(parts_.socket.get());
  // The peer sleeps, and no later call rings this doorbell. So a timer tries again.
  if (lacks_memory(error)) [[unlikely]]
    context_.arm(doorbell_timer_, kMillisecond);
  if (!is_refusal_of_call(error)) [[likely]]
    return;
  // Nothing else would wake the peer. Both sides are told by a hangup: the caller may be about to
  // sleep, and would not notice a timer that is armed now.
  tell_refused("sendto and sendmsg", error);
  condemned_ = true;
  ::shutdown(parts_.socket.get(), SHUT_RDWR);
}

void ShmPort::tell_refused(const char* calls, int error) const {
  log_of_peer(LogLevel::Warn,
              "link to {} (process {}): {} refuses {}: {}; the link is closed; permit one of these "
              "calls",
              name_of(parts_.peer_address), parts_.peer.process.pid, kSandbox, calls,
              std::strerror(error));
}

DirectAccess* ShmPort::direct() {
  return condemned_ ? nullptr : parts_.direct.get();
}

const char* ShmPort::path() const {
  if (parts_.direct == nullptr) return "shm ring";
  return parts_.direct->has_mappings() ? "shm mapped" : "shm cma";
}

std::string ShmPort::path_reason() const {
  if (parts_.direct == nullptr) return parts_.direct_reason;
  if (parts_.direct->has_mappings()) return {};
  return "no memory of the peer is mapped so far; it has to come from datum_memory(3)";
}

bool ShmPort::peer_has_died() const {
  if (!parts_.pidfd) return process_.has_ended();
  pollfd process{parts_.pidfd.get(), POLLIN, 0};
  return ::poll(&process, 1, 0) == 1;
}

void ShmPort::retire() {
  condemned_ = true;
  idle_timer_.cancel();
  doorbell_timer_.cancel();
  unwatch();
}

void ShmPort::condemn(const char* reason) {
  if (condemned_) return;
  log_of_peer(LogLevel::Warn, "link to {} (process {}): {}; the link is closed",
              name_of(parts_.peer_address), parts_.peer.process.pid, reason);
  // The peer sees a hangup at once. On this side the timer calls on_expired(), which announces the
  // loss.
  retire();
  ::shutdown(parts_.socket.get(), SHUT_RDWR);
  Timer& timer = *this;
  context_.arm(timer, 0);
}

// A timer that runs already is not armed again, since connections come and go far more often than
// links. on_idle_long() finds out how long the link has been idle.
void ShmPort::on_idle() {
  idle_since_ = context_.now();
  if (!idle_timer_runs_) run_idle_timer(context_.options.idle_link_limit);
}

void ShmPort::run_idle_timer(Duration time) {
  idle_timer_runs_ = true;
  context_.arm(idle_timer_, time);
}

void ShmPort::on_idle_long() {
  idle_timer_runs_ = false;
  const Duration left = idle_since_ + context_.options.idle_link_limit - context_.now();
  if (left > 0) return run_idle_timer(left);
  switch (context_.events->judge_idle(*this)) {
  case IdleLink::InUse: return;
  case IdleLink::Later: return run_idle_timer(context_.options.idle_link_limit);
  case IdleLink::Drop: return context_.links.lose(*this);
  }
}

void ShmPort::on_expired(Instant) {
  context_.links.lose(*this);
}

ShmPort::Drained ShmPort::drain_doorbells() {
  Drained result = Drained::Empty;
  for (int i = 0; i < kDoorbellsAtOnce; ++i) {
    std::byte doorbell[2];
    const ssize_t got = receive_octets(parts_.socket.get(), doorbell, MSG_DONTWAIT);
    // A doorbell that cannot be read for lack of memory stays in the socket until the next call.
    if (got < 0 && (errno == EAGAIN || errno == EINTR || lacks_memory(errno))) return result;
    if (got < 0 && is_refusal_of_call(errno)) return Drained::Refused;
    if (got < 0) return Drained::Ended;
    if (got == 0) return Drained::Ended;
    if (got != 1 || doorbell[0] != kDoorbell) return Drained::Garbage;
    result = Drained::Rung;
  }
  return result;
}

void ShmPort::on_ready(std::uint32_t) {
  switch (drain_doorbells()) {
  case Drained::Empty: return;
  case Drained::Rung: context_.events->on_doorbell(*this); return;
  case Drained::Garbage: condemn("the peer sent something that is not a bell"); return;
  case Drained::Refused:
    tell_refused("recvfrom and recvmsg", errno);
    context_.links.lose(*this);
    return;
  case Drained::Ended: context_.links.lose(*this); return;
  }
}

void ShmPort::DeathWatch::on_ready(std::uint32_t) {
  port.context_.links.lose(port);
}

} // namespace datum
