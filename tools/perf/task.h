// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// perf/task.h: one thing to measure, as the command line, the wire and the report name it.
// Lives here: the words for tests, memory and ways to wait. Not here: how it is measured (runs.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "perf/message.h"

namespace datum::perf {

inline constexpr std::uint64_t kMaxSize = std::uint64_t{64} << 20U; // bytes of one operation

enum class Op : std::uint8_t { Send, Write, Read, None };
enum class Kind : std::uint8_t { Latency, Bandwidth, Rate, Post, Dequeue, Connect, Idle };
enum class Memory : std::uint8_t { Ordinary, OrdinaryHuge, Shareable, ShareableHuge };
enum class Wait : std::uint8_t { Poll, Block };
// What the passive side does while it is the target of an RDMA operation.
enum class Target : std::uint8_t { Poll, Memory, Sleep };
enum class Transport : std::uint8_t { Shm, Tcp };

struct Task {
  Op op = Op::Send;
  Kind kind = Kind::Latency;
  std::uint64_t size = 8;
  Memory memory = Memory::Ordinary;
  Wait wait = Wait::Poll;
  Target target = Target::Poll;
  std::uint32_t window = 64; // operations in flight per endpoint
  std::uint32_t endpoints = 1;
  std::uint32_t beside = 0; // further connections, on which nothing happens
  // What carries the connections, as the provider told the active side. Not on the wire.
  Transport transport = Transport::Shm;

  bool operator==(const Task&) const = default;
};

std::string test_name(const Task& task); // "write-lat"
std::string label_of(const Task& task);  // "write-lat 512 KiB"; "idle" where nothing is moved
bool set_test(Task& task, std::string_view name);
const std::vector<std::string>& test_names();

std::string_view name_of(Memory memory);
std::string_view name_of(Wait wait);
std::string_view name_of(Target target);
std::string_view name_of(Transport transport);
Transport transport_of(std::string_view path); // of the named attribute "datum_path"
bool is_huge(Memory memory);
bool is_shareable(Memory memory);

// Ping-pongs are reported as half a round trip; a read is there and back by itself.
bool is_half_round_trip(const Task& task);
bool is_stream(const Task& task);

std::uint64_t connections_at_once(const Task& task);
// Of a process that has `open` of them already, over TCP. compared: with the tools of others.
std::uint64_t descriptors_for(const Task& task, std::uint64_t open, bool compared);

// Why this cannot be measured; empty if it can.
std::string_view objection(const Task& task);

Message to_message(const Task& task);
std::optional<Task> to_task(const Message& message); // nothing: not a task that we know

} // namespace datum::perf
