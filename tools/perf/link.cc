// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "perf/link.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "common/dat_error.h"
#include "common/dat_events.h"
#include "common/human.h"

namespace datum::perf {

using tools::check;
using tools::ExitCode;
using tools::ToolError;

namespace {

constexpr std::size_t kPage = 4096;
constexpr std::uint32_t kPingPongDepth = 64;
constexpr std::uint32_t kPingPongReceives = 4;
constexpr std::uint32_t kPingPongEvery = 16;

std::size_t stride_of(const Task& task) {
  const std::size_t unit = is_huge(task.memory) ? kHugePage : kPage;
  return (task.size + unit - 1) / unit * unit;
}

// A ping-pong sends from the bytes into which it received. Each message then writes lines that the
// other core has to fetch, as in a real program.
std::size_t receives_at(const Task& task) {
  return task.op == Op::Send && task.kind == Kind::Latency ? 0 : stride_of(task);
}

bool holds_connections_only(const Task& task) {
  return task.op == Op::None;
}

std::uint32_t depth_of(const Task& task) {
  if (holds_connections_only(task)) return 1;
  return task.kind == Kind::Latency ? std::max(task.window, kPingPongDepth) : task.window;
}

std::uint32_t receives_of(const Task& task) {
  if (holds_connections_only(task)) return 1;
  if (task.op != Op::Send) return 1;
  return task.kind == Kind::Latency ? kPingPongReceives : 2 * task.window;
}

std::uint32_t every_of(const Task& task) {
  if (task.kind == Kind::Latency) return kPingPongEvery;
  return std::max<std::uint32_t>(1, task.window / 4);
}

// The number of events: one for each request and receive, and room for connection events.
std::uint64_t events_of(const Task& task) {
  const std::uint64_t each = depth_of(task) + 2U + receives_of(task) + 2U;
  return each * task.endpoints + task.beside + 8;
}

DAT_IA_ATTR limits_of(const tools::Interface& ia) {
  DAT_IA_ATTR limits = {};
  check(dat_ia_query(ia.get(), nullptr, DAT_IA_FIELD_ALL, &limits, 0, nullptr), "dat_ia_query",
        ia.name());
  return limits;
}

void require_endpoints(const tools::Interface& ia, const Task& task, const DAT_IA_ATTR& limits) {
  const std::uint64_t wanted = connections_at_once(task) + 1; // the control connection
  if (wanted <= static_cast<std::uint64_t>(limits.max_eps)) return;
  throw ToolError(ExitCode::Usage,
                  fmt::format("{}: --endpoints {} and --beside {} need {} endpoints, one of them "
                              "for dat-perf itself; {} has at most {}",
                              test_name(task), task.endpoints, task.beside, wanted, ia.name(),
                              limits.max_eps));
}

void require_events(const tools::Interface& ia, const Task& task, const DAT_IA_ATTR& limits) {
  if (events_of(task) <= static_cast<std::uint64_t>(limits.max_evd_qlen)) return;
  throw ToolError(ExitCode::Usage,
                  fmt::format("{}: --endpoints {} with --window {} need an EVD of {} places; one "
                              "of {} has at most {}",
                              test_name(task), task.endpoints, task.window, events_of(task),
                              ia.name(), limits.max_evd_qlen));
}

void require_length(const tools::Interface& ia, const Task& task, const DAT_IA_ATTR& limits) {
  const DAT_VLEN longest = task.op == Op::Send ? limits.max_message_size : limits.max_rdma_size;
  if (task.op != Op::None && task.size > longest)
    throw ToolError(ExitCode::Usage,
                    fmt::format("{} with {}: {} carries at most {} in one operation",
                                test_name(task), tools::chosen_size(task.size), ia.name(),
                                tools::human_size(longest)));
}

} // namespace

void require_within_limits(const tools::Interface& ia, const Task& task) {
  const DAT_IA_ATTR limits = limits_of(ia);
  require_endpoints(ia, task, limits);
  if (task.kind != Kind::Connect) require_events(ia, task, limits);
  require_length(ia, task, limits);
}

Link::Link(const tools::Interface& ia, const Task& task, std::string peer)
    : task_(task), peer_name_(std::move(peer)), stride_(stride_of(task)),
      receives_at_(receives_at(task)), depth_(depth_of(task)), receives_(receives_of(task)),
      every_(every_of(task)), buffer_(task.memory, 2 * stride_ + kPage), pz_(make_pz(ia)),
      evd_(make_evd(ia, static_cast<DAT_COUNT>(events_of(task)),
                    DAT_EVD_DTO_FLAG | DAT_EVD_CONNECTION_FLAG)),
      region_(ia, pz_, buffer_.bytes(), DAT_MEM_PRIV_ALL_FLAG), flows_(task.endpoints) {
  arrived_.reserve(std::size_t{receives_ + 2} * task.endpoints);
  create_endpoints(ia);
}

void Link::create_endpoints(const tools::Interface& ia) {
  const DAT_IA_ATTR limits = limits_of(ia);
  DAT_EP_ATTR attr = {};
  attr.service_type = DAT_SERVICE_TYPE_RC;
  attr.max_message_size = task_.op == Op::Send ? task_.size : 64;
  attr.max_rdma_size = task_.op == Op::Send ? 64 : task_.size;
  attr.qos = DAT_QOS_BEST_EFFORT;
  attr.max_recv_dtos = static_cast<DAT_COUNT>(receives_ + 2);
  attr.max_request_dtos = static_cast<DAT_COUNT>(depth_ + 2); // one more for the stop line
  attr.max_recv_iov = attr.max_request_iov = 1;
  attr.max_rdma_read_iov = attr.max_rdma_write_iov = 1;
  const auto reads = static_cast<DAT_COUNT>(task_.window);
  attr.max_rdma_read_in = std::min(limits.max_rdma_read_per_ep_in, reads);
  attr.max_rdma_read_out = std::min(limits.max_rdma_read_per_ep_out, reads);
  eps_.reserve(connections());
  for (std::uint32_t i = 0; i < connections(); ++i) {
    DAT_EP_HANDLE ep = nullptr;
    check(dat_ep_create(ia.get(), pz_.get(), evd_.get(), evd_.get(), evd_.get(), &attr, &ep),
          "dat_ep_create", fmt::format("{}, endpoint {} of {}", ia.name(), i + 1, connections()));
    eps_.emplace_back(ep);
  }
}

RemoteMemory Link::own_memory() const {
  return {region_.rmr_context(), region_.address()};
}

unsigned char* Link::area(std::size_t offset) {
  return reinterpret_cast<unsigned char*>(region_.bytes().data()) + offset;
}

void Link::await_established() {
  const tools::Deadline deadline = tools::after(std::chrono::seconds(20));
  while (!established()) {
    const auto event = tools::wait_event(evd_, deadline);
    if (!event)
      throw ToolError(ExitCode::PeerLost,
                      fmt::format("{}: {} of {} connections were never completed", peer_name_,
                                  connections() - established_, connections()));
    take(*event);
  }
}

void Link::top_up_receives(std::uint32_t count) {
  for (std::uint32_t ep = 0; ep < task_.endpoints; ++ep)
    while (flows_[ep].receives < count) post_recv(ep);
}

} // namespace datum::perf
