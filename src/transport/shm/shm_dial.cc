// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/shm/shm_dial.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <new>
#include <sys/epoll.h>

#include "base/log.h"
#include "base/refused_calls.h"
#include "transport/shm/peer_process.h"
#include "transport/shm/rendezvous.h"
#include "transport/shm/shm_context.h"

namespace datum {
namespace {

constexpr Duration kFirstPause = kMillisecond / 4;
constexpr Duration kLongestPause = 50 * kMillisecond;
// A listener that goes away hangs up on the sockets in its queue. A process that hangs up this
// often is no listener of Datum.
constexpr int kMaxHangups = 8;

} // namespace

ShmDial::ShmDial(ShmContext& context, const HostAddress& address, ConnQual qualifier,
                 GuardedFd found, DialEvents& events)
    : context_(context), address_(address), qualifier_(qualifier), events_(events),
      socket_(std::move(found)), pause_(kFirstPause) {
  Timer& timer = *this;
  context_.arm(timer, 0);
}

ShmDial::~ShmDial() {
  hang_up();
}

void ShmDial::hang_up() {
  FdHandler& self = *this;
  if (watching_) context_.reactor.remove(socket_.get(), self);
  watching_ = false;
  socket_ = GuardedFd();
  if (!offered_) return;
  const auto at = std::find(context_.offering.begin(), context_.offering.end(), offered_->peer);
  context_.offering.erase(at);
  offered_.reset();
}

void ShmDial::dial_again() {
  hang_up();
  Timer& timer = *this;
  context_.arm(timer, pause_);
  pause_ = std::min(2 * pause_, kLongestPause);
}

void ShmDial::wait_for(Shortage shortage) {
  context_.warn(shortage);
  dial_again();
}

// A shortage passes. A refusal of the kernel, or of a filter of system calls, does not.
void ShmDial::wait_or_give_up(Shortage shortage) {
  if (shortage.lack != Lack::Other) return wait_for(shortage);
  context_.warn_blind(shortage);
  give_up(DialFailure::Unreachable);
}

void ShmDial::on_hangup() {
  if (++hangups_ > kMaxHangups) {
    log(LogLevel::Info,
        "dial to {} qualifier {}: who listens there hung up {} times without an answer; its log "
        "may say why",
        to_text(address_), qualifier_, hangups_);
    return give_up(DialFailure::Refused);
  }
  dial_again();
}

void ShmDial::succeed(ShmPort& port) {
  hang_up();
  events_.on_dialled(port);
}

void ShmDial::give_up(DialFailure failure) {
  hang_up();
  events_.on_dial_failed(failure);
}

void ShmDial::on_expired(Instant) {
  try {
    begin();
  } catch (const std::bad_alloc&) {
    wait_for(kNoMemory);
  }
}

void ShmDial::begin() {
  if (socket_ || find()) say_hello();
}

// False: the dial has been ended or put off.
bool ShmDial::find() {
  const Finding found =
      find_rendezvous(address_, qualifier_, context_.holders, context_.now(), socket_);
  switch (found.what) {
  case Lookup::Found: return true;
  case Lookup::OtherHost: give_up(DialFailure::Unreachable); break;
  case Lookup::Nobody: give_up(DialFailure::NobodyListens); break;
  case Lookup::Stranger: give_up(DialFailure::Refused); break;
  case Lookup::OtherVersion:
    context_.warn_version(address_, qualifier_, found.version);
    give_up(DialFailure::Refused);
    break;
  case Lookup::Unnamed:
    context_.warn_unnamed();
    give_up(DialFailure::Refused);
    break;
  case Lookup::Forbidden:
    context_.warn_forbidden(shortage_of(found.error));
    give_up(DialFailure::Unreachable);
    break;
  case Lookup::Busy:
  case Lookup::BusyUnnamed: dial_again(); break;
  case Lookup::Unknown:
  case Lookup::NoResources: wait_or_give_up(shortage_of(found.error)); break;
  }
  return false;
}

void ShmDial::say_hello() {
  FdHandler& self = *this;
  if (!context_.reactor.add(socket_.get(), EPOLLIN, self).ok()) return on_hangup();
  watching_ = true;
  std::byte bytes[Greeting::kWireSize];
  encode(context_.self, bytes);
  const int error = send_message(socket_.get(), bytes);
  if (error != 0) on_unsent(error);
}

void ShmDial::on_unsent(int error) {
  if (is_refusal_of_call(error)) return on_refusal("sendmsg", error);
  on_hangup();
}

void ShmDial::on_unknown_peer(int error) {
  if (is_refusal_of_call(error)) return on_refusal("getsockopt", error);
  on_hangup();
}

void ShmDial::on_no_segment(int error) {
  if (is_refusal_of_call(error))
    return on_refusal("memory to share (memfd_create, ftruncate, mmap or fcntl)", error);
  wait_for(shortage_of(error));
}

void ShmDial::on_refusal(const char* call, int error) {
  context_.warn_refused(call, error);
  give_up(DialFailure::Unreachable);
}

void ShmDial::on_ready(std::uint32_t) {
  std::byte message[kLargestMessage + 1];
  std::size_t length = 0;
  PassedFds passed;
  switch (receive_message(socket_.get(), message, length, passed)) {
  case ReceiveResult::Nothing: return;
  case ReceiveResult::Refused: return on_refusal("recvmsg", errno);
  case ReceiveResult::Lacking: return wait_for(shortage_of(errno));
  case ReceiveResult::Ended:
  case ReceiveResult::Garbage: return on_hangup();
  case ReceiveResult::Message: break;
  }
  const std::span<const std::byte> bytes(message, length);
  try {
    if (offered_)
      on_ready_message(bytes, passed);
    else
      on_answer(bytes);
  } catch (const std::bad_alloc&) {
    wait_for(kNoMemory);
  }
}

void ShmDial::on_answer(std::span<const std::byte> message) {
  Preamble preamble;
  if (!decode(message, preamble)) return on_hangup();
  if (preamble.version != kHandshakeVersion || preamble.verdict == DialVerdict::WrongVersion) {
    context_.warn_version(address_, qualifier_, preamble.version);
    return give_up(DialFailure::Refused);
  }
  Greeting answer;
  if (!decode(message, answer) || preamble.kind != MessageKind::Answer) return on_hangup();
  switch (preamble.verdict) {
  case DialVerdict::Full: return give_up(DialFailure::Unreachable);
  case DialVerdict::Existing: break;
  case DialVerdict::Fresh: return make_offer(answer);
  default: return dial_again();
  }
  // If this side has no link to the peer, one of the two sides has not noticed yet that the link
  // was lost. So dial again.
  const auto process = peer_credentials(socket_.get());
  if (!process) return on_unknown_peer(process.error());
  ShmPort* port = context_.links.find({answer.id, *process});
  if (port == nullptr) return dial_again();
  succeed(*port);
}

void ShmDial::make_offer(const Greeting& answer) {
  LinkParts parts;
  const auto process = peer_credentials(socket_.get());
  if (!process) return on_unknown_peer(process.error());
  parts.peer = {answer.id, *process};
  parts.peer_address = answer.address;
  // There is a link that the peer does not know of, or another dial of this adapter is about to
  // make a link. Either case ends shortly, so dial again.
  if (context_.links.find(parts.peer) != nullptr || context_.is_offering(parts.peer))
    return dial_again();
  const auto host = read_address(answer.address);
  const OrErrno<bool> local = host ? is_local(*host) : OrErrno<bool>(false);
  if (!local) return wait_or_give_up(shortage_of(local.error()));
  if (!*local) return on_hangup();
  if (context_.links.full()) {
    context_.warn_full();
    return give_up(DialFailure::Unreachable);
  }
  SealedMemory memory = make_segment();
  if (!memory.mapping) return on_no_segment(errno);
  parts.segment = std::move(memory.mapping);
  context_.open_direct(parts.peer.process, answer.direct, parts);

  Agreement offer;
  offer.preamble = {kHandshakeVersion, MessageKind::Offer, DialVerdict::Fresh};
  offer.has_direct = parts.direct != nullptr;
  std::byte bytes[Agreement::kWireSize];
  encode(offer, bytes);
  const std::array<int, 2> fds{memory.file.get(), context_.self_pidfd.get()};
  const int error = send_message(socket_.get(), bytes, std::span(fds).first(fds[1] >= 0 ? 2 : 1));
  if (error != 0) return on_unsent(error);
  context_.offering.push_back(parts.peer);
  offered_ = std::move(parts);
}

void ShmDial::on_ready_message(std::span<const std::byte> message, PassedFds& passed) {
  Agreement ready;
  if (!decode(message, ready) || ready.preamble.kind != MessageKind::Ready ||
      ready.preamble.version != kHandshakeVersion)
    return on_hangup();
  switch (ready.preamble.verdict) {
  case DialVerdict::Fresh: break;
  case DialVerdict::Full: return give_up(DialFailure::Unreachable);
  default: return dial_again();
  }
  LinkParts parts = std::move(*offered_);
  parts.peer_has_direct = ready.has_direct;
  parts.pidfd = GuardedFd(peer_pidfd(socket_.get(), std::move(passed.fds[0])));
  FdHandler& self = *this;
  context_.reactor.remove(socket_.get(), self);
  watching_ = false;
  parts.socket = std::move(socket_);
  hang_up();
  ShmPort* port = context_.links.add(std::move(parts));
  if (port == nullptr) return dial_again();
  succeed(*port);
}

} // namespace datum
