// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// perf/task.h: one thing to measure, and its names on the command line, on the wire and in the
// report.
// Lives here: the names of tests, kinds of memory and ways to wait.
// Not here:   how a task is measured (runs.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "perf/message.h"

namespace datum::perf {

inline constexpr std::uint64_t kMaxSize = std::uint64_t{64} << 20U; // bytes of one operation
inline constexpr std::uint64_t kMaxWindow = 4096;
// datum(7), LIMITS: an IA has 65536 EPs. One of them is the control connection.
inline constexpr std::uint64_t kMaxEndpoints = 65535;

enum class Op : std::uint8_t { Send, Write, Read, None };
enum class Kind : std::uint8_t { Latency, Bandwidth, Rate, Post, Dequeue, Connect, Idle };
enum class Memory : std::uint8_t { Ordinary, OrdinaryHuge, Shareable, ShareableHuge };
enum class Wait : std::uint8_t { Poll, Block };
// How the passive side behaves while it is the target of an RDMA operation.
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
  // The transport of the connections, as the active side's provider tells it. Not sent to the peer.
  Transport transport = Transport::Shm;

  bool operator==(const Task&) const = default;
};

std::string test_name(const Task& task); // "write-lat"
// "write-lat 512 KiB"; "idle" for a test that moves no bytes
std::string label_of(const Task& task);
bool set_test(Task& task, std::string_view name);
const std::vector<std::string>& test_names();

std::string_view name_of(Memory memory);
std::string_view name_of(Wait wait);
std::string_view name_of(Target target);
std::string_view name_of(Transport transport);
Transport transport_of(std::string_view path); // path: the named attribute "datum_path"
bool is_huge(Memory memory);
bool is_shareable(Memory memory);

// A ping-pong is reported as half a round trip. A read is a whole round trip itself.
bool is_half_round_trip(const Task& task);
bool is_stream(const Task& task);

std::uint64_t connections_at_once(const Task& task);
// The number of descriptors that a process needs. It has `open` already, and each of its
// connections takes one more. compared: other makers' tools run, too.
std::uint64_t descriptors_for(const Task& task, std::uint64_t open, bool compared);

// Why this task cannot be measured; empty: it can.
std::string_view objection(const Task& task);

Message to_message(const Task& task);
std::optional<Task> to_task(const Message& message); // empty: no task that this version knows

} // namespace datum::perf
