// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// perf/compare_tools.h: which tools of other makers answer what a task asks, and how they are
// asked. Lives here: the table of tools, their command lines. Pure. Nothing that another machine
// says gets into a command but numbers. Not here:   running them (child.h, tool_server.h), reading
// them (compare_output.h).
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
const char* package_of(Program program); // of Debian: "ucx-utils"

struct ToolTest {
  Program program = Program::Ucx;
  std::string test;       // in the tool's words: "tag_lat"
  std::uint64_t size = 0; // that it moves: some cannot do the task's

  bool operator==(const ToolTest&) const = default;
};

std::vector<ToolTest> tool_tests(const Task& task);

// What both sides of a tool have to know.
struct Meeting {
  std::string address; // of the passive side; the server listens on all
  std::uint64_t port = 0;
  std::uint64_t data_port = 0; // qperf's second one
  std::uint64_t rounds = 0;    // of tools that count
  bool loopback = false;       // the address is one of 127.0.0.0/8
};

inline constexpr std::uint64_t kMostToolRounds = 1'000'000;
// So many fill the time that a comparison should take, at a speed like ours.
std::uint64_t rounds_at(const Task& task, double own_value);

struct Command {
  std::vector<std::string> words;
  std::vector<std::pair<std::string, std::string>> environment; // added to ours
};

Command server_command(const Task& task, const ToolTest& test, const Meeting& meeting);
Command client_command(const Task& task, const ToolTest& test, const Meeting& meeting);

} // namespace datum::perf
