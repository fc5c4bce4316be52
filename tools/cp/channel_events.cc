// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The receiving half of Channel.
#include <cassert>
#include <utility>

#include <fmt/format.h>

#include "common/dat_error.h"
#include "common/interrupt.h"
#include "cp/channel.h"
#include "cp/channel_layout.h"
#include "cp/session.h"
#include "cp/wire.h"

namespace datum::cp {

using tools::check;
using tools::ExitCode;
using tools::ToolError;
using namespace std::chrono_literals;

namespace {

// If a wait ends later than this after its deadline, this process was stopped. The peer may have
// sent messages that this process has not taken.
constexpr auto kPunctual = 1s;

} // namespace

LinkEvent Channel::next(Sent sent) {
  tools::Deadline deadline = tools::after(silence_);
  for (;;) {
    if (auto event = poll()) return *std::move(event);
    if (sent == Sent::Flush) flush();
    if (!connected_) lost("");
    if (wait_until(deadline)) continue;
    if (std::chrono::steady_clock::now() < deadline + kPunctual)
      lost(fmt::format("silent for {} s; the process may be stopped, or its disk stuck",
                       std::chrono::duration_cast<std::chrono::seconds>(silence_).count()));
    deadline = tools::after(silence_);
  }
}

// While a busy peer sends, next() never waits, and only a wait notices a signal. So poll() checks
// for a signal.
std::optional<LinkEvent> Channel::poll() {
  tools::throw_if_interrupted();
  if (!opened_) {
    reap();
    post_waiting(1);
  }
  return take();
}

void Channel::tick() {
  tools::throw_if_interrupted();
  reap();
  flush();
  if (!connected_) lose_peer();
  if (outbox_.empty() && std::chrono::steady_clock::now() - last_sent_ > std::chrono::seconds(1)) {
    send(KeepAlive{});
    flush();
  }
}

void Channel::notify() {
  if (notice_posted_.exchange(true)) return;
  DAT_EVENT event = {};
  event.event_number = DAT_SOFTWARE_EVENT;
  // The EVD cannot overflow: it has room for more than all requests, and this is one event.
  [[maybe_unused]] const DAT_RETURN posted = dat_evd_post_se(evd_.get(), &event);
  assert(posted == DAT_SUCCESS);
}

// Waits for one event and handles it. False: the time is over.
bool Channel::wait_until(tools::Deadline deadline) {
  const auto event = tools::wait_event(evd_, deadline);
  if (event) handle(*event);
  return event.has_value();
}

void Channel::reap() {
  while (const auto event = tools::poll_event(evd_)) handle(*event);
}

void Channel::handle(const DAT_EVENT& event) {
  if (event.event_number == DAT_DTO_COMPLETION_EVENT) {
    handle_completion(event.event_data.dto_completion_event_data);
  } else if (event.event_number == DAT_SOFTWARE_EVENT) {
    notice_posted_ = false; // cleared before the caller checks why notify() was called
    notified_ = true;
  } else if (event.event_number == DAT_CONNECTION_EVENT_ESTABLISHED) {
    connected_ = true;
  } else {
    connected_ = false;
    ending_ = event.event_number;
  }
}

void Channel::handle_completion(const DAT_DTO_COMPLETION_EVENT_DATA& done) {
  const auto work = static_cast<Work>(done.user_cookie.as_64 >> 32);
  const auto index = static_cast<std::uint32_t>(done.user_cookie.as_64);
  if (done.status != DAT_DTO_SUCCESS) {
    if (done.status != DAT_DTO_ERR_FLUSHED && failure_.empty())
      failure_ = fmt::format("{} failed: {}", name_of(work), tools::dto_status_text(done.status));
    return;
  }
  if (work == Work::Send)
    free_sends_.push_back(index);
  else if (work == Work::Recv)
    inbox_.push_back({false, index, static_cast<std::size_t>(done.transfered_length)});
  else if (work == Work::Read)
    inbox_.push_back({true, index, 0});
}

std::optional<LinkEvent> Channel::take() {
  if (std::exchange(notified_, false)) return Notified{};
  for (;;) {
    if (opened_)
      if (auto message = message_in_frame()) return LinkEvent(*std::move(message));
    if (inbox_.empty()) return std::nullopt;
    const Arrived arrived = inbox_.front();
    inbox_.pop_front();
    if (arrived.is_slot) return SlotArrived{arrived.index};
    open_frame(arrived);
  }
}

void Channel::open_frame(const Arrived& arrived) {
  const auto bytes = messages_.bytes().subspan(arrived.index * kFrame, arrived.length);
  WireReader in(bytes);
  std::uint16_t granted = 0;
  if (!in.number(granted) || granted > kRecvs - credits_)
    protocol_error("a frame with wrong credits");
  // This side's answers wait for the peer's credits. Answers would pile up here if a peer gave no
  // credits but went on sending.
  if (owed_ == kRecvs) protocol_error("more frames than it has credits for");
  credits_ = static_cast<std::uint16_t>(credits_ + granted);
  opened_ = arrived.index;
  unread_ = bytes.subspan(kCredits);
}

std::optional<Message> Channel::message_in_frame() {
  if (!unread_.empty()) {
    WireReader in(unread_);
    std::uint16_t length = 0;
    if (!in.number(length) || length > unread_.size() - kLength)
      protocol_error("a frame that ends within a message");
    auto message = decode(unread_.subspan(kLength, length));
    if (!message) protocol_error("a message that cannot be decoded");
    unread_ = unread_.subspan(kLength + length);
    return message;
  }
  ++owed_;
  // After the peer has left, nothing can be received, and a posted Recv would only be flushed.
  if (connected_) post_recv(*opened_);
  opened_.reset();
  flush(); // the answers to the frame
  return std::nullopt;
}

bool Channel::ended() {
  reap();
  return ending_ != DAT_EVENT_NUMBER{};
}

// Called if the connection has ended in the middle of work for the peer. The peer's last message
// may tell the reason.
void Channel::lose_peer() {
  while (const auto event = take())
    if (const auto* message = std::get_if<Message>(&*event))
      if (const auto* abort = std::get_if<Abort>(message)) obey(*abort);
  lost("");
}

void Channel::lost(const std::string& why) const {
  std::string text =
      !why.empty() ? fmt::format("{}: {}", peer_, why) : tools::connection_failure(ending_, peer_);
  if (!failure_.empty()) text += fmt::format("; first {}", failure_);
  throw ToolError(ExitCode::PeerLost, text);
}

void Channel::finish(std::chrono::milliseconds goodbye) {
  finishing_ = true;
  const tools::Deadline deadline = tools::after(goodbye);
  while (connected_ && !outbox_.empty()) {
    while (take()) continue; // the peer's messages come too late, but its credits count
    flush();
    if (!outbox_.empty() && !wait_until(deadline)) break;
  }
  if (connected_) {
    check(dat_ep_disconnect(ep_.get(), DAT_CLOSE_GRACEFUL_FLAG), "dat_ep_disconnect", peer_);
    await_disconnect(goodbye);
  }
}

void Channel::await_disconnect(std::chrono::milliseconds goodbye) {
  const tools::Deadline deadline = tools::after(goodbye);
  while (connected_ && wait_until(deadline)) continue;
}

} // namespace datum::cp
