// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "perf/control.h"

#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "common/dat_error.h"

namespace datum::perf {

using tools::check;
using tools::ExitCode;
using tools::ToolError;

namespace {

constexpr auto kControlPatience = std::chrono::seconds(30);
constexpr std::uint64_t kSendCookie = 1000;

} // namespace

Control::Control(const tools::Interface& ia)
    : pz_(make_pz(ia)), evd_(make_evd(ia, 32, DAT_EVD_DTO_FLAG | DAT_EVD_CONNECTION_FLAG)),
      region_(ia, pz_, memory_, DAT_MEM_PRIV_LOCAL_READ_FLAG | DAT_MEM_PRIV_LOCAL_WRITE_FLAG),
      ep_(make_ep(ia, pz_, evd_)) {
  for (std::size_t i = 0; i < kReceives; ++i) post_recv(i);
}

std::span<std::byte> Control::slot(std::size_t index) {
  return std::span(memory_).subspan(index * kMaxMessage, kMaxMessage);
}

void Control::post_recv(std::size_t index) {
  DAT_LMR_TRIPLET iov = region_.local(index * kMaxMessage, kMaxMessage);
  DAT_DTO_COOKIE cookie = {};
  cookie.as_64 = index;
  check(dat_ep_post_recv(ep_.get(), 1, &iov, cookie, DAT_COMPLETION_DEFAULT_FLAG),
        "dat_ep_post_recv", "control", ExitCode::PeerLost);
}

void Control::connect(const tools::Address& address, DAT_CONN_QUAL port,
                      std::chrono::milliseconds timeout, const std::string& peer) {
  peer_ = peer;
  tools::connect(ep_, evd_, address, port, std::string(kControlHello), timeout, peer);
  connected_ = true;
}

void Control::accept(tools::Cr request, tools::Deadline deadline, const std::string& peer) {
  peer_ = peer;
  tools::accept(std::move(request), ep_.get(), peer_);
  while (inbox_.empty()) {
    const auto event = tools::wait_event(evd_, deadline);
    if (!event) throw ToolError(ExitCode::PeerLost, peer_ + ": it connected, but said nothing");
    handle(*event);
  }
}

void Control::handle(const DAT_EVENT& event) {
  if (event.event_number == DAT_CONNECTION_EVENT_ESTABLISHED) {
    connected_ = true;
    return;
  }
  if (event.event_number != DAT_DTO_COMPLETION_EVENT) {
    connected_ = false;
    ended_ = true;
    throw ToolError(ExitCode::PeerLost, tools::connection_failure(event.event_number, peer_));
  }
  const auto& done = event.event_data.dto_completion_event_data;
  if (done.user_cookie.as_64 == kSendCookie) sending_ = false;
  // The connection event that follows tells the cause.
  if (done.status == DAT_DTO_ERR_FLUSHED) return;
  if (done.status != DAT_DTO_SUCCESS)
    throw ToolError(ExitCode::PeerLost,
                    fmt::format("{}: {}", peer_, tools::dto_status_text(done.status)));
  const std::uint64_t index = done.user_cookie.as_64;
  if (index != kSendCookie) inbox_.push_back({index, done.transfered_length});
}

void Control::send(const Message& message) {
  if (ended_)
    throw ToolError(ExitCode::PeerLost, fmt::format("{}: the connection has ended", peer_));
  const tools::Deadline deadline = tools::after(kControlPatience);
  while (sending_) {
    const auto event = tools::wait_event(evd_, deadline);
    if (!event)
      throw ToolError(ExitCode::PeerLost,
                      fmt::format("{}: took no message for {} s", peer_, kControlPatience.count()));
    handle(*event);
  }
  const std::string bytes = encode(message);
  std::memcpy(slot(kReceives).data(), bytes.data(), bytes.size());
  DAT_LMR_TRIPLET iov = region_.local(kReceives * kMaxMessage, bytes.size());
  DAT_DTO_COOKIE cookie = {};
  cookie.as_64 = kSendCookie;
  check(dat_ep_post_send(ep_.get(), 1, &iov, cookie, DAT_COMPLETION_DEFAULT_FLAG),
        "dat_ep_post_send", peer_, ExitCode::PeerLost);
  sending_ = true;
}

bool Control::waiting() {
  while (const auto event = tools::poll_event(evd_)) handle(*event);
  return !inbox_.empty();
}

Message Control::receive(std::optional<std::chrono::seconds> patience) {
  const tools::Deadline deadline = patience ? tools::after(*patience) : tools::kNever;
  while (inbox_.empty()) {
    const auto event = tools::wait_event(evd_, deadline);
    if (!event)
      throw ToolError(ExitCode::PeerLost,
                      fmt::format("{}: no answer for {} s; is the other side stopped, or this "
                                  "machine very busy?",
                                  peer_, patience->count()));
    handle(*event);
  }
  const auto [index, length] = inbox_.front();
  inbox_.pop_front();
  Message message = decode({reinterpret_cast<const char*>(slot(index).data()), length});
  post_recv(index);
  if (message.verb == "error") throw ToolError(ExitCode::Failed, peer_ + ": " + message.text);
  return message;
}

Message Control::ask(const Message& message) {
  send(message);
  return receive(kControlPatience);
}

void Control::close() {
  if (!connected_) return;
  connected_ = false;
  if (dat_ep_disconnect(ep_.get(), DAT_CLOSE_GRACEFUL_FLAG) != DAT_SUCCESS) return;
  const tools::Deadline deadline = tools::after(std::chrono::seconds(5));
  while (const auto event = tools::wait_event(evd_, deadline))
    if (event->event_number == DAT_CONNECTION_EVENT_DISCONNECTED ||
        event->event_number == DAT_CONNECTION_EVENT_BROKEN)
      return;
}

} // namespace datum::perf
