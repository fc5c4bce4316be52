// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "transport/shm/half_open.h"

#include <algorithm>
#include <cerrno>
#include <new>
#include <sys/epoll.h>

#include "base/assertion.h"
#include "base/log.h"
#include "base/refused_calls.h"
#include "transport/host/host_address.h"
#include "transport/host/same_user.h"
#include "transport/shm/peer_process.h"
#include "transport/shm/shm_context.h"

namespace datum {
namespace {

// A refusal is logged on this side, because the dialler sees nothing but a hangup.
bool was_sent(ShmContext& context, int error) {
  if (is_refusal_of_call(error)) context.warn_refused("sendmsg", error);
  return error == 0;
}

} // namespace

void HalfOpen::begin(ShmContext& context, GuardedFd socket) {
  const auto process = peer_credentials(socket.get());
  if (!process && is_refusal_of_call(process.error()))
    context.warn_refused("getsockopt", process.error());
  if (!process) return; // the dialler sees a hangup
  std::unique_ptr<HalfOpen> half_open(new HalfOpen(context, std::move(socket), *process));
  if (half_open->is_one_too_many()) return half_open->defer();
  FdHandler& handler = *half_open;
  if (!context.reactor.add(half_open->socket_.get(), EPOLLIN, handler).ok()) return;
  half_open->watching_ = true;
  Timer& timer = *half_open;
  context.half_open.push_back(std::move(half_open));
  context.arm(timer, context.options.half_open_limit);
}

HalfOpen::HalfOpen(ShmContext& context, GuardedFd socket, const PeerCredentials& process)
    : context_(context), socket_(std::move(socket)) {
  peer_.process = process;
}

// No user can lock others out by dialling and then staying silent. A user other than the one of
// this process gets a quarter of the places. All such users together get three quarters.
bool HalfOpen::is_one_too_many() const {
  const uid_t ours = ::geteuid();
  const uid_t user = peer_.process.uid;
  if (is_same_user(user, ours).value_or(false)) return false;
  // If the peer has the uid of this process and that uid may stand for unknown users, all peers
  // count as strangers.
  std::size_t of_user = 0;
  std::size_t of_strangers = 0;
  for (const auto& other : context_.half_open) {
    if (other->peer_.process.uid == user) ++of_user;
    if (other->peer_.process.uid != ours || user == ours) ++of_strangers;
  }
  const std::size_t quarter = context_.options.max_half_open / 4;
  return of_user >= quarter || of_strangers >= context_.options.max_half_open - quarter;
}

void HalfOpen::defer() {
  std::byte hello[kLargestMessage + 1];
  std::size_t length = 0;
  PassedFds passed;
  // An unread message would make the kernel end the connection before the dialler reads the answer.
  static_cast<void>(receive_message(socket_.get(), hello, length, passed));
  answer_again();
}

void HalfOpen::answer_again() {
  Greeting answer = context_.self;
  answer.preamble.kind = MessageKind::Answer;
  answer.preamble.verdict = DialVerdict::Again;
  std::byte bytes[Greeting::kWireSize];
  encode(answer, bytes);
  static_cast<void>(send_message(socket_.get(), bytes));
}

HalfOpen::~HalfOpen() {
  FdHandler& self = *this;
  if (watching_) context_.reactor.remove(socket_.get(), self);
}

void HalfOpen::on(HalfOpenEvent event) {
  const std::optional<HalfOpenState> next = next_in(kHalfOpenTable, state_, event);
  DATUM_ASSERT(next);
  if (next) state_ = *next;
}

void HalfOpen::finish() {
  on(HalfOpenEvent::Leave);
  const auto at = std::find_if(context_.half_open.begin(), context_.half_open.end(),
                               [this](const auto& other) { return other.get() == this; });
  DATUM_ASSERT(at != context_.half_open.end());
  context_.half_open.erase(at);
}

void HalfOpen::on_expired(Instant) {
  finish();
}

void HalfOpen::on_ready(std::uint32_t) {
  std::byte message[kLargestMessage + 1];
  std::size_t length = 0;
  PassedFds passed;
  switch (receive_message(socket_.get(), message, length, passed)) {
  case ReceiveResult::Nothing: return;
  case ReceiveResult::Refused:
    context_.warn_refused("recvmsg", errno);
    finish();
    return;
  case ReceiveResult::Lacking:
    on_lack(shortage_of(errno));
    finish();
    return;
  case ReceiveResult::Ended:
  case ReceiveResult::Garbage: finish(); return;
  case ReceiveResult::Message: break;
  }
  const std::span<const std::byte> bytes(message, length);
  bool goes_on = false;
  try {
    goes_on = state_ == HalfOpenState::Known ? on_offer(bytes, passed) : on_hello(bytes);
  } catch (const std::bad_alloc&) {
    context_.warn(kNoMemory); // the dialler sees a hangup and dials again
  }
  if (!goes_on) finish();
}

DialVerdict HalfOpen::judge_hello(const Preamble& preamble) const {
  if (preamble.version != kHandshakeVersion) return DialVerdict::WrongVersion;
  if (context_.links.find(peer_) != nullptr) return DialVerdict::Existing;
  return context_.links.full() ? DialVerdict::Full : DialVerdict::Fresh;
}

// The dialler sees no more than a hangup, so the log of this process has to name the cause.
bool HalfOpen::on_unknown_address(Shortage shortage) {
  if (shortage.lack == Lack::Other)
    context_.warn_blind(shortage);
  else
    on_lack(shortage);
  return false;
}

bool HalfOpen::on_hello(std::span<const std::byte> message) {
  Preamble preamble;
  if (!decode(message, preamble)) return false;
  Greeting hello;
  if (preamble.version == kHandshakeVersion) {
    if (!decode(message, hello) || preamble.kind != MessageKind::Hello) return false;
    const auto host = read_address(hello.address);
    const OrErrno<bool> local = host ? is_local(*host) : OrErrno<bool>(false);
    if (!local) return on_unknown_address(shortage_of(local.error()));
    if (!*local) return false;
  }
  peer_.id = hello.id;
  peer_address_ = hello.address;
  terms_ = hello.direct;

  Greeting answer = context_.self;
  answer.preamble.kind = MessageKind::Answer;
  answer.preamble.verdict = judge_hello(preamble);
  if (answer.preamble.verdict == DialVerdict::Full) context_.warn_full();
  if (answer.preamble.verdict == DialVerdict::WrongVersion)
    log_of_peer(LogLevel::Warn,
                "process {} dials with version {} of the same-host protocol, this one speaks "
                "version {}: refused; {}",
                peer_.process.pid, preamble.version, kHandshakeVersion,
                remedy_for(preamble.version));
  std::byte bytes[Greeting::kWireSize];
  encode(answer, bytes);
  on(HalfOpenEvent::Spoke);
  return was_sent(context_, send_message(socket_.get(), bytes)) &&
         answer.preamble.verdict == DialVerdict::Fresh;
}

// Two adapters that dial each other at the same time both make an offer. The offer of the adapter
// with the smaller id is accepted. The other adapter dials again and finds the link.
DialVerdict HalfOpen::judge_offer() const {
  if (context_.links.find(peer_) != nullptr) return DialVerdict::Existing;
  if (peer_.id != context_.self.id && context_.is_offering(peer_) && context_.self.id < peer_.id)
    return DialVerdict::Again;
  return context_.links.full() ? DialVerdict::Full : DialVerdict::Fresh;
}

bool HalfOpen::send_ready(int socket, DialVerdict verdict, bool has_direct) {
  Agreement ready;
  ready.preamble = {kHandshakeVersion, MessageKind::Ready, verdict};
  ready.has_direct = has_direct;
  std::byte bytes[Agreement::kWireSize];
  encode(ready, bytes);
  const int pidfd = context_.self_pidfd.get();
  const std::span<const int> fds(&pidfd, pidfd >= 0 ? 1 : 0);
  return was_sent(context_, send_message(socket, bytes, fds));
}

// A shortage passes, so the dialler is asked to dial again. If it saw hangups instead, it would
// give up after a few.
void HalfOpen::on_lack(Shortage shortage) {
  context_.warn(shortage);
  if (state_ == HalfOpenState::Known)
    static_cast<void>(send_ready(socket_.get(), DialVerdict::Again, false));
  else
    answer_again();
}

void HalfOpen::on_fault(const FileFault& fault, int file) {
  if (fault.call == nullptr) return tell_of_segment(file);
  // A lack of memory may pass at once: the dialler sees a hangup, and dials again a few times.
  if (!is_refusal_of_call(fault.error)) return context_.warn(kNoMemory);
  context_.warn_refused(fault.call, fault.error);
  static_cast<void>(send_ready(socket_.get(), DialVerdict::Full, false));
}

void HalfOpen::tell_of_segment(int file) const {
  const auto version = segment_version(file);
  if (version && *version != kSegmentVersion)
    log_of_peer(LogLevel::Warn,
                "process {} offered a link segment of version {}, this one knows version {}: "
                "refused; install the same Datum for both",
                peer_.process.pid, *version, kSegmentVersion);
  else
    log_of_peer(LogLevel::Warn, "process {} offered a segment that is not a sealed one: refused",
                peer_.process.pid);
}

bool HalfOpen::on_offer(std::span<const std::byte> message, PassedFds& passed) {
  Agreement offer;
  if (!decode(message, offer) || offer.preamble.kind != MessageKind::Offer ||
      offer.preamble.version != kHandshakeVersion || passed.count == 0)
    return false;
  const DialVerdict verdict = judge_offer();
  if (verdict != DialVerdict::Fresh) {
    if (verdict == DialVerdict::Full) context_.warn_full();
    static_cast<void>(send_ready(socket_.get(), verdict, false));
    return false;
  }
  auto segment = adopt_segment(passed.fds[0].get());
  if (!segment) {
    on_fault(segment.error(), passed.fds[0].get());
    return false;
  }
  LinkParts parts;
  parts.segment = std::move(*segment);
  parts.side = 1;
  parts.peer = peer_;
  parts.peer_address = peer_address_;
  parts.peer_has_direct = offer.has_direct;
  context_.open_direct(peer_.process, terms_, parts);
  const bool direct = parts.direct != nullptr;
  const int socket = socket_.get();
  parts.pidfd = GuardedFd(peer_pidfd(socket, std::move(passed.fds[1])));
  FdHandler& self = *this;
  context_.reactor.remove(socket, self);
  watching_ = false;
  parts.socket = std::move(socket_);
  // Ready is sent only if the link stands on this side. Otherwise the dialler sees a hangup.
  ShmPort* port = context_.links.add(std::move(parts));
  if (port != nullptr && !send_ready(socket, DialVerdict::Fresh, direct))
    context_.links.lose(*port);
  return false;
}

} // namespace datum
