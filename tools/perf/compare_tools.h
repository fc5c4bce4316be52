// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// perf/compare_tools.h: which tools of other makers measure the same as a task, and their command
// lines. Pure.
// Lives here: the table of tools and their command lines. A message from another machine can put
//             only numbers into a command.
// Not here:   running the tools (child.h, tool_server.h), reading their output (compare_output.h).
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "perf/task.h"

namespace datum::perf {

enum class Program : std::uint8_t { Ucx, Fabric, Iperf, Sockperf, Qperf };
inline constexpr std::array kPrograms = {Program::Ucx, Program::Fabric, Program::Iperf,
                                         Program::Sockperf, Program::Qperf};

const char* name_of(Program program);    // "ucx_perftest"
const char* package_of(Program program); // in Debian: "ucx-utils"

struct ToolTest {
  Program program = Program::Ucx;
  std::string test;       // the tool's name for it: "tag_lat"
  std::uint64_t size = 0; // bytes that the tool moves: some tools cannot do the task's size

  bool operator==(const ToolTest&) const = default;
};

std::vector<ToolTest> tool_tests(const Task& task);

// The values that both sides of a tool need.
struct Meeting {
  std::string address; // the passive side's; the tool's server listens on all addresses
  std::uint64_t port = 0;
  std::uint64_t data_port = 0; // the second port of qperf
  std::uint64_t rounds = 0;    // for tools that run a given number of rounds
  bool loopback = false;       // the address is one of 127.0.0.0/8
};

inline constexpr std::uint64_t kMostToolRounds = 1'000'000;
// The rounds that fill the time of a comparison if the tool is as fast as dat-perf.
std::uint64_t rounds_at(const Task& task, double own_value);

// The figure of a tool beside a result of dat-perf.
struct Comparison {
  ToolTest test;
  std::string failure; // why there is no figure; the rest is empty then
  double value = 0;    // in the unit of the result
  double ratio = 0;    // the result of dat-perf divided by this value
  bool steady = true;  // false: the probe changed during every attempt
};

struct Command {
  std::vector<std::string> words;
  // Added to the environment of this process.
  std::vector<std::pair<std::string, std::string>> environment;
};

Command server_command(const Task& task, const ToolTest& test, const Meeting& meeting);
Command client_command(const Task& task, const ToolTest& test, const Meeting& meeting);

} // namespace datum::perf
