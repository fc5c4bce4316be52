// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "perf/task.h"

#include <array>

#include "common/human.h"

namespace datum::perf {
namespace {

struct TestName {
  const char* name;
  Op op;
  Kind kind;
};

constexpr std::array kTests = {
    TestName{"send-lat", Op::Send, Kind::Latency},
    TestName{"write-lat", Op::Write, Kind::Latency},
    TestName{"read-lat", Op::Read, Kind::Latency},
    TestName{"send-rate", Op::Send, Kind::Rate},
    TestName{"write-rate", Op::Write, Kind::Rate},
    TestName{"read-rate", Op::Read, Kind::Rate},
    TestName{"send-bw", Op::Send, Kind::Bandwidth},
    TestName{"write-bw", Op::Write, Kind::Bandwidth},
    TestName{"read-bw", Op::Read, Kind::Bandwidth},
    TestName{"post", Op::Send, Kind::Post},
    TestName{"dequeue", Op::None, Kind::Dequeue},
    TestName{"connect", Op::None, Kind::Connect},
    TestName{"idle", Op::None, Kind::Idle},
};

constexpr std::array<std::string_view, 4> kMemories = {"ordinary", "ordinary-huge", "shareable",
                                                       "shareable-huge"};
constexpr std::array<std::string_view, 2> kWaits = {"poll", "block"};
constexpr std::array<std::string_view, 3> kTargets = {"poll", "memory", "sleep"};

constexpr std::array<std::string_view, 2> kTransports = {"shm", "tcp"};

// Descriptors that a process opens for a short time, for example to read /proc/self.
constexpr std::uint64_t kDescriptorsBeside = 2;
// The same, if another tool runs or if connections end while others are made.
constexpr std::uint64_t kDescriptorsBesideMore = 8;

} // namespace

std::string test_name(const Task& task) {
  for (const TestName& test : kTests)
    if (test.op == task.op && test.kind == task.kind) return test.name;
  return "?";
}

std::string label_of(const Task& task) {
  const std::string name = test_name(task);
  return task.op == Op::None ? name : name + ' ' + tools::chosen_size(task.size);
}

bool set_test(Task& task, std::string_view name) {
  for (const TestName& test : kTests) {
    if (name != test.name) continue;
    task.op = test.op;
    task.kind = test.kind;
    return true;
  }
  return false;
}

const std::vector<std::string>& test_names() {
  static const std::vector<std::string> kNames = [] {
    std::vector<std::string> names;
    names.reserve(kTests.size());
    for (const TestName& test : kTests) names.emplace_back(test.name);
    return names;
  }();
  return kNames;
}

std::string_view name_of(Memory memory) {
  return kMemories[static_cast<std::size_t>(memory)];
}

std::string_view name_of(Wait wait) {
  return kWaits[static_cast<std::size_t>(wait)];
}

std::string_view name_of(Target target) {
  return kTargets[static_cast<std::size_t>(target)];
}

std::string_view name_of(Transport transport) {
  return kTransports[static_cast<std::size_t>(transport)];
}

Transport transport_of(std::string_view path) {
  return path == "tcp" ? Transport::Tcp : Transport::Shm;
}

bool is_huge(Memory memory) {
  return memory == Memory::OrdinaryHuge || memory == Memory::ShareableHuge;
}

bool is_shareable(Memory memory) {
  return memory == Memory::Shareable || memory == Memory::ShareableHuge;
}

bool is_half_round_trip(const Task& task) {
  return task.kind == Kind::Latency && task.op != Op::Read;
}

bool is_stream(const Task& task) {
  return task.kind == Kind::Bandwidth || task.kind == Kind::Rate;
}

std::uint64_t connections_at_once(const Task& task) {
  if (task.kind == Kind::Connect) return task.window;
  return std::uint64_t{task.endpoints} + task.beside;
}

std::uint64_t descriptors_for(const Task& task, std::uint64_t open, bool compared) {
  const bool more = compared || task.kind == Kind::Connect;
  return open + connections_at_once(task) + (more ? kDescriptorsBesideMore : kDescriptorsBeside);
}

std::string_view objection(const Task& task) {
  if (task.op == Op::Write && task.kind == Kind::Latency) {
    if (task.wait == Wait::Block)
      return "nothing announces an RDMA Write to its target, so nobody can sleep until one comes";
    if (task.target == Target::Sleep)
      return "in a ping-pong of RDMA Writes the target has to look at its memory";
  }
  return {};
}

Message to_message(const Task& task) {
  Message message{"task", {}, {}};
  message.numbers = {{"op", static_cast<std::uint64_t>(task.op)},
                     {"kind", static_cast<std::uint64_t>(task.kind)},
                     {"size", task.size},
                     {"memory", static_cast<std::uint64_t>(task.memory)},
                     {"wait", static_cast<std::uint64_t>(task.wait)},
                     {"target", static_cast<std::uint64_t>(task.target)},
                     {"window", task.window},
                     {"endpoints", task.endpoints},
                     {"beside", task.beside}};
  return message;
}

std::optional<Task> to_task(const Message& message) {
  const auto op = message.number("op"), kind = message.number("kind");
  const auto memory = message.number("memory"), wait = message.number("wait");
  const auto target = message.number("target"), size = message.number("size");
  const auto window = message.number("window"), endpoints = message.number("endpoints");
  const auto beside = message.number("beside");
  Task task;
  task.op = static_cast<Op>(op);
  task.kind = static_cast<Kind>(kind);
  if (op > static_cast<std::uint64_t>(Op::None) || kind > static_cast<std::uint64_t>(Kind::Idle) ||
      test_name(task) == "?" || memory >= kMemories.size() || wait >= kWaits.size() ||
      target >= kTargets.size() || size == 0 || size > kMaxSize || window == 0 ||
      window > kMaxWindow || endpoints == 0 || endpoints > kMaxEndpoints || beside > kMaxEndpoints)
    return std::nullopt;
  task.size = size;
  task.memory = static_cast<Memory>(memory);
  task.wait = static_cast<Wait>(wait);
  task.target = static_cast<Target>(target);
  task.window = static_cast<std::uint32_t>(window);
  task.endpoints = static_cast<std::uint32_t>(endpoints);
  task.beside = static_cast<std::uint32_t>(beside);
  return task;
}

} // namespace datum::perf
