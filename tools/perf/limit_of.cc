// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "perf/limit_of.h"

#include <array>

#include "common/human.h"

namespace datum::perf {
namespace {

// In the order of Limit.
constexpr std::array kLimitNames = {"one-line",     "two-lines", "ring",        "put",
                                    "futex",        "ring-rate", "cma-read",    "cma-write",
                                    "cma-read-new", "cma-put",   "cma-message", "memcpy",
                                    "tcp",          "tcp-epoll", "tcp-stream",  "tcp-gather"};
static_assert(kLimitNames.size() == static_cast<std::size_t>(Limit::TcpGather) + 1);

constexpr std::size_t kLine = 64;
constexpr std::size_t kRingSlot = 56;
constexpr std::size_t kRingLongest = std::size_t{256} << 10U;
// below this size a system call is never the fastest way
constexpr std::size_t kCallWorthwhile = 1024;

std::vector<LimitChoice> messages(std::size_t size) {
  std::vector<LimitChoice> choices;
  if (size <= kRingLongest) choices.push_back({Limit::Ring, size});
  if (size >= kCallWorthwhile) choices.push_back({Limit::CmaMessage, size});
  return choices;
}

std::vector<LimitChoice> latency(const Task& task) {
  const std::size_t size = task.size;
  if (task.wait == Wait::Block) {
    if (size > 4096) return {};
    return {{Limit::Futex, size}};
  }
  if (task.op == Op::Send) return messages(size);
  if (task.op == Op::Read) {
    if (!is_shareable(task.memory)) return {{Limit::CmaReadNew, size}};
    return {{size <= kLine ? Limit::TwoLines : Limit::Memcpy, size}};
  }
  if (is_shareable(task.memory)) return {{size <= kLine ? Limit::TwoLines : Limit::Put, size}};
  if (task.target == Target::Poll && size < kCallWorthwhile) return {{Limit::Ring, size}};
  return {{Limit::CmaPut, size}};
}

std::vector<LimitChoice> bandwidth(const Task& task) {
  const std::size_t size = task.size;
  if (task.op == Op::Send) {
    if (size <= kRingSlot) return {{Limit::RingRate, size}};
    return {{Limit::RingRate, size}, {Limit::CmaRead, size}};
  }
  if (is_shareable(task.memory)) return {{Limit::Memcpy, size}};
  return {{task.op == Op::Read ? Limit::CmaRead : Limit::CmaWrite, size}};
}

// True: each operation wakes a sleeping thread, that is, the thread of a side that blocks, or the
// background thread of a side that makes no DAT call.
bool wakes_a_thread(const Task& task) {
  return task.wait == Wait::Block || (task.op != Op::Send && task.target != Target::Poll);
}

std::vector<LimitChoice> over_tcp(const Task& task) {
  const std::size_t size = task.size;
  if (task.kind == Kind::Latency)
    return {{wakes_a_thread(task) ? Limit::TcpEpoll : Limit::Tcp, size}};
  if (is_stream(task)) return {{Limit::TcpStream, size}, {Limit::TcpGather, size}};
  return {}; // no measurement on sockets bounds the cost of calls and of connects
}

} // namespace

std::vector<LimitChoice> limits_of(const Task& task) {
  if (task.transport == Transport::Tcp) return over_tcp(task);
  switch (task.kind) {
  case Kind::Latency: return latency(task);
  case Kind::Bandwidth: return bandwidth(task);
  case Kind::Rate:
    if (task.op == Op::Send && task.size <= kRingSlot) return {{Limit::RingRate, task.size}};
    return {};
  case Kind::Post:
  case Kind::Dequeue: return {{Limit::OneLine, 8}};
  case Kind::Connect:
  case Kind::Idle: return {};
  }
  return {};
}

std::string name_of(const LimitChoice& choice) {
  const std::string name = kLimitNames[static_cast<std::size_t>(choice.limit)];
  const bool sized = choice.limit != Limit::OneLine && choice.limit != Limit::TwoLines &&
                     choice.limit != Limit::Futex;
  return sized ? name + ' ' + tools::chosen_size(choice.size) : name;
}

double in_unit_of(const Task& task, const LimitChoice& choice, double measured) {
  if (!(measured > 0) || smaller_is_better(task)) return measured;
  const bool per_second = choice.limit == Limit::RingRate;
  const double operations = per_second ? measured : 1e9 / measured;
  return task.kind == Kind::Bandwidth ? operations * static_cast<double>(task.size) : operations;
}

bool smaller_is_better(const Task& task) {
  return !is_stream(task) && task.kind != Kind::Connect;
}

} // namespace datum::perf
