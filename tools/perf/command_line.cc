// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "perf/command_line.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "common/human.h"
#include "common/tool_error.h"

namespace datum::perf {

using tools::ExitCode;
using tools::ToolError;

namespace {

// The bytes that may be in flight at a time. This limit keeps a window of large messages from
// taking all memory.
constexpr std::uint64_t kInFlight = std::uint64_t{256} << 20U;

std::uint64_t parse_one(const std::string& text) {
  std::uint64_t size = 0;
  if (!tools::parse_size(text, size) || size == 0 || size > kMaxSize)
    throw ToolError(ExitCode::Usage,
                    fmt::format("--size: \"{}\" is not a size between 1 and 64M", text));
  return size;
}

void add_part(const std::string& part, std::vector<std::uint64_t>& sizes) {
  const std::size_t dots = part.find("..");
  if (dots == std::string::npos) {
    sizes.push_back(parse_one(part));
    return;
  }
  const std::size_t star = part.find('*', dots);
  const std::uint64_t first = parse_one(part.substr(0, dots));
  const std::uint64_t last = parse_one(part.substr(dots + 2, star - dots - 2));
  const std::uint64_t factor = star == std::string::npos ? 2 : parse_one(part.substr(star + 1));
  if (factor < 2 || last < first)
    throw ToolError(ExitCode::Usage, fmt::format("--size: \"{}\" is not a sweep upwards", part));
  for (std::uint64_t size = first; size <= last; size *= factor) sizes.push_back(size);
}

Memory memory_of(const std::string& name, bool huge) {
  const bool shareable = name == "shareable";
  if (huge) return shareable ? Memory::ShareableHuge : Memory::OrdinaryHuge;
  return shareable ? Memory::Shareable : Memory::Ordinary;
}

Wait wait_of(const std::string& name) {
  return name == "block" ? Wait::Block : Wait::Poll;
}

Target target_of(const std::string& name) {
  if (name == "memory") return Target::Memory;
  return name == "sleep" ? Target::Sleep : Target::Poll;
}

void fit_window(Task& task) {
  const std::uint64_t most = std::max<std::uint64_t>(1, kInFlight / task.size);
  task.window = static_cast<std::uint32_t>(std::min<std::uint64_t>(task.window, most));
}

} // namespace

std::vector<std::string> words_of(const std::vector<std::string>& lists) {
  std::vector<std::string> words;
  for (const std::string& list : lists)
    for (std::size_t at = 0, comma = 0; at <= list.size(); at = comma + 1) {
      comma = std::min(list.find(',', at), list.size());
      words.push_back(list.substr(at, comma - at));
    }
  return words;
}

std::vector<std::uint64_t> parse_sizes(const std::string& text) {
  std::vector<std::uint64_t> sizes;
  for (const std::string& part : words_of({text})) add_part(part, sizes);
  return sizes;
}

std::string transport_objection(const std::string& text) {
  if (text == "auto" || text == "shm" || text == "tcp") return {};
  if (text == "verbs")
    return "verbs: there is no transport for RDMA hardware; what is there: auto, shm, tcp";
  return fmt::format("\"{}\" is none of auto, shm, tcp", text);
}

// If a script passes an unset variable, --netns is empty. Without this check the loopback interface
// would be measured.
std::string netns_objection(const std::string& side) {
  return side.empty() ? "it is empty, and not NAME=ADDRESS, as in far=192.0.2.2" : "";
}

std::string plot_objection(const std::string& file) {
  if (file.empty()) return "the name of the file is empty";
  const std::string extension = std::filesystem::path(file).extension().string();
  if (extension.empty() || extension == ".svg") return {};
  return fmt::format("{}: plots are SVG, not {}; choose a name that ends in .svg", file, extension);
}

std::vector<Task> tasks_of(const CommandLine& line) {
  if (line.quick) return quick_tasks();
  std::vector<std::string> tests = line.tests;
  if (tests.empty())
    tests = {"send-lat", "write-lat", "read-lat", "send-bw", "write-bw", "read-bw"};
  const std::vector<std::uint64_t> sizes = parse_sizes(line.sizes);
  std::vector<Task> tasks;
  for (const std::string& test : tests) {
    Task task;
    set_test(task, test);
    task.wait = wait_of(line.wait);
    task.target = target_of(line.target);
    task.window = line.window;
    task.endpoints = line.endpoints;
    task.beside = line.beside;
    if (task.op == Op::None) {
      tasks.push_back(task);
      continue;
    }
    for (const std::string& memory : line.memories)
      for (const std::uint64_t size : sizes) {
        task.memory = memory_of(memory, line.huge);
        task.size = size;
        Task fitted = task;
        fit_window(fitted);
        tasks.push_back(fitted);
      }
  }
  return tasks;
}

std::vector<Task> quick_tasks() {
  constexpr std::uint64_t kMega = std::uint64_t{1} << 20U;
  const auto task = [](const char* test, std::uint64_t size, Memory memory, Wait wait = Wait::Poll,
                       Target target = Target::Poll) {
    Task t;
    set_test(t, test);
    t.size = size;
    t.memory = memory;
    t.wait = wait;
    t.target = target;
    return t;
  };
  return {
      task("send-lat", 8, Memory::Ordinary),
      task("send-lat", 4096, Memory::Ordinary),
      task("send-lat", 8, Memory::Ordinary, Wait::Block),
      task("write-lat", 8, Memory::Ordinary),
      task("write-lat", 8, Memory::Shareable),
      task("read-lat", 8, Memory::Ordinary),
      task("read-lat", 8, Memory::Shareable),
      task("send-rate", 8, Memory::Ordinary),
      task("write-bw", kMega, Memory::Ordinary),
      task("write-bw", kMega, Memory::Shareable),
      task("read-bw", kMega, Memory::Shareable),
  };
}

} // namespace datum::perf
