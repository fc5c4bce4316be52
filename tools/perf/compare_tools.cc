// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "perf/compare_tools.h"

#include <algorithm>
#include <iterator>
#include <sstream>

#include <fmt/format.h>

namespace datum::perf {
namespace {

struct Names {
  const char* program;
  const char* package;
};

constexpr std::array<Names, kPrograms.size()> kNames = {{{"ucx_perftest", "ucx-utils"},
                                                         {"fi_pingpong", "libfabric-bin"},
                                                         {"iperf3", "iperf3"},
                                                         {"sockperf", "sockperf"},
                                                         {"qperf", "qperf"}}};

constexpr std::uint64_t kLeastOfSockperf = 14, kMostOfSockperf = 65507; // bytes
constexpr std::uint64_t kMostOfIperf = std::uint64_t{1} << 20U;
constexpr std::uint32_t kMostStreams = 128; // the most that iperf3 allows
constexpr std::uint64_t kLeastToolRounds = 20;
constexpr double kToolTime = 300e6; // ns that the rounds of a tool should take together
constexpr double kToolTimeOfTcp =
    1e8; // over TCP some tools are now and then a hundred times slower

bool is_tcp(const Task& task) {
  return task.transport == Transport::Tcp;
}

// The name of the test of ucx_perftest. Empty: it has no such test, or no test whose sides wait as
// the task wants.
std::string ucx_test(const Task& task) {
  const bool latency = task.kind == Kind::Latency;
  if (task.endpoints > 1 || (!latency && !is_stream(task))) return {};
  if (task.op == Op::Send) {
    if (task.wait == Wait::Block && !latency) return {};
    return latency ? "tag_lat" : "tag_bw";
  }
  // Nothing wakes a sleeping target of ucx_perftest. Over TCP the target has to take part in RDMA,
  // so it cannot only poll its memory.
  if (task.wait == Wait::Block || task.target == Target::Sleep) return {};
  if (task.target == Target::Memory && is_tcp(task)) return {};
  if (task.op == Op::Read) return "ucp_get";
  return latency ? "ucp_put_lat" : "ucp_put_bw";
}

void add_sockets(const Task& task, std::vector<ToolTest>& tests) {
  if (task.op == Op::Send && task.kind == Kind::Latency && task.endpoints == 1) {
    if (task.size <= kMostOfSockperf)
      tests.push_back({Program::Sockperf, "ping-pong", std::max(kLeastOfSockperf, task.size)});
    if (task.wait == Wait::Block) tests.push_back({Program::Qperf, "tcp_lat", task.size});
  }
  // Bandwidth tests: iperf3 and qperf stream bytes in one direction over TCP, which is compared
  // with a send or a write.
  if (task.kind != Kind::Bandwidth || task.op == Op::Read || task.endpoints > kMostStreams) return;
  tests.push_back({Program::Iperf, "stream", std::min(kMostOfIperf, task.size)});
  if (task.endpoints == 1) tests.push_back({Program::Qperf, "tcp_bw", task.size});
}

std::vector<std::pair<std::string, std::string>> environment_of(Program program, const Task& task,
                                                                const Meeting& meeting) {
  if (program != Program::Ucx) return {};
  std::vector<std::pair<std::string, std::string>> environment = {
      {"UCX_TLS", is_tcp(task) ? "tcp" : "posix,cma"}, {"UCX_WARN_UNUSED_ENV_VARS", "n"}};
  // Without this variable, UCX takes the address of another interface of this host.
  if (is_tcp(task) && meeting.loopback) environment.emplace_back("UCX_NET_DEVICES", "lo");
  return environment;
}

std::string ucx_client(const Task& task, const ToolTest& test, const Meeting& meeting) {
  std::string line =
      fmt::format("ucx_perftest -p {} {} -t {} -s {} -n {} -w {} -f -v", meeting.port,
                  meeting.address, test.test, test.size, meeting.rounds, meeting.rounds / 10 + 1);
  if (is_stream(task) || task.op == Op::Read)
    line += fmt::format(" -O {}", is_stream(task) ? task.window : 1);
  if (task.wait == Wait::Block) line += " -E sleep";
  // In ucp_put_lat the target answers and polls only its memory, with or without -o.
  if (task.op != Op::Send && task.target == Target::Memory && test.test != "ucp_put_lat")
    line += " -o";
  return line;
}

// Both sides need the same size and count; otherwise they wait for each other for ever.
std::string fabric(const Task& task, const ToolTest& test, const Meeting& meeting) {
  return fmt::format("fi_pingpong -e {} -p {} -S {} -I {}", is_tcp(task) ? "msg" : "rdm",
                     is_tcp(task) ? "tcp" : "shm", test.size, meeting.rounds);
}

std::string sockperf(const Task& task, const char* role, const Meeting& meeting) {
  return fmt::format("sockperf {} --tcp -p {}{}", role, meeting.port,
                     task.wait == Wait::Poll ? " --nonblocked" : "");
}

// line: what a user would type. No word contains a blank: all words except the address are names
// and numbers, and resolve() has accepted the address.
std::vector<std::string> words_in(const std::string& line) {
  std::istringstream words(line);
  return {std::istream_iterator<std::string>(words), {}};
}

} // namespace

const char* name_of(Program program) {
  return kNames[static_cast<std::size_t>(program)].program;
}

const char* package_of(Program program) {
  return kNames[static_cast<std::size_t>(program)].package;
}

std::vector<ToolTest> tool_tests(const Task& task) {
  std::vector<ToolTest> tests;
  if (const std::string test = ucx_test(task); !test.empty())
    tests.push_back({Program::Ucx, test, task.size});
  // fi_pingpong has no streaming test, and its sides spin.
  if (task.op == Op::Send && task.kind == Kind::Latency && task.wait == Wait::Poll &&
      task.endpoints == 1)
    tests.push_back({Program::Fabric, is_tcp(task) ? "tcp" : "shm", task.size});
  if (is_tcp(task)) add_sockets(task, tests);
  return tests;
}

std::uint64_t rounds_at(const Task& task, double own_value) {
  double each = is_half_round_trip(task) ? 2 * own_value : own_value;
  if (task.kind == Kind::Bandwidth) each = static_cast<double>(task.size) * 1e9 / own_value;
  if (task.kind == Kind::Rate) each = 1e9 / own_value;
  const double fit = (is_tcp(task) ? kToolTimeOfTcp : kToolTime) / std::max(each, 1.0);
  return std::clamp(static_cast<std::uint64_t>(fit), kLeastToolRounds, kMostToolRounds);
}

Command server_command(const Task& task, const ToolTest& test, const Meeting& meeting) {
  const auto line = [&] {
    switch (test.program) {
    case Program::Ucx: return fmt::format("ucx_perftest -p {}", meeting.port);
    case Program::Fabric: return fmt::format("{} -B {}", fabric(task, test, meeting), meeting.port);
    case Program::Iperf: return fmt::format("iperf3 -s -1 -p {}", meeting.port);
    case Program::Sockperf: return sockperf(task, "server", meeting);
    case Program::Qperf: return fmt::format("qperf -lp {}", meeting.port);
    }
    return std::string();
  };
  return {words_in(line()), environment_of(test.program, task, meeting)};
}

Command client_command(const Task& task, const ToolTest& test, const Meeting& meeting) {
  const Meeting& m = meeting;
  const auto line = [&] {
    switch (test.program) {
    case Program::Ucx: return ucx_client(task, test, m);
    case Program::Fabric:
      return fmt::format("{} -P {} {}", fabric(task, test, m), m.port, m.address);
    case Program::Iperf:
      return fmt::format("iperf3 -c {} -p {} -f k -t 1 -l {} -P {}", m.address, m.port, test.size,
                         task.endpoints);
    case Program::Sockperf:
      return fmt::format("{} -i {} -m {} -t 1", sockperf(task, "ping-pong", m), m.address,
                         test.size);
    case Program::Qperf:
      return fmt::format("qperf {} -lp {} -ip {} -t 1 -m {} {}", m.address, m.port, m.data_port,
                         test.size, test.test);
    }
    return std::string();
  };
  return {words_in(line()), environment_of(test.program, task, meeting)};
}

} // namespace datum::perf
