// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// The functions of Link that are measured. They allocate nothing.
#include <chrono>

#include <fmt/format.h>

#include "common/dat_error.h"
#include "common/dat_events.h"
#include "common/interrupt.h"
#include "perf/link.h"
#include "perf/stopwatch.h"

namespace datum::perf {

using tools::ExitCode;
using tools::ToolError;

namespace {

// After this time without progress the peer counts as lost.
constexpr auto kSilence = std::chrono::seconds(10);
constexpr std::uint32_t kEmptyPolls = 65536; // empty polls between readings of the clock
constexpr std::uint64_t kReceive = std::uint64_t{1} << 63U;

DAT_DTO_COOKIE receive_cookie(std::uint32_t ep) {
  DAT_DTO_COOKIE cookie = {};
  cookie.as_64 = kReceive | ep;
  return cookie;
}

// covers: how many requests are complete when this request is.
DAT_DTO_COOKIE request_cookie(std::uint32_t ep, std::uint32_t covers) {
  DAT_DTO_COOKIE cookie = {};
  cookie.as_64 = (std::uint64_t{covers} << 32U) | ep;
  return cookie;
}

bool is_silent_since(double ns) {
  return now_ns() - ns > std::chrono::duration<double, std::nano>(kSilence).count();
}

} // namespace

void Link::silent() const {
  throw ToolError(ExitCode::PeerLost,
                  fmt::format("{}: nothing happened for {} s during {}; is the other side stopped, "
                              "or this machine very busy?",
                              peer_name_, kSilence.count(), test_name(task_)));
}

void Link::lost(std::string_view how) const {
  throw ToolError(ExitCode::PeerLost,
                  fmt::format("{}: the connection was lost during {} ({}); did the process there "
                              "die, or the network fail?",
                              peer_name_, test_name(task_), how));
}

// An endpoint whose connection has ended takes no request. The connection event may come later.
void Link::check_posted(DAT_RETURN ret) const {
  if (tools::is_type(ret, DAT_INVALID_STATE)) lost("DAT_INVALID_STATE");
  tools::check(ret, "posting", test_name(task_), ExitCode::PeerLost);
}

void Link::post_recv(std::uint32_t ep) {
  DAT_LMR_TRIPLET iov = region_.local(receives_at_, task_.op == Op::Send ? task_.size : 64);
  const DAT_RETURN ret =
      dat_ep_post_recv(eps_[ep].get(), 1, &iov, receive_cookie(ep), DAT_COMPLETION_DEFAULT_FLAG);
  if (ret != DAT_SUCCESS) [[unlikely]]
    tools::check(ret, "dat_ep_post_recv", test_name(task_));
  ++flows_[ep].receives;
}

void Link::post(Op op, std::uint32_t ep, bool signal) {
  post_length(op, ep, task_.size, signal);
}

void Link::post_answer() {
  post_length(Op::Send, 0, 1, true);
}

void Link::post_length(Op op, std::uint32_t ep, std::uint64_t length, bool signal) {
  Flow& flow = flows_[ep];
  if (flow.outstanding >= depth_) await_requests(ep, depth_ - 1);
  ++flow.outstanding;
  ++flow.silent;
  signal = signal || flow.silent >= every_;
  const DAT_DTO_COOKIE cookie = request_cookie(ep, flow.silent);
  if (signal) flow.silent = 0;
  const auto flags = signal ? DAT_COMPLETION_DEFAULT_FLAG : DAT_COMPLETION_SUPPRESS_FLAG;
  const bool read = op == Op::Read;
  DAT_LMR_TRIPLET local = region_.local(read ? stride_ : 0, length);
  DAT_RMR_TRIPLET remote =
      tools::remote(peer_.rmr_context, peer_.base + (read ? 0 : stride_), length);
  DAT_EP_HANDLE const handle = eps_[ep].get();
  DAT_RETURN ret = DAT_SUCCESS;
  if (op == Op::Send)
    ret = dat_ep_post_send(handle, 1, &local, cookie, flags);
  else if (read)
    ret = dat_ep_post_rdma_read(handle, 1, &local, cookie, &remote, flags);
  else
    ret = dat_ep_post_rdma_write(handle, 1, &local, cookie, &remote, flags);
  if (ret != DAT_SUCCESS) [[unlikely]]
    check_posted(ret);
}

void Link::write_stop_line() {
  *stop_line() = 1;
  DAT_LMR_TRIPLET local = region_.local(2 * stride_, 1);
  DAT_RMR_TRIPLET remote = tools::remote(peer_.rmr_context, peer_.base + 2 * stride_, 1);
  Flow& flow = flows_[0];
  ++flow.outstanding;
  check_posted(dat_ep_post_rdma_write(eps_[0].get(), 1, &local, request_cookie(0, flow.silent + 1),
                                      &remote, DAT_COMPLETION_DEFAULT_FLAG));
  flow.silent = 0;
  await_requests(0, 0);
  *stop_line() = 0;
}

void Link::take(const DAT_EVENT& event) {
  if (event.event_number == DAT_DTO_COMPLETION_EVENT) [[likely]] {
    const auto& done = event.event_data.dto_completion_event_data;
    if (done.status != DAT_DTO_SUCCESS) [[unlikely]]
      lost(tools::dto_status_text(done.status));
    const std::uint64_t cookie = done.user_cookie.as_64;
    const auto ep = static_cast<std::uint32_t>(cookie);
    if ((cookie & kReceive) != 0) {
      --flows_[ep].receives;
      arrived_.push_back(ep); // the constructor reserved the room
    } else {
      flows_[ep].outstanding -= static_cast<std::uint32_t>(cookie >> 32U);
    }
  } else if (event.event_number == DAT_CONNECTION_EVENT_ESTABLISHED) {
    ++established_;
  } else {
    throw ToolError(ExitCode::PeerLost, tools::connection_failure(event.event_number, peer_name_));
  }
}

bool Link::poll() {
  DAT_EVENT event;
  const DAT_RETURN ret = dat_evd_dequeue(evd_.get(), &event);
  if (ret == DAT_SUCCESS) {
    take(event);
    return true;
  }
  if (!tools::is_type(ret, DAT_QUEUE_EMPTY)) [[unlikely]]
    tools::check(ret, "dat_evd_dequeue", test_name(task_));
  return false;
}

void Link::await() {
  if (task_.wait == Wait::Block) {
    const auto event = tools::wait_event(evd_, tools::after(kSilence));
    if (!event) silent();
    take(*event);
    return;
  }
  // 0: the clock has not been read, which happens only after kEmptyPolls empty polls
  double since = 0;
  for (;;) {
    for (std::uint32_t i = 0; i < kEmptyPolls; ++i)
      if (poll()) return;
    tools::throw_if_interrupted();
    if (since == 0) since = now_ns();
    if (is_silent_since(since)) silent();
  }
}

std::uint32_t Link::await_recv() {
  while (arrived_first_ == arrived_.size()) await();
  const std::uint32_t ep = arrived_[arrived_first_++];
  if (arrived_first_ == arrived_.size()) {
    arrived_.clear();
    arrived_first_ = 0;
  }
  return ep;
}

void Link::await_requests(std::uint32_t ep, std::uint32_t at_most) {
  while (flows_[ep].outstanding > at_most) await();
}

void Link::drain() {
  for (std::uint32_t ep = 0; ep < task_.endpoints; ++ep) await_requests(ep, 0);
}

void Link::check_alive(double waiting_since_ns) {
  tools::throw_if_interrupted();
  while (poll()) continue;
  if (is_silent_since(waiting_since_ns)) silent();
}

} // namespace datum::perf
