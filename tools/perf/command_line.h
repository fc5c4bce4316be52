// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
// perf/command_line.h: the options as values.
// Lives here: lists and sweeps of sizes, the tasks they make. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/options.h"
#include "perf/measure.h"
#include "perf/task.h"

namespace datum::perf {

struct CommandLine : tools::CommonOptions {
  std::string host;
  std::uint64_t port = 0;
  bool local = false, server = false, once = false;
  bool compare = false;
  bool quick = false, huge = false, no_limits = false, no_pin = false, quiet = false;
  bool csv = false;
  std::string plot;
  std::vector<std::string> tests;
  std::string sizes = "8,4k,64k,1M";
  std::vector<std::string> memories = {"ordinary"};
  std::string wait = "poll", target = "poll";
  std::string netns;     // NAME=ADDRESS; empty: --local runs both sides in this namespace
  std::string transport; // auto, shm, tcp; empty: DATUM_TRANSPORT decides
  std::uint32_t window = 64, endpoints = 1,
                beside = 0; // `beside`: connections on which nothing happens
  unsigned repeat = 5;
  int core = -1; // the core to run on; -1: --local chooses two, otherwise the kernel decides
  unsigned time_ms = 100, idle_s = 10, timeout_s = 10;
};

inline constexpr std::uint64_t kDefaultPort = 5212;

// The words of lists with commas. A word may be empty.
std::vector<std::string> words_of(const std::vector<std::string>& lists);

// "8,4k,1..64k,1M..64M*4": numbers, and sweeps that double, or grow by the factor after the *.
// Throws ToolError(Usage) for any other text, and for a size above 64 MiB.
std::vector<std::uint64_t> parse_sizes(const std::string& text);

// What is wrong with this value of --transport; empty: nothing.
std::string transport_objection(const std::string& text);

// The same for --plot: the name must not have the ending of a format other than SVG.
std::string plot_objection(const std::string& file);
std::string netns_objection(const std::string& side);

// Tests that move no bytes appear once, the others for each memory and size.
std::vector<Task> tasks_of(const CommandLine& line);
std::vector<Task> quick_tasks(); // a table of a few lines

} // namespace datum::perf
