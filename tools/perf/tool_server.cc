// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "perf/tool_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <sstream>

#include <fmt/format.h>

#include "common/tool_error.h"
#include "perf/compare_output.h"

namespace datum::perf {

using tools::ExitCode;
using tools::ToolError;

namespace {

constexpr auto kListenPatience = std::chrono::seconds(5);
constexpr auto kLook = std::chrono::milliseconds(20);

UniqueFd bound_socket(std::uint64_t& port) {
  UniqueFd fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  socklen_t length = sizeof address;
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  if (!fd || bind(fd.get(), any, length) != 0 || getsockname(fd.get(), any, &length) != 0)
    throw ToolError(ExitCode::Failed, "no free TCP port for the tool's server");
  port = ntohs(address.sin_port);
  return fd;
}

// Two ports that are free now. The tool takes them a moment later, and fails if another process
// takes one first.
Meeting with_ports(Meeting meeting) {
  const UniqueFd first = bound_socket(meeting.port);
  const UniqueFd second = bound_socket(meeting.data_port);
  return meeting;
}

std::string text_of_file(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

} // namespace

bool listens_in(const std::string& table, std::uint64_t port) {
  constexpr const char* kListen = "0A";
  const std::string end = fmt::format(":{:04X}", port);
  std::istringstream lines(table);
  std::string line, slot, local, remote, state;
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    if (words >> slot >> local >> remote >> state && local.ends_with(end) && state == kListen)
      return true;
  }
  return false;
}

ToolServer::ToolServer(const Task& task, const ToolTest& test, Meeting meeting)
    : test_(test), meeting_(with_ports(std::move(meeting))),
      child_(server_command(task, test, meeting_)) {
  await_listening();
}

// No tool reports in all its versions that it listens. So the kernel's tables are read.
void ToolServer::await_listening() {
  const std::string net = fmt::format("/proc/{}/net/", child_.pid());
  const tools::Deadline deadline = tools::after(kListenPatience);
  while (tools::Deadline::clock::now() < deadline) {
    if (child_.wait(tools::after(kLook))) break;
    for (const char* table : {"tcp", "tcp6"})
      if (listens_in(text_of_file(net + table), meeting_.port)) return;
  }
  if (text_of_file("/proc/self/net/tcp").empty())
    throw ToolError(ExitCode::Failed, fmt::format("whether {} listens cannot be seen without /proc",
                                                  name_of(test_.program)));
  throw ToolError(ExitCode::Failed, fmt::format("{} does not listen: {}", name_of(test_.program),
                                                last_line(child_.output())));
}

Message to_message(const Task& task, std::size_t test, const Meeting& meeting) {
  Message message = to_message(task);
  message.verb = "tool";
  message.numbers["transport"] = static_cast<std::uint64_t>(task.transport);
  message.numbers["test"] = test;
  message.numbers["rounds"] = meeting.rounds;
  message.numbers["loopback"] = meeting.loopback ? 1 : 0;
  return message;
}

std::unique_ptr<ToolServer> tool_server_for(const Message& message) {
  auto task = to_task(message);
  const std::uint64_t index = message.number("test");
  Meeting meeting;
  meeting.rounds = message.number("rounds");
  meeting.loopback = message.number("loopback") != 0;
  if (task && message.number("transport") != 0) task->transport = Transport::Tcp;
  const std::vector<ToolTest> tests = task ? tool_tests(*task) : std::vector<ToolTest>();
  if (index >= tests.size() || meeting.rounds == 0 || meeting.rounds > kMostToolRounds)
    throw ToolError(ExitCode::Failed, "unknown comparison; is the client of another version?");
  return std::make_unique<ToolServer>(*task, tests[index], meeting);
}

std::uint64_t installed_programs() {
  std::uint64_t programs = 0;
  for (const Program program : kPrograms)
    if (!find_program(name_of(program)).empty())
      programs |= std::uint64_t{1} << static_cast<unsigned>(program);
  return programs;
}

bool is_in(std::uint64_t programs, Program program) {
  return (programs >> static_cast<unsigned>(program) & 1U) != 0;
}

} // namespace datum::perf
