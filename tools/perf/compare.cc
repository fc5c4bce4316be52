// SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
#include "perf/compare.h"

#include <algorithm>

#include <fmt/format.h>

#include "common/tool_error.h"
#include "perf/compare_output.h"
#include "perf/tool_server.h"

namespace datum::perf {

using tools::ExitCode;
using tools::ToolError;

namespace {

// Throws the last line of a tool's client that printed no figure.
[[noreturn]] void fail(const std::string& what, const Child& client) {
  throw ToolError(ExitCode::Failed, fmt::format("{}: {}", what, last_line(client.output())));
}

} // namespace

Comparer::Comparer(Session& session, std::string address, std::chrono::seconds patience)
    : session_(session), address_(std::move(address)), patience_(patience),
      here_(installed_programs()), there_(session.programs()) {}

bool Comparer::has(Program program) const {
  return is_in(here_, program) && is_in(there_, program);
}

std::vector<Program> Comparer::absent(const std::vector<Task>& tasks) const {
  std::vector<Program> programs;
  for (const Task& task : tasks)
    for (const ToolTest& test : tool_tests(task))
      if (!has(test.program) && std::count(programs.begin(), programs.end(), test.program) == 0)
        programs.push_back(test.program);
  return programs;
}

double Comparer::measure(const Task& task, std::size_t index, const ToolTest& test,
                         Meeting meeting) {
  const Message ports = session_.start_tool(to_message(task, index, meeting));
  meeting.port = ports.number("port");
  meeting.data_port = ports.number("data");
  Child client(client_command(task, test, meeting));
  if (!client.wait(tools::after(patience_)))
    fail(fmt::format("no end within {} s", patience_.count()), client);
  if (const std::string failure = client.failure(); !failure.empty()) fail(failure, client);
  const auto figure = figure_in(client.output(), test.program, task);
  if (!figure) fail("no figure in its output", client);
  return *figure;
}

Comparison Comparer::attempt(const Result& result, std::size_t index) {
  Meeting meeting;
  meeting.address = address_;
  meeting.loopback = address_.starts_with("127.");
  meeting.rounds = rounds_at(result.task, result.value.median);
  Comparison comparison;
  comparison.test = tool_tests(result.task)[index];
  const double before = session_.probe();
  try {
    comparison.value = measure(result.task, index, comparison.test, meeting);
    comparison.ratio = result.value.median / comparison.value;
  } catch (const ToolError& error) {
    if (error.code() != ExitCode::Failed) throw;
    comparison.failure = error.what();
  }
  session_.end_tool();
  comparison.steady = !cores_moved(before, session_.probe());
  return comparison;
}

std::vector<Comparison> Comparer::compare(const Result& result, unsigned tries,
                                          const Watch& watch) {
  std::vector<Comparison> comparisons;
  if (!result.skipped.empty()) return comparisons;
  const std::vector<ToolTest> tests = tool_tests(result.task);
  for (std::size_t index = 0; index < tests.size(); ++index) {
    if (!has(tests[index].program)) continue;
    Comparison comparison;
    for (unsigned attempts = 0; attempts < tries; ++attempts) {
      watch(fmt::format("{}: {} {}", label_of(result.task), name_of(tests[index].program),
                        tests[index].test));
      comparison = attempt(result, index);
      if (comparison.steady || !comparison.failure.empty()) break;
    }
    comparisons.push_back(std::move(comparison));
  }
  return comparisons;
}

} // namespace datum::perf
